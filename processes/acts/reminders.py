"""Reminders: a person wants to be told of a case on a day."""

from __future__ import annotations

from datetime import date

from cases import access, dates
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed
from cases.models import Person, Reminder
from processes.acts.locking import acting_on
from processes.engine import reminders
from processes.engine.run import Run
from processes.engine.turn import Turn
from timers import calendars, clock

TEXT_CHARACTERS = 200
FARTHEST_DAYS = 3 * 366


def require_day(day: date) -> None:
    """A reminder comes on a day ahead, within three years. Raises Invalid."""
    ahead = (day - dates.local_date(clock.now())).days
    if not 0 < ahead <= FARTHEST_DAYS:
        raise Invalid(
            "A reminder comes tomorrow or later, at most three years ahead.",
            {"day": "Choose a day from tomorrow on, within three years."},
        )


def set_reminder(
    *, case_id: int, day: date, actor: Actor, text: str = "", batch: int | None = None
) -> Reminder:
    """Have the actor told of a case on the morning of a day. It takes the place of an earlier one
    of theirs; the same again changes nothing. Raises Invalid, NotAllowed, CaseClosed."""
    require_day(day)
    text = text.strip()
    if len(text) > TEXT_CHARACTERS or "\0" in text:
        raise Invalid(
            f"What a reminder says has at most {TEXT_CHARACTERS} characters.", {"text": "Too long."}
        )
    person = _person(actor)
    with acting_on(case_id, actor=actor) as (turn, run):
        access.require(actor, "be reminded", run.case)
        name = calendars.choose("", kind=run.row["kind"], team_id=run.row["team_id"])
        calendar = calendars.named(name)
        due_at = calendar.at(day, calendar.opens)
        old = Reminder.objects.filter(case_id=case_id, person=person).first()
        if old is not None:
            if (old.due_at, old.text) == (due_at, text):
                return old
            _cancel(turn, run, old, actor=actor)
        data = {"person": person.pk, "due_at": due_at, "text": text}
        if batch is not None:
            data["batch"] = batch
        event = turn.record(run, "reminder.set", data, actor=actor.code, on_behalf=actor.on_behalf)
        run.writes.timers.append(reminders.timer_of(case_id, event.number, due_at))
        return Reminder.objects.create(
            case_id=case_id, person=person, number=event.number, due_at=due_at, text=text
        )


def cancel_reminder(*, case_id: int, actor: Actor) -> bool:
    """Take the actor's own reminder off a case; whether there was one. Safe to repeat."""
    person = _person(actor)
    with acting_on(case_id, actor=actor, closed=True) as (turn, run):
        old = Reminder.objects.filter(case_id=case_id, person=person).first()
        if old is not None:
            _cancel(turn, run, old, actor=actor)
    return old is not None


def _cancel(turn: Turn, run: Run, old: Reminder, *, actor: Actor) -> None:
    turn.record(
        run,
        "reminder.cancelled",
        {"reminder": old.number, "person": old.person_id},
        actor=actor.code,
        on_behalf=actor.on_behalf,
    )
    run.writes.dropped_timers.append(reminders.key_of(run.case_id, old.number))
    old.delete()


def _person(actor: Actor) -> Person:
    if actor.person is None:
        raise NotAllowed("Only a person can be reminded of a case.")
    return actor.person
