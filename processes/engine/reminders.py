"""Reminders that people set on cases: a row and a timer each, from its event until it is over."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from audit.record import Recorded
from cases.models import Notice, Reminder
from timers.due import TimerKey, TimerRow

if TYPE_CHECKING:
    from processes.engine.run import Run
    from processes.engine.turn import Turn

PURPOSE = "reminder"
ENGINE = "engine"
Key = tuple[int, int, str, datetime]  # visit, command, purpose, due: as timers are compared


def key_of(case_id: int, number: int) -> TimerKey:
    """The timer of a reminder: of no step visit, by the number of the event that set it."""
    return TimerKey(case_id, 0, number, PURPOSE)


def timer_of(case_id: int, number: int, due_at: datetime) -> TimerRow:
    return TimerRow(*key_of(case_id, number), due_at)


def come(turn: Turn, run: Run, number: int) -> None:
    """A reminder is due: its person finds it among what they should know."""
    reminder = Reminder.objects.filter(case_id=run.case_id, number=number).first()
    if reminder is None:
        return
    data = {"reminder": number, "person": reminder.person_id}
    turn.record(run, "reminder.came", data, actor=ENGINE)
    said = reminder.text or _("You wanted to be reminded of this case today.")
    Notice.objects.create(
        case_id=run.case_id,
        person_id=reminder.person_id,
        kind="reminder",
        text=said,
        written_at=turn.now,
    )
    reminder.delete()


def drop_of_closed(script: Any, case_ids: Iterable[int]) -> None:
    """Nobody is reminded of a case that is closed."""
    ids = ",".join(f"{case_id:d}" for case_id in case_ids)
    if ids:
        script.execute(f"DELETE FROM cases_reminder WHERE case_id IN ({ids})")
        script.execute(
            f"DELETE FROM timers_timer WHERE case_id IN ({ids}) AND purpose = '{PURPOSE}'"
        )


def expected(events: Iterable[Recorded]) -> dict[int, tuple[int, datetime]]:
    """The reminders that a history leaves open: by number, whose and when."""
    found: dict[int, tuple[int, datetime]] = {}
    for event in events:
        if event.type == "reminder.set":
            found[event.number] = (event.data["person"], event.data["due_at"])
        elif event.type in ("reminder.came", "reminder.cancelled"):
            found.pop(event.data["reminder"], None)
        elif event.type == "step.entered" and event.data.get("closed"):
            found.clear()
    return found


def timers_of(reminders: dict[int, tuple[int, datetime]]) -> list[Key]:
    return [(0, number, PURPOSE, due_at) for number, (_who, due_at) in reminders.items()]
