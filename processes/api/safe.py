"""Calls that change something, safe to repeat: the same key gives the first answer again.

The answer is kept in the transaction of the act itself, so that a repeat after a lost connection,
and fifty at the same moment, all end in one effect. A refused call changed nothing and keeps
nothing: it may be sent again under its key.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

from django.db import OperationalError, connection, transaction
from django.http import HttpResponse
from django.utils.translation import gettext as _
from psycopg.errors import LockNotAvailable
from rest_framework.request import Request
from rest_framework.response import Response

from cases import queries
from cases.errors import (
    MovedOn,
    PreconditionMissing,
    SameKeyOtherContent,
    StillRunning,
)
from cases.models import Case, KeptAnswer
from cases.views.case import changes
from processes.acts.cases import get_case
from processes.api.problems import HeaderInvalid
from processes.api.rendering import render
from processes.callers import ON_BEHALF, Caller
from processes.plain import plain
from timers import clock

WAIT_MS = 5000  # for a twin of the same call
KEY = re.compile(r"[\x21-\x7e]{1,200}\Z")
_TAG = re.compile(r'(?:W/)?"([0-9]{1,9})"\Z')


def once(request: Request, act: Callable[[], Response]) -> Response | HttpResponse:
    """Carry out `act` unless this caller's key was carried out before; then its first answer."""
    caller: Caller = request.user
    key = key_of(request)
    digest = digest_of(request)
    with transaction.atomic():
        if not _reserve(caller.code, key, digest):
            return _again(KeptAnswer.objects.get(caller=caller.code, key=key), digest)
        response = act()
        body = render(response.data)
        headers = {name: str(value) for name, value in response.items() if name != "Content-Type"}
        KeptAnswer.objects.filter(caller=caller.code, key=key).update(
            status=response.status_code,
            headers={**headers, "Content-Type": response.content_type or "application/json"},
            body=body,
        )
    return response


def _reserve(caller: str, key: str, digest: str) -> bool:
    """Take the key, or wait until a twin that has it is done. False: it was used before."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = {WAIT_MS}")
        try:
            cursor.execute(
                "INSERT INTO cases_keptanswer (caller, key, digest, status, headers, body, at) "
                "VALUES (%s, %s, %s, 0, '{}', '', %s) ON CONFLICT DO NOTHING",
                [caller, key, digest, clock.now()],
            )
        except OperationalError as error:
            if isinstance(error.__cause__, LockNotAvailable):
                raise StillRunning(
                    _("The call with the key “%(key)s” is being carried out. Send it again.")
                    % {"key": key}
                ) from error
            raise
        return cursor.rowcount == 1


def _again(first: KeptAnswer, digest: str) -> HttpResponse:
    if first.digest != digest:
        raise SameKeyOtherContent(
            _(
                "The key “%(key)s” was used on %(day)s for another call. "
                "Use a new key for a new call."
            )
            % {"key": first.key, "day": f"{first.at:%Y-%m-%d %H:%M} UTC"}
        )
    response = HttpResponse(bytes(first.body), status=first.status)
    for name, value in first.headers.items():
        response[name] = value
    response["Idempotency-Replayed"] = "true"
    return response


def key_of(request: Request) -> str:
    key = str(request.headers.get("Idempotency-Key", ""))
    if not KEY.match(key):
        raise HeaderInvalid(
            _(
                "A call that changes something needs an Idempotency-Key of its own: 1 to 200 "
                "printable ASCII characters without spaces, such as a UUID."
            ),
            {"Idempotency-Key": _("1 to 200 printable ASCII characters.")},
        )
    return key


def digest_of(request: Request) -> str:
    """The fingerprint of what a call asks for, whatever order its fields came in."""
    found = hashlib.sha256(f"{request.method} {request.path} ".encode())
    found.update(str(request.headers.get("If-Match", "")).encode())
    if said := str(request.headers.get(ON_BEHALF, "")):  # for another is another call
        found.update(f"{ON_BEHALF}: {said} ".encode())
    for name in ("Upload-Length", "Upload-Metadata"):
        if name in request.headers:
            found.update(f"{name}: {request.headers[name]} ".encode())
    data = request.data
    files = getattr(request, "FILES", None) or {}
    if hasattr(data, "lists"):
        sent: Any = sorted((n, v) for n, v in data.lists() if n not in files)
    else:
        sent = plain(data)
    found.update(json.dumps(sent, sort_keys=True, default=str).encode())
    for name, file in sorted(files.items()):
        found.update(f"{name} {file.name} {file.size} ".encode(errors="replace"))
        for piece in file.chunks():
            found.update(piece)
        file.seek(0)
    return found.hexdigest()


def locked(request: Request, case: Case, *, must: bool = False) -> Case:
    """The case as its kind, locked for the act that follows, if it is as its caller had read it.

    Raises MovedOn, which says what changed since, and PreconditionMissing where it `must` be said.
    """
    said = request.headers.get("If-Match", "")
    if not said and must:
        raise PreconditionMissing(
            _("Send If-Match with the ETag of %(case)s that the change was made on.")
            % {"case": case}
        )
    row = Case.objects.select_for_update(of=("self",)).only("id", "head_number").get(pk=case.pk)
    if said and said.strip() != "*":
        require_unmoved(row.pk, row.head_number, said)
    return get_case(case.pk)


def require_unmoved(case_id: int, head: int, said: str) -> None:
    seen = [int(found[1]) for tag in said.split(",") if (found := _TAG.match(tag.strip()))]
    if head in seen:
        return
    case = get_case(case_id)
    since = max(seen, default=None)
    if since is not None and since > head:
        raise MovedOn(
            _(
                "%(case)s is at event %(head)s, and your ETag names event %(seen)s, which it does "
                "not have. Is it the ETag of another case? Read this one again."
            )
            % {"case": case, "head": head, "seen": since},
            [],
        )
    news: list[dict[str, Any]] = []
    if since is not None and since < head:
        events = queries.events_after(case, since)
        news = [
            {"at": plain(one.at), "title": one.title, "by": one.by, "lines": one.lines}
            for one in changes(case, events)
        ]
    what = "; ".join(str(one["title"]) for one in news[:5]) or _("another act")
    raise MovedOn(
        _("%(case)s is at event %(head)s now, and your copy is not. Since then: %(what)s.")
        % {"case": case, "head": head, "what": what},
        news,
    )


def etag(case: Case) -> str:
    """The ETag of a case, and of its tasks and documents: the number of its last event."""
    return f'"{case.head_number}"'
