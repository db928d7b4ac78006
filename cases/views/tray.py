"""The tray: messages from outside that found no case, until a person links or answers them."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from cases import access, queries, search, sentences
from cases.errors import Invalid, NoSuchCase
from cases.forms import LinkMessageForm, PutAsideForm
from cases.models import Case, Message, Person
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.letter_forms import LetterForm
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from processes.acts import tray as acts
from processes.letters import Correspondent

MOST_LIKELY = 5
TEXTS_TRIED = 6  # of one message, to find likely cases by


@require_safe
@signed_in
def tray(request: HttpRequest) -> HttpResponse:
    """All messages that wait for a person to say where they belong, or those that are settled."""
    access.require(actor_of(request), "link message")
    is_settled = request.GET.get("show") == "settled"
    states = ("closed",) if is_settled else acts.IN_TRAY
    found, page = queries.tray_of(person_of(request), states), page_of(request)
    first = (page - 1) * queries.PAGE_ROWS
    rows = list(found[first : first + queries.PAGE_ROWS + 1])
    context = {
        "rows": rows[: queries.PAGE_ROWS],
        "count": queries.count_of(found),
        "page": page,
        "has_next": len(rows) > queries.PAGE_ROWS,
        "is_settled": is_settled,
        "address": "show=settled" if is_settled else "",
        "section": "tray",
    }
    return render(request, "cases/tray.html", context)


def message_for(request: HttpRequest, pk: int, *states: str) -> Message:
    """A message of the tray, for those who may link it; also one in these states, where its case
    may be seen."""
    access.require(actor_of(request), "link message")
    person = person_of(request)
    seen = Q(case_id=None) | Q(case_id__in=access.visible_cases(person).values("pk"))
    seen |= Q(state__in=(*acts.IN_TRAY, "closed"))
    rows = queries.tray_of(person, (*acts.IN_TRAY, *states))
    found = rows.filter(seen, pk=pk).first()
    if found is None:
        raise NoSuchCase(_("This message is linked already, or is not in the tray."))
    return found


@require_http_methods(["GET", "POST"])
@signed_in
def link_message(request: HttpRequest, pk: int) -> HttpResponse:
    """One message, the cases it may belong to, and the form that links it."""
    person = person_of(request)
    # A second link gives the first answer again, so it still finds a message that was linked.
    also = ("closed",) if request.method == "GET" else ("closed", "used", "kept")
    message = message_for(request, pk, *also)
    chosen = request.GET.get("case", "")
    form = LinkMessageForm(request.POST or None, initial={"reference": chosen})

    def act() -> Answer:
        reference = form.cleaned_data["reference"].strip()
        case = access.visible_cases(person).filter(reference__iexact=reference).first()
        if case is None:
            sentence = _("There is no such case among those you may see.")
            raise Invalid(sentence, {"reference": sentence})
        _became, files = acts.link(message_id=pk, case_id=case.pk, actor=actor_of(request))
        said = [_("The message now belongs to %(reference)s.") % {"reference": case.reference}]
        kept = [one.filename for one in files if one.document is not None]
        if kept:
            said.append(_("Recorded as documents: %(files)s.") % {"files": ", ".join(kept)})
        said += [one.why_not for one in files if one.document is None]
        return Answer(case.get_absolute_url(), " ".join(said)[:2000])

    def show(form: LinkMessageForm, status: int = 200) -> HttpResponse:
        is_open = message.state in acts.IN_TRAY
        context = {
            **told(message),
            "form": form,
            "likely": likely_cases(person, message) if is_open else [],
            "is_open": is_open,
        }
        return render(request, "cases/link_message.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def told(message: Message) -> dict[str, Any]:
    """What a message says, with the files inside it by their names."""
    files = acts.attachments_of(message.data)
    data = message.data if isinstance(message.data, dict) else {"content": message.data}
    lines = [
        (name, sentences.value(item))
        for name, item in data.items()
        if not (files and name == acts.ATTACHMENTS)
    ]
    people = queries.people_named([message.settled_by])
    return {
        "message": message,
        "told": lines,
        "files": files,
        "settled_by": next(iter(people.values()), None),
        "section": "tray",
    }


def likely_cases(person: Person, message: Message) -> list[Case]:
    """Cases that a message may belong to, among those that the person may see."""
    found: dict[int, Case] = {}
    texts = list(dict.fromkeys(acts.words_in(message)))[:TEXTS_TRIED]
    for text in texts:
        if len(found) >= MOST_LIKELY:
            break
        hits = search.find(person, text)
        for one in search.cases_found(hits, 0, MOST_LIKELY):
            if one.is_open:
                found.setdefault(one.pk, one)
    return list(found.values())[:MOST_LIKELY]


@require_http_methods(["GET", "POST"])
@signed_in
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer a message that belongs to no case, by mail or by post."""
    message = message_for(request, pk)
    data = message.data if isinstance(message.data, dict) else {}
    email = str(data.get("email") or data.get("from") or "")
    initial = {
        "to_name": str(data.get("name") or message.source),
        "to_email": email if "@" in email else "",
        "subject": _("Your message of %(day)s") % {"day": message.received_at.date().isoformat()},
    }
    form = LetterForm(request.POST or None, initial=initial)

    def act() -> Answer:
        given = form.cleaned_data
        acts.answer(
            message_id=pk,
            to=Correspondent(given["to_name"], given["to_email"]),
            subject=given["subject"],
            text=given["text"],
            actor=actor_of(request),
        )
        return Answer(reverse("tray"), _("The message is answered."))

    return _act_page(request, message, form, "cases/answer_message.html", act)


@require_http_methods(["GET", "POST"])
@signed_in
def put_aside(request: HttpRequest, pk: int) -> HttpResponse:
    """Say that a message is not ours, and why."""
    message = message_for(request, pk)
    form = PutAsideForm(request.POST or None)

    def act() -> Answer:
        reason = form.cleaned_data["reason"]
        acts.put_aside(message_id=pk, reason=reason, actor=actor_of(request))
        return Answer(reverse("tray"), _("The message is put aside, with your reason."))

    return _act_page(request, message, form, "cases/put_aside.html", act)


def _act_page(
    request: HttpRequest, message: Message, form: Any, template: str, act: Any
) -> HttpResponse:
    def show(form: Any, status: int = 200) -> HttpResponse:
        return render(request, template, {**told(message), "form": form}, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)
