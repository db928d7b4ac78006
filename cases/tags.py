"""States in an icon and a word: of a case, a task, a review, a document."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cases import dates
from cases.models import Case, Document, Letter, Person, Requirement, Task
from cases.words import outcome_label, party, plain


@dataclass(frozen=True, slots=True)
class Tag:
    """A state in an icon and a word. `level` is its colour: wait, bad, good, info or empty."""

    words: str
    level: str
    icon: str


def first_wait(case: Case, may_come: Collection[str] = ()) -> dict[str, Any] | None:
    """What a case waits for before all else. A message that only may come is nothing to wait for
    where there is something else."""
    waits = case.waits if case.is_open else []
    awaited = (one for one in waits if one["kind"] != "message" or one["name"] not in may_come)
    return next(awaited, waits[0] if waits else None)


def case_tag(case: Case, person: Person | None = None, *, may_come: Collection[str] = ()) -> Tag:
    """The state of a case for a list and for the head of its page."""
    if not case.is_open:
        return Tag(
            _("Closed: %(outcome)s") % {"outcome": plain(case.outcome).lower()}, "", "closed"
        )
    if case.stopped_at:
        return Tag(_("Stopped by a fault"), "bad", "stopped")
    first = first_wait(case, may_come)
    if first is None or first["kind"] == "activity":
        return Tag(_("Longcase works on it"), "", "clock")
    if first["kind"] == "timer":
        until = first.get("until")
        when = _("Waiting until %(day)s") % {"day": dates.day(until)} if until else _("Waiting")
        return Tag(when, "", "clock")
    if first["kind"] == "subcase":
        return Tag(_("Waiting for another case"), "", "clock")
    on = first.get("on", "")
    if person is not None and on in person.roles and case.owner_id in (None, person.pk):
        return Tag(_("Your turn"), "info", "person")
    return Tag(_("Waiting for %(who)s") % {"who": party(on)}, "wait", "wait")


def head_tag(
    case: Case, *, tasks: Sequence[Task], person: Person, may_come: Collection[str] = ()
) -> Tag:
    """The state of a case whose tasks are known: a task that somebody has is told by their name."""
    first = first_wait(case, may_come) if not case.stopped_at else None
    task = task_of(first, tasks) if first and first["kind"] == "task" else None
    if task is None or task.holder is None:
        return case_tag(case, person, may_come=may_come)
    if task.holder_id == person.pk:
        return Tag(_("Your turn"), "info", "person")
    return Tag(_("With %(who)s") % {"who": task.holder}, "info", "review")


def task_tag(task: Task, person: Person) -> Tag:
    """Who has a task."""
    if task.state == "done":
        return Tag(_("Done"), "good", "done")
    if task.state == "taken_back":
        label = outcome_label(task, task.outcome)
        return Tag(_("%(outcome)s, taken back") % {"outcome": label}, "", "info")
    if task.state == "cancelled":
        return Tag(_("No longer needed"), "", "closed")
    if task.holder_id == person.pk:
        return Tag(_("Your turn"), "info", "person")
    if task.holder_id:
        words = _("In review") if task.is_review else _("In hand")
        return Tag(words, "info", "review")
    return Tag(_("Nobody has it"), "wait", "wait")


def review_tag(task: Task, person: Person) -> Tag:
    """How a review ended, in the words of its outcome; while it is open, who has it."""
    if task.state != "done":
        return task_tag(task, person)
    label = outcome_label(task, task.outcome)
    if task.outcome in {"approve", "approved", "accept", "agree", "yes"}:
        return Tag(label, "good", "done")
    if task.outcome in {"decline", "declined", "reject", "refuse", "no"}:
        return Tag(label, "bad", "refused")
    return Tag(label, "wait", "forward")


def requirement_tag(requirement: Requirement) -> Tag:
    """How far a document that was asked for is."""
    match requirement.state:
        case "accepted":
            return Tag(_("Accepted"), "good", "done")
        case "received":
            return Tag(_("Came in, to be judged"), "info", "answer")
        case "rejected":
            return Tag(_("Rejected, asked again"), "bad", "refused")
    if not requirement.is_open:
        return Tag(_("No longer needed"), "", "closed")
    if requirement.reminders:
        words = ngettext("Reminded once", "Reminded %(n)s times", requirement.reminders)
        return Tag(words % {"n": requirement.reminders}, "wait", "wait")
    return Tag(_("Asked"), "wait", "wait")


def document_tag(document: Document) -> Tag:
    """What was found of one version of a document."""
    match document.state:
        case "accepted":
            return Tag(_("Accepted"), "good", "done")
        case "rejected":
            return Tag(_("Rejected"), "bad", "refused")
    return Tag(_("To be judged"), "info", "answer")


def letter_tag(letter: Letter) -> Tag:
    """How far a letter is on its way."""
    match letter.state:
        case "sent":
            return Tag(_("Mailed"), "good", "done")
        case "posted":
            return Tag(_("Posted"), "good", "done")
        case "to_post":
            return Tag(_("To be posted"), "wait", "wait")
        case "undelivered":
            return Tag(_("Not deliverable"), "bad", "bad")
    if letter.why_not:
        tried = ngettext("Tried once", "Tried %(n)s times", letter.tries) % {"n": letter.tries}
        return Tag(tried, "wait", "wait")
    return Tag(_("To be mailed"), "", "clock")


def valid_tag(document: Document, now: datetime) -> Tag | None:
    """Until when an accepted paper counts, where that ends."""
    until = document.valid_until_date
    if until is None or document.state != "accepted":
        return None
    left = (until - timezone.localtime(now).date()).days
    day = {"day": dates.day(until)}
    if left < 0:
        return Tag(_("Counted until %(day)s") % day, "bad", "bad")
    return Tag(_("Counts until %(day)s") % day, "wait" if left < 14 else "", "clock")


def task_of(wait: dict[str, Any], tasks: Sequence[Task]) -> Task | None:
    """The open task that a wait is about."""
    found = [one for one in tasks if one.is_open and one.command == wait.get("command")]
    return found[-1] if found else None
