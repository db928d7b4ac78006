"""What of an answer goes into the read log: which case it is about, which others it names, who
asked, and the marks of what was looked for.

Every answer that shows something is logged, unless its address is on `SHOWS_NO_CASE`; a page or a
call that somebody adds is logged without their doing. See docs/readlog.md.
"""

from __future__ import annotations

import getpass
import re
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from audit import reads
from audit.reads import Reading
from cases import search
from cases.models import Person
from timers import clock

# Addresses that show nothing of any case, each with the reason. What they answer is logged all the
# same where a case is named in it.
SHOWS_NO_CASE: dict[str, str] = {
    **dict.fromkeys(
        ("login", "openid", "openid-back", "signed-in", "stay", "logout", "new-password"),
        "signing in and out",
    ),
    **dict.fromkeys(
        ("settings", "notice-settings", "my-tokens", "rotate-token", "revoke-token", "turn-clock"),
        "one's own settings",
    ),
    **dict.fromkeys(
        ("clients", "client", "new-client-token", "new-client-secret", "api:TokenEndpoint")
        + ("api:RevocationAddress", "processes.api.oauth.metadata"),
        "accounts of programs, and their tokens",
    ),
    **dict.fromkeys(
        ("administration", "people", "person", "person-act", "teams", "rename-team", "roles")
        + ("account-changes", "absences", "end-absence"),
        "accounts of staff, which keep a history of their own",
    ),
    **dict.fromkeys(("calendars", "calendar"), "days of the organisation"),
    **dict.fromkeys(
        ("letter-templates", "letter-template", "new-letter-template", "retire-template"),
        "templates, shown with an invented case",
    ),
    **dict.fromkeys(
        ("processes", "process", "process-drawing", "process-step", "step-version")
        + ("process-source", "process-table", "table-version")
        + ("api:Kinds", "api:OneKind", "api:KindSchema"),
        "how a kind works, with numbers of cases at most",
    ),
    **dict.fromkeys(
        ("insight", "insight-time", "insight-ways", "insight-rework", "insight-deadlines")
        + ("insight-line",),
        "figures of a kind; the lists of cases under them are logged",
    ),
    **dict.fromkeys(
        ("api-docs", "api-schema", "api:Problems", "api:OneProblem", "api:ExportSchema"),
        "the manual of the API",
    ),
    **dict.fromkeys(("running", "api:Workers"), "machines and queues"),
    **dict.fromkeys(
        ("checks", "anchor", "send-anchor", "anchor-file", "anchor-heads", "all-anchors")
        + ("anchor-keys", "verifier", "api:Anchors", "api:OneAnchor", "api:AnchorKeys"),
        "hashes, and how many cases there are",
    ),
    **dict.fromkeys(
        ("webhooks", "webhook", "change-webhook", "webhook-secret", "replay-webhook")
        + ("webhook-act", "api:Webhooks", "api:OneWebhook", "api:Secret", "api:Rotate")
        + ("api:Test", "api:Pause", "api:Resume", "api:Replay", "api:End", "api:Attempts"),
        "how webhooks are set up; each delivery has a row of its own",
    ),
    **dict.fromkeys(
        ("keep-draft", "drop-draft", "saved-lists", "save-list", "change-list", "remove-list"),
        "what the one who asks wrote themselves",
    ),
    **dict.fromkeys(
        ("customer-lost", "customer-code", "customer-renew"),
        "the door of a customer's page, from outside",
    ),
    "api:NothingHere": "no address at all",
    "api:SignedMessages": "takes a message, and tells whether it was taken",
    "demo-mails": "invented mail of a demo; a real installation has no such page",
}
SHOWN = frozenset({200, 201, 202, 203, 206, 409, 410, 412, 422})  # a form with an error shows, too
REFUSED, NOT_FOUND = 403, 404
_NUMBERS = ("event", "at", "upto", "from", "page")  # of the query: which part of it was shown
_REFERENCE = re.compile(r"[A-Z]{1,6}-\d{4}-(\d{6,15})\Z")
# Addresses and references of cases in a page, and what names one in JSON: made by us, as text
# cannot be. A page that tells a case without its address marks the reference so.
_IN_HTML = re.compile(rb'(?:"/cases/|class="reference">)[A-Z]{1,6}-\d{4}-(\d{6,15})[/<]')
_IN_JSON = re.compile(rb'"(?:reference|case|other|subject|parent)": ?"[A-Z]{1,6}-\d{4}-(\d{6,15})"')


def write(request: HttpRequest, response: HttpResponseBase, reading: Reading) -> None:
    """Log this answer, if it shows anything. Raises what the database raises."""
    status, match = response.status_code, request.resolver_match
    if match is None or (status not in SHOWN and status not in (REFUSED, NOT_FOUND)):
        return
    what = name_of(match)
    if status in SHOWN and not response.streaming:
        body = response.content  # type: ignore[attr-defined]
        reading.digest = reads.digest_of(body)
        reading.case_ids.update(dict.fromkeys(cases_in(body, response)))
    elif status == NOT_FOUND:
        reading.case_id = reading.case_id or _tried(match.kwargs)
    item = item_of(request)
    is_exempt = what in SHOWS_NO_CASE
    shows_none = reading.case_id is None and not reading.case_ids
    if shows_none and (is_exempt or (status == NOT_FOUND and not item)):
        return
    through = _who(request, reading)
    reads.write(
        reading,
        at=clock.now(),
        through=through,
        what=what,
        item=item,
        outcome={REFUSED: "refused", NOT_FOUND: "not_found"}.get(status, "shown"),
        marks=() if is_exempt else reads.marks_of(looked_for(request)),
    )


def shown_by_command(name: str, *, case_id: int | None, number: int | None, item: str = "") -> None:
    """Log what a command is about to print, under the name that the system knows its user by."""
    reading = Reading(actor=f"system:{getpass.getuser()}", case_id=case_id, case_number=number)
    reads.write(reading, at=clock.now(), through="command", what=name, item=item)


def name_of(match: Any) -> str:
    """What is shown, by the name of its address; a call of the API by its view."""
    if match.url_name:
        return str(match.url_name)
    view = getattr(match.func, "view_class", None) or getattr(match.func, "cls", None)
    if view is not None:
        return f"api:{view.__name__}"
    return f"{match.func.__module__}.{match.func.__name__}"


def item_of(request: HttpRequest) -> str:
    """Which one of its sort, and which part: the numbers of the address, never a text of it."""
    match = request.resolver_match
    found = {name: value for name, value in match.kwargs.items() if isinstance(value, int)}
    asked = {name: request.GET.get(name, "") for name in _NUMBERS if name in request.GET}
    found |= {n: int(v) for n, v in asked.items() if v.isascii() and v.isdecimal() and len(v) < 12}
    return " ".join(f"{name}:{value}" for name, value in found.items())


def cases_in(body: bytes, response: HttpResponseBase) -> list[int]:
    """The ids of the cases that a page or an answer in JSON names."""
    sort = response.get("Content-Type", "")
    if sort.startswith("text/html"):
        return [int(one) for one in _IN_HTML.findall(body)]
    if "json" in sort:
        return [int(one) for one in _IN_JSON.findall(body)]
    return []


def looked_for(request: HttpRequest) -> list[str]:
    """The words of a search, folded as the search folds them."""
    return words_of(" ".join(request.GET.get(name, "") for name in ("find", "text")))


def words_of(text: str) -> list[str]:
    return list(search.read(text).words)


def _tried(kwargs: dict[str, Any]) -> int | None:
    """The case that an address names, whether there is one or not: the answer does not tell."""
    reference = str(kwargs.get("reference", ""))
    found = _REFERENCE.match(reference)
    if found:
        return int(found[1])
    is_number = reference.isascii() and reference.isdecimal() and len(reference) < 16
    return int(reference) if is_number else None


def _who(request: HttpRequest, reading: Reading) -> str:
    """Fill in who is shown it, unless it is noted; returns through what."""
    is_api = request.path_info.startswith("/api/")
    if reading.actor:
        return "customer" if reading.actor.startswith("party:") else "page"
    user = getattr(request, "user", None)
    if isinstance(user, Person):
        reading.actor = f"person:{user.pk}"
    elif user is not None and user.is_authenticated:  # a caller of the API
        reading.actor = user.code
        reading.on_behalf = user.on_behalf or reading.on_behalf
    else:
        reading.actor = "anonymous"
    return "api" if is_api else "page"
