"""What the templates of Longcase say in one word."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django import template
from django.conf import settings
from django.forms import BoundField
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from cases import access, dates, noticeboard, queries, remarks, sentences, tags, words
from cases.alike import SAME_NAME
from cases.fsm import Edge
from cases.models import Absence, Case, Document, Letter, Person, Requirement, Task
from cases.worklist import WorkRow
from processes.kinds import kinds
from timers import clock

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """A drawing beside a word; never alone."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        static("vendor/icons/icons.svg"),
        name,
    )


@register.inclusion_tag("_due.html")
def due(at: datetime | dates.Due | None) -> dict[str, Any]:
    """The date in bold, the words under it, and a line at its side."""
    if isinstance(at, datetime):
        at = dates.due(at, clock.now())
    return {"due": at}


@register.inclusion_tag("_tag.html")
def tag(one: tags.Tag) -> dict[str, Any]:
    """A state: an icon and a word."""
    return {"tag": one}


@register.inclusion_tag("_field.html")
def field(bound: BoundField) -> dict[str, Any]:
    """A field of a form: label, help, error, then the field itself."""
    widget = bound.field.widget
    kind = getattr(widget, "input_type", "")
    return {"field": bound, "is_choice": kind == "radio", "is_tick": kind == "checkbox"}


@register.inclusion_tag("_act_fields.html", takes_context=True)
def act_fields(context: dict[str, Any], seen: int | None = None) -> dict[str, Any]:
    """What every form that acts carries: the key of this render, for whom it was rendered, and
    the last event that the reader has seen. Goes with csrf_token."""
    return {
        "key": uuid4(),
        "person": context["request"].user,
        "seen": seen,
        "csrf_token": context.get("csrf_token"),
    }


@register.simple_tag(takes_context=True)
def case_tag(context: dict[str, Any], case: Case) -> tags.Tag:
    return tags.case_tag(case, context["request"].user, may_come=_may_come(case))


def _may_come(case: Case) -> frozenset[str]:
    kind = kinds().get(case.kind)
    return kind.may_come if kind else frozenset()


@register.simple_tag
def may(person: Person, act: str, thing: Any = None) -> bool:
    """Whether to show an act at all: those that one may not do are not shown."""
    return access.may(person, act, thing)


@register.simple_tag
def same_fact(kind: Any, reason: str) -> str:
    """What two cases have in common: a fact of the kind, or the name."""
    if reason == SAME_NAME:
        return _("The same or nearly the same name")
    label = kind.model._meta.get_field(reason).verbose_name
    return _("The same %(fact)s") % {"fact": label}


@register.simple_tag
def querystring_of(**asked: Any) -> str:
    """A query string of just these."""
    return urlencode(asked)


@register.simple_tag
def now() -> datetime:
    return clock.now()


@register.filter
def day(at: datetime | date | None) -> str:
    """ "4 Dec": for lists and for what lies near."""
    return dates.day(at, clock.now()) if at else ""


@register.filter
def full_day(at: datetime | date | None) -> str:
    return dates.day(at) if at else ""


@register.filter
def moment(at: datetime | None) -> str:
    return dates.moment(at) if at else ""


@register.filter
def to_second(at: datetime) -> str:
    """ "26 Nov 2026 10:14:07": where the order within a minute counts."""
    return f"{dates.moment(at)}:{timezone.localtime(at):%S}"


@register.filter
def lasted(since: datetime) -> str:
    return dates.span(since, clock.now())


@register.filter
def party(on: str) -> str:
    return words.party(on)


@register.filter
def plain(name: str) -> str:
    return words.plain(name)


@register.filter
def value(thing: Any) -> str:
    return sentences.value(thing)


@register.filter
def step_label(case: Case) -> str:
    """The step of a case in the words of its kind."""
    kind = kinds().get(case.kind)
    return kind.step_label(case.step) if kind else words.plain(case.step)


@register.filter
def kind_title(case: Case) -> str:
    kind = kinds().get(case.kind)
    return str(kind.title) if kind else words.plain(case.kind)


@register.filter
def first_wait(case: Case) -> str:
    """What is waited for first, by its name."""
    first, kind = tags.first_wait(case, _may_come(case)), kinds().get(case.kind)
    if first is None:
        return ""
    if first["kind"] == "message" and kind is not None:
        return words.Words(kind).message(first["name"])
    return words.plain(first.get("name", ""))


@register.filter
def counted(number: int) -> str:
    """A count that stops at a thousand: "1,000+"."""
    return sentences.value(number) if number <= 1000 else f"{sentences.value(1000)}+"


@register.filter
def at_number(mapping: dict[Any, Any], key: Any) -> Any:
    return mapping.get(key)


@register.simple_tag
def works(person: Person) -> bool:
    """Whether any work can be this person's: auditors and operators have none on cases."""
    return bool(person.roles - access.SEE_ALL)


@register.inclusion_tag("cases/_standing_in.html")
def standing_in(person: Person) -> dict[str, Any]:
    """Those whom this person stands in for today, with what is to be done for each."""
    return {"standing_in": queries.stood_in_work(person), "request_user": person}


@register.simple_tag
def unread_notices(person: Person) -> str:
    """How many notices this person has not read, for the bar: "" for none, "99+" for many."""
    found = noticeboard.unread_count(person, most=100)
    return "" if not found else "99+" if found > 99 else str(found)


@register.simple_tag
def leads_teams(person: Person) -> bool:
    """Whether there is a team whose page this person may see."""
    return bool(person.roles & {access.SUPERVISOR, access.AUDITOR})


@register.inclusion_tag("_demo.html", takes_context=True)
def demo_banner(context: dict[str, Any]) -> dict[str, Any]:
    """The time of a demo and the buttons that turn it; empty elsewhere."""
    if not settings.LONGCASE_DEMO:
        return {}
    request = context["request"]
    back = request.get_full_path() if request.method == "GET" else "/"
    shared = {"key": uuid4(), "person": request.user, "csrf_token": context.get("csrf_token")}
    return {"at": clock.now(), "back": back, **shared}


@register.simple_tag(takes_context=True)
def review_tag(context: dict[str, Any], task: Task) -> tags.Tag:
    """How a review ended, or who has it."""
    return tags.review_tag(task, context["request"].user)


@register.simple_tag(takes_context=True)
def task_tag(context: dict[str, Any], task: Task) -> tags.Tag:
    return tags.task_tag(task, context["request"].user)


@register.simple_tag
def requirement_tag(requirement: Requirement) -> tags.Tag:
    return tags.requirement_tag(requirement)


@register.simple_tag
def actor(names: words.Words, code: str) -> str:
    return names.actor(code)


@register.simple_tag
def document_title(names: words.Words, name: str) -> str:
    return names.document(name)


@register.simple_tag
def document_tag(document: Document) -> tags.Tag:
    return tags.document_tag(document)


@register.simple_tag
def remark_sentences(document: Document) -> list[str]:
    """What was noticed of a file's content."""
    return remarks.sentences(document.remarks)


@register.simple_tag
def letter_tag(letter: Letter) -> tags.Tag:
    return tags.letter_tag(letter)


@register.simple_tag
def move_target(names: words.Words, edge: Edge) -> str:
    """The step a transition leads to."""
    return names.step(edge.target)


@register.filter
def of_steps(text: str) -> str:
    """Words that a step's code gave, such as the title of a task, in the reader's language."""
    return words.of_steps(text)


@register.filter
def outcome_words(task: Task) -> str:
    return words.outcome_label(task, task.outcome)


@register.simple_tag(takes_context=True)
def new_case_links(context: dict[str, Any]) -> list[tuple[str, str]]:
    """The kinds of which this person may open a case by hand."""
    if not access.may(context["request"].user, "open case"):
        return []
    return [(name, str(kind.title)) for name, kind in kinds().items() if kind.form is not None]


@register.simple_tag
def kind_pages(person: Person) -> list[tuple[str, str]]:
    """The pages of kinds that this person may see: title, and name of the address."""
    return [
        (str(title), name)
        for kind in kinds().values()
        for title, name, act in kind.pages
        if access.may(person, act)
    ]


@register.simple_tag
def why_tag(row: WorkRow) -> tags.Tag:
    """Why a row is on somebody's list."""
    match row.why:
        case "your-turn":
            return tags.Tag(_("Your turn"), "info", "person")
        case "returned":
            return tags.Tag(_("Returned to you"), "wait", "answer")
        case "new":
            return tags.Tag(_("New"), "info", "info")
        case "answer":
            return tags.Tag(_("Answer came in"), "good", "answer")
        case "offered" | "nobody":
            return tags.Tag(_("Nobody has it"), "wait", "wait")
        case "done":
            return tags.Tag(_("Done"), "good", "done")
    return tags.case_tag(row.case, may_come=_may_come(row.case))


@register.filter
def urgency(level: str) -> str:
    """The heading of the rows that are as pressing as this."""
    return {
        "late": _("Overdue"),
        "near": _("Due within 5 working days"),
        "later": _("Later"),
        "never": _("Without a final date"),
    }[level]


@register.simple_tag
def absent(until: date | None) -> SafeString | str:
    """A chip beside somebody who is away."""
    if until is None:
        return ""
    words_ = _("absent to %(day)s") % {"day": dates.day(until, clock.now())}
    return format_html(' <span class="tag">{}{}</span>', icon("clock"), words_)


@register.simple_tag
def absence_of(person_id: int, away: dict[int, Absence]) -> SafeString | str:
    """A chip beside somebody who is away, with whoever stands in."""
    found = away.get(person_id)
    if found is None:
        return ""
    told = {"day": dates.day(found.until_date, clock.now()), "who": found.substitute}
    stands_in = found.substitute is not None and found.substitute.is_active
    said = _("absent to %(day)s, %(who)s stands in") if stands_in else _("absent to %(day)s")
    return format_html(' <span class="tag">{}{}</span>', icon("clock"), said % told)


@register.simple_tag
def result_tag(result: str, before: bool) -> tags.Tag:
    """What became, or would become, of one row of an act on many."""
    match result:
        case "done":
            return tags.Tag(_("Can be done") if before else _("Done"), "good", "done")
        case "already":
            return tags.Tag(_("So already"), "", "done")
        case "refused":
            return tags.Tag(_("Cannot be done") if before else _("Not done"), "bad", "refused")
    return tags.Tag(_("Still to do"), "wait", "wait")
