"""One act on many cases and tasks: chosen, looked at beforehand, carried out row by row.

Each row is a commit of its own, together with what became of it. So a run that breaks off goes on
where it stopped, by whoever finds it, and nothing is done twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from audit.models import Event
from cases import access, dates
from cases.actors import Actor
from cases.errors import CaseChanged, Invalid, NoSuchCase, Refused
from cases.models import BulkAct, BulkRow, Case, Person, Reminder, Task
from processes.acts.cases import assign_case, require_caseworker, take_case
from processes.acts.reminders import require_day, set_reminder
from processes.acts.tasks import claim_task, hand_over_task, release_task, require_fit
from timers import clock

MOST_ROWS = 1000  # that one act takes
HAND_OVER, REMIND, TAKE, SPREAD = WHATS = ("hand-over", "remind", "take", "spread")
NOT_BEGUN_KEPT = timedelta(days=2)
ENDED_KEPT = timedelta(days=180)


@dataclass(frozen=True, slots=True)
class Picked:
    """A row as it was chosen on a list: a case or a task, and the last event seen of its case."""

    case_id: int | None = None
    task_id: int | None = None
    seen_number: int = 0


# -- choosing


@transaction.atomic
def choose(
    *, what: str, rows: Sequence[Picked], actor: Actor, back: str = "/work/", left_out: int = 0
) -> BulkAct:
    """Keep what was chosen, to be looked at and then begun. Raises Invalid."""
    if what not in WHATS:
        raise Invalid(_("There is no such act on many rows."))
    if not rows:
        raise Invalid(_("Choose at least one row first."))
    left_out += max(0, len(rows) - MOST_ROWS)
    rows = list(dict.fromkeys(rows))[:MOST_ROWS]
    tasks = Task.objects.in_bulk([one.task_id for one in rows if one.task_id])
    cases = {one.case_id for one in rows if one.case_id}
    known = set(Case.objects.filter(pk__in=cases).values_list("pk", flat=True))
    act = BulkAct.objects.create(
        person=_person(actor), what=what, back=back, left_out=left_out, chosen_at=clock.now()
    )
    found: list[BulkRow] = []
    for one in rows:
        task = tasks.get(one.task_id or 0)
        case_id = task.case_id if task else one.case_id if one.case_id in known else None
        if what == REMIND and case_id and any(row.case_id == case_id for row in found):
            continue  # two tasks of one case: it is the case that one is reminded of
        row = BulkRow(act=act, place=len(found) + 1, case_id=case_id, task=task)
        row.seen_number = one.seen_number
        found.append(row)
    BulkRow.objects.bulk_create(found)
    return act


def choose_refused(*, act: BulkAct, actor: Actor) -> BulkAct:
    """Those rows of an act that were refused, as they stand now, to be tried once more."""
    refused = act.rows.filter(result="refused", case__isnull=False).select_related("case")
    rows = [
        Picked(None if row.task_id else row.case_id, row.task_id, row.case.head_number)
        for row in refused.order_by("place")
        if row.case is not None
    ]
    again = choose(what=act.what, rows=rows, actor=actor, back=act.back)
    again.asked = BulkAct.objects.get(pk=act.pk).asked
    again.save(update_fields=["asked"])
    return again


# -- looking


@dataclass(frozen=True, slots=True)
class Looked:
    """What would become of one row now. `verdict` is done, already or refused."""

    row: BulkRow
    case: Case | None  # None: one that its reader may not see
    task: Task | None
    verdict: str
    sentence: str = ""


def look(*, act: BulkAct, actor: Actor, asked: dict[str, Any]) -> list[Looked]:
    """What would become of each row, in the order of the list. The same few queries for any
    number of rows; carrying it out asks once more, under each case's lock."""
    person = _person(actor)
    rows = list(act.rows.order_by("place"))
    ids = {row.case_id for row in rows if row.case_id}
    cases = {
        case.pk: case
        for case in access.visible_cases(person).filter(pk__in=ids).select_related("owner", "team")
    }
    tasks = Task.objects.select_related("holder").in_bulk([r.task_id for r in rows if r.task_id])
    for task in tasks.values():
        if task.case_id in cases:
            task.case = cases[task.case_id]
    news = _news(rows, cases=cases, person=person)
    reminded = set(
        Reminder.objects.filter(person=person, case__in=ids, **_same_reminder(asked)).values_list(
            "case", flat=True
        )
        if act.what == REMIND
        else ()
    )
    targets = _targets(rows, asked)
    if tasks:  # who takes them, or gets them, keeps four eyes
        for one in {to.pk: to for to in targets.values() if to} or {person.pk: person}:
            by = next((to for to in targets.values() if to and to.pk == one), person)
            access.foresee(by, list(cases.values()))
    looked = []
    for row in rows:
        case, task = cases.get(row.case_id or 0), tasks.get(row.task_id or 0)
        to = targets[row.pk]
        verdict, sentence = "done", ""
        if case is None:
            verdict, sentence = "refused", _not_seen()
        elif row.pk in news:
            verdict, sentence = "refused", news[row.pk]
        elif _is_so(act.what, case, task, person=person, to=to, asked=asked) or (
            act.what == REMIND and case.pk in reminded and case.is_open
        ):
            verdict, sentence = "already", _as_it_stands(act.what, case, task)
        else:
            try:
                _try(act.what, case, task, actor=actor, to=to, asked=asked)
            except Refused as refusal:
                verdict, sentence = "refused", str(refusal)
        looked.append(Looked(row, case, task if case else None, verdict, sentence))
    return looked


def _try(
    what: str, case: Case, task: Task | None, *, actor: Actor, to: Person | None, asked: Any
) -> None:
    """Raise whatever would keep this act from being done to this row, as far as rows tell."""
    if task is not None and not task.is_open and what != REMIND:
        raise Refused(_("“%(task)s” is no longer open.") % {"task": task.title})
    if not case.is_open and (task is None or what == REMIND):
        day = dates.day(case.closed_at) if case.closed_at else ""
        raise Refused(_("It was closed on %(day)s.") % {"day": day})
    if what == REMIND:
        access.require(actor, "be reminded", case)
    elif task is None:
        access.require(actor, "assign case", case)
        if what in (HAND_OVER, SPREAD):
            require_caseworker(to)
        elif case.owner is not None:
            raise Refused(_("%(who)s has it already.") % {"who": case.owner})
    elif what == TAKE:
        if task.holder is not None:
            raise Refused(_("%(who)s has it already.") % {"who": task.holder})
        require_fit(_person(actor), task)
    else:
        access.require(actor, "hand over task" if to else "release task", task)
        if to is not None:
            require_fit(to, task)


def _is_so(
    what: str, case: Case, task: Task | None, *, person: Person, to: Person | None, asked: Any
) -> bool:
    """Whether a row is already as it would be afterwards."""
    if what == REMIND:
        return False
    wanted = person.pk if what == TAKE else to.pk if to else None
    if what == HAND_OVER and to is None and not asked.get("queue"):
        return False  # nobody was named yet
    if task is not None:
        return task.is_open and task.holder_id == wanted
    return case.is_open and case.owner_id == wanted


def _as_it_stands(what: str, case: Case, task: Task | None) -> str:
    if what == REMIND:
        return _("You are reminded of it on that day already.")
    who = task.holder if task is not None else case.owner
    return _("%(who)s has it already.") % {"who": who} if who else _("Nobody has it now.")


def _same_reminder(asked: dict[str, Any]) -> dict[str, Any]:
    if not asked.get("day"):
        return {"pk": None}
    return {"due_at__date": asked["day"], "text": asked.get("text", "")}


def _news(rows: Sequence[BulkRow], *, cases: dict[int, Case], person: Person) -> dict[int, str]:
    """Rows whose case somebody else changed since the list was shown, with who and when."""
    stale = [
        row
        for row in rows
        if row.case_id in cases and cases[row.case_id].head_number > row.seen_number
    ]
    if not stale:
        return {}
    lowest = min(row.seen_number for row in stale)
    wanted = Q(case_id__in=[row.case_id for row in stale], number__gt=lowest)
    last: dict[int, Event] = {}
    for event in _by_others(person).filter(wanted).order_by("case_id", "number"):
        last[event.case_id] = event
    people = Person.objects.in_bulk({_number(event.actor) for event in last.values()})
    return {
        row.pk: _changed(event, people.get(_number(event.actor)))
        for row in stale
        if (event := last.get(row.case_id or 0)) is not None and event.number > row.seen_number
    }


def _by_others(person: Person) -> Any:
    return Event.objects.filter(actor__startswith="person:").exclude(actor=f"person:{person.pk}")


def _number(actor: str) -> int:
    rest = actor.partition(":")[2]
    return int(rest) if rest.isdecimal() else 0


def _changed(event: Event, who: Person | None) -> str:
    told = {"who": who or _("Somebody"), "at": dates.moment(event.happened_at)}
    return _("%(who)s changed it on %(at)s, after you saw the list.") % told


def _not_seen() -> str:
    return _("It is not among the cases that you may see.")


# -- carrying it out


def begin(*, act: BulkAct, asked: dict[str, Any], actor: Actor) -> BulkAct:
    """Let an act begin: `asked` says to whom (or the queue), why, on which day. Once begun it
    stays so, whatever is asked again. Raises Invalid."""
    require_asked(act.what, asked)
    with transaction.atomic():
        held = BulkAct.objects.select_for_update().get(pk=act.pk, person=_person(actor))
        if held.begun_at is None:
            held.asked, held.begun_at = asked, clock.now()
            held.save(update_fields=["asked", "begun_at"])
    return held


def require_asked(what: str, asked: dict[str, Any]) -> None:
    """Raise Invalid for an act that does not know enough to begin."""
    if what == REMIND:
        require_day(asked["day"])
    elif what == SPREAD:
        if not asked.get("plan"):
            raise Invalid(_("Say who gets what."))
        _require_reason(asked)
    elif what == HAND_OVER:
        if not asked.get("queue") and _to(asked) is None:
            raise Invalid(_("Say who gets it."), {"to": _("Choose a person or the queue.")})
        _require_reason(asked)


def _require_reason(asked: dict[str, Any]) -> None:
    if not str(asked.get("reason", "")).strip():
        raise Invalid(
            _("Say why it is handed over; the next one reads it."), {"reason": _("Needed.")}
        )


def do_row(*, act: BulkAct, row: BulkRow) -> None:
    """Carry out one row, unless that was done before: the act and its result in one commit."""
    actor = Actor.of(act.person)
    try:
        with transaction.atomic():
            result, sentence = _do(act, row, actor)
            if not _keep(row, result, sentence):
                raise _DoneBefore
    except _DoneBefore:
        return
    except Refused as refusal:
        refuse_row(row=row, why=str(refusal))


def refuse_row(*, row: BulkRow, why: str) -> None:
    """Say why a row was not done; unless it was done meanwhile."""
    _keep(row, "refused", why)


class _DoneBefore(Exception):
    """Another run has carried out this row meanwhile."""


def _keep(row: BulkRow, result: str, sentence: str) -> bool:
    return bool(
        BulkRow.objects.filter(pk=row.pk, result="").update(result=result, sentence=sentence)
    )


def _do(act: BulkAct, row: BulkRow, actor: Actor) -> tuple[str, str]:
    person = _person(actor)
    case = access.visible_cases(person).filter(pk=row.case_id).first() if row.case_id else None
    if case is None:
        raise NoSuchCase(_not_seen())
    _ACTS[act.what](act, row, actor)
    # Now the case is locked, or the act found nothing to change.
    others = _by_others(person).filter(case_id=case.pk, number__gt=row.seen_number)
    news = others.order_by("-number").first()
    if news is not None:
        raise CaseChanged(_changed(news, Person.objects.filter(pk=_number(news.actor)).first()))
    mine = Event.objects.filter(
        case_id=case.pk, number__gt=row.seen_number, actor=actor.code
    ).order_by("-number")
    is_new = any(event.data.get("batch") == act.pk for event in mine[:3])
    return _afterwards(act, row, is_new=is_new)


def _hand_over(act: BulkAct, row: BulkRow, actor: Actor) -> None:
    to, reason = _targets([row], act.asked)[row.pk], str(act.asked.get("reason", ""))
    if row.task is None:
        assert row.case_id is not None
        assign_case(case_id=row.case_id, owner=to, actor=actor, reason=reason, batch=act.pk)
    elif to is None:
        release_task(task_id=row.task.pk, actor=actor, reason=reason, batch=act.pk)
    elif not Task.objects.filter(pk=row.task.pk, state="open", holder=to).exists():
        hand_over_task(task_id=row.task.pk, to=to, actor=actor, reason=reason, batch=act.pk)


def _remind(act: BulkAct, row: BulkRow, actor: Actor) -> None:
    assert row.case_id is not None
    day: date = act.asked["day"]
    text = str(act.asked.get("text", ""))
    set_reminder(case_id=row.case_id, day=day, text=text, actor=actor, batch=act.pk)


def _take(act: BulkAct, row: BulkRow, actor: Actor) -> None:
    if row.task is not None:
        claim_task(task_id=row.task.pk, actor=actor, batch=act.pk)
    elif row.case_id is not None:
        take_case(case_id=row.case_id, actor=actor, batch=act.pk)


_ACTS: dict[str, Callable[[BulkAct, BulkRow, Actor], None]] = {
    HAND_OVER: _hand_over,
    SPREAD: _hand_over,
    REMIND: _remind,
    TAKE: _take,
}


def _afterwards(act: BulkAct, row: BulkRow, *, is_new: bool) -> tuple[str, str]:
    """What the row says of itself after the act: read from the state, not from what was wished."""
    result = "done" if is_new else "already"
    if act.what == REMIND:
        kept = Reminder.objects.get(case_id=row.case_id, person_id=act.person_id)
        return result, _("You are reminded on %(day)s.") % {"day": dates.day(kept.due_at)}
    who = (
        Task.objects.select_related("holder").get(pk=row.task_id).holder
        if row.task_id
        else Case.objects.select_related("owner").get(pk=row.case_id).owner
    )
    return result, _("%(who)s has it now.") % {"who": who} if who else _("Nobody has it now.")


def plan_key(*, case_id: int | None = None, task_id: int | None = None) -> str:
    """Under which a plan, by which each row goes to somebody of its own, names a case or a task."""
    return f"task:{task_id}" if task_id else f"case:{case_id}"


def _targets(rows: Sequence[BulkRow], asked: dict[str, Any]) -> dict[int, Person | None]:
    """Who gets each row: the one that all of them go to, or each as planned; None: the queue."""
    if "plan" not in asked:
        to = _to(asked)
        return dict.fromkeys((row.pk for row in rows), to)
    plan = {
        row.pk: asked["plan"].get(
            plan_key(case_id=None if row.task_id else row.case_id, task_id=row.task_id)
        )
        for row in rows
    }
    people = Person.objects.in_bulk({one for one in plan.values() if one})
    return {pk: people.get(one) if one else None for pk, one in plan.items()}


def _to(asked: dict[str, Any]) -> Person | None:
    number = asked.get("to")
    return Person.objects.filter(pk=number).first() if number else None


def _person(actor: Actor) -> Person:
    if actor.person is None:
        raise Invalid(_("Only a person acts on many rows at once."))
    return actor.person


def forget_old() -> int:
    """Drop what was chosen and never begun, and results that are old. Run by the timer service."""
    now = clock.now()
    old = Q(begun_at=None, chosen_at__lt=now - NOT_BEGUN_KEPT) | Q(ended_at__lt=now - ENDED_KEPT)
    dropped, _by_model = BulkAct.objects.filter(old).delete()
    return dropped
