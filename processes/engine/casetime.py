"""The business clocks of a case in a turn: what code asks of them, what comes to pass, their rows.

A clock's state is the fold of its events (timers.clocks). At the flush its row and its timers are
written anew from that state, so the page, the timers and the history cannot tell different dates.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from processes.engine import notices, restarting
from processes.engine.commands import MoveClock, SetTimer
from processes.engine.errors import StepBroken
from processes.engine.run import Run
from timers import calendars, clockrows, clocks, clockwork, reckoning
from timers.calendars import Calendar
from timers.clocks import RESUME, ClockRefused, ClockState, Terms, due_times
from timers.due import TimerKey, TimerRow
from timers.spans import Span, WorkingDays, WorkingHours

if TYPE_CHECKING:
    from processes.engine.turn import Turn

ENGINE = "engine"


def load(run: Run) -> None:
    """The clocks of a case as its checkpoint has them."""
    assert run.entered is not None
    run.clocks = clocks.decode_all(run.entered.data["clocks"])
    clocks.track(run.clocks, "step.entered", run.entered.data, run.entered.recorded_at)


def clock_of(run: Run, name: str) -> ClockState:
    """Raises StepBroken for a clock that was not started."""
    if name not in run.clocks:
        raise StepBroken(
            f"The clock “{name}” was not started in {run.reference}; start_clock({name!r}) comes "
            "first."
        )
    return run.clocks[name]


def terms_of(run: Run, name: str) -> Terms:
    """Raises StepBroken, naming the clocks that the kind has."""
    terms = run.kind.clocks.get(name)
    if terms is None:
        known = ", ".join(sorted(run.kind.clocks)) or "none"
        raise StepBroken(f"A {run.kind.title} has no clock “{name}”. It has: {known}.")
    return terms


def calendar_of(state: ClockState) -> Calendar:
    """The calendar on which a clock runs, as it is now."""
    return calendars.named(state.calendar)


# -- what is due in working days

ON_CALENDAR = (WorkingDays, WorkingHours)  # spans whose end depends on a calendar
COUNTED = "calendar:"  # begins the data of their timers, before the name of the calendar
HOLIDAYS_TOLD = 6


def due_after(run: Run, span: Span, now: datetime, data: dict[str, Any]) -> datetime:
    """When a span that begins now ends. What is counted on a calendar keeps in its event how it
    was counted, so that it can be explained, and counted again when the calendar changes."""
    if not isinstance(span, ON_CALENDAR):
        return span.after(now)
    name = calendars.choose("", kind=run.kind.name, team_id=run.row["team_id"])
    due_at, holidays = counted(span, now, calendars.named(name))
    data["span"], data["counted_from"] = span.encode(), now
    if name:
        data["calendar"] = name
    if holidays:
        data["holidays"] = holidays
    return due_at


def counted(
    span: Span, since: datetime, calendar: Calendar
) -> tuple[datetime, list[tuple[date, str]]]:
    """The end of a span on a calendar, and the named free days on the way to it."""
    due_at = span.after(since, calendar)
    first, last = calendar.local(since).date(), calendar.local(due_at).date()
    return due_at, reckoning.free_days_between(first, last, calendar, most=HOLIDAYS_TOLD)


def mark_timer(data: dict[str, Any]) -> str:
    """What its timer keeps of a date that was counted on a calendar."""
    return f"{COUNTED}{data.get('calendar', '')}" if "span" in data else ""


# -- what the step's code asks


def asked_by_code(command: MoveClock, turn: Turn, run: Run, now: datetime) -> dict[str, Any]:
    """What the event of a clock's word says. Raises StepBroken for what its terms do not allow."""
    try:
        return _asked(command, turn, run, now)
    except ClockRefused as refusal:
        raise StepBroken(str(refusal)) from refusal


def _asked(command: MoveClock, turn: Turn, run: Run, now: datetime) -> dict[str, Any]:
    name, asks = command.name, command.asks
    when = asks.get("at") or now
    if stands := _stands_since_restart(command.event, run, name):
        return {"unchanged": stands}
    if command.event == "clock.started":
        terms = terms_of(run, name)
        chosen = calendars.choose(terms.calendar, kind=run.kind.name, team_id=run.row["team_id"])
        return clockwork.started(
            terms,
            start=when,
            at=turn.now,
            calendar=calendars.named(chosen),
            name_of_calendar=chosen,
            limit=asks["limit"],
            before=run.clocks.get(name),
        )
    state = clock_of(run, name)
    stands = _stands_already(command.event, state)
    if stands:
        return {"unchanged": stands}
    calendar = calendar_of(state)
    match command.event:
        case "clock.paused":
            return clockwork.paused(
                state,
                run.kind.clocks.get(name),
                since=when,
                reason=asks["reason"],
                at_most=asks["at_most"],
                at=turn.now,
                calendar=calendar,
            )
        case "clock.resumed":
            return clockwork.resumed(state, until=when, at=turn.now, calendar=calendar)
        case "clock.extended":
            return clockwork.extended(
                state,
                run.kind.clocks.get(name),
                by=asks["by"],
                reason=asks["reason"],
                at=turn.now,
                calendar=calendar,
            )
    return clockwork.stopped(state, until=when, at=turn.now, calendar=calendar)


def _stands_since_restart(event: str, run: Run, name: str) -> str:
    """Why a restarted step changes nothing: clocks are the case's, and the visit before started or
    extended this one. Restarting a step gives nobody more time."""
    state = run.clocks.get(name)
    assert run.entered is not None
    if state is None or run.entered.data.get("transition") != restarting.RESTART:
        return ""
    if event == "clock.started" and not state.is_stopped:
        return "running"
    if event != "clock.extended":
        return ""
    asked = [e for e in run.events if e.type == event and e.data["name"] == name]
    again = sum("unchanged" in one.data for one in asked)
    before = len(state.extensions) - (len(asked) - again)  # those that this visit has not made
    return "extended" if again < before else ""


def _stands_already(event: str, state: ClockState) -> str:
    """Why the code's wish is no change: people may have been there before it."""
    if state.is_stopped and event != "clock.extended":
        return "stopped"
    if event == "clock.paused" and state.is_paused:
        return "paused"
    if event == "clock.resumed" and state.is_running:
        return "running"
    return ""


def end_if_passed(turn: Turn, run: Run, command: SetTimer) -> None:
    """A block that begins when its clock's time is up already ends at once."""
    state = run.clocks[command.clock]
    if not state.has_passed or run.runner is None:
        return
    data = {"command": command.number, "due_at": state.limit_at}
    run.runner.deliver(turn.record(run, "timer.fired", data, actor=ENGINE))


# -- what comes to pass


def fire(turn: Turn, run: Run, purpose: str) -> None:
    """A timer of a clock is due: warn, escalate, end a pause, end the blocks that it limits."""
    mark, name = clockrows.mark_of(purpose)
    state = run.clocks.get(name)
    if run.is_closed or state is None or mark not in due_times(state):
        return
    if mark == "pause" and state.after_pause == RESUME:
        data = clockwork.resumed(
            state,
            until=state.dates.pause_until or turn.now,
            at=turn.now,
            calendar=calendar_of(state),
        )
        turn.feed(run, "clock.resumed", {**data, "automatic": True}, actor=ENGINE)
        return
    type = PASSED.get(mark, "clock.warned")
    data = {"name": name, "mark": mark, "due_at": due_times(state)[mark]}
    if mark != "limit" and mark != "pause":
        data["limit_at"] = state.limit_at
    turn.feed(run, type, data, actor=ENGINE)
    _tell(turn, run, name, mark, state)
    if mark == "limit":
        _end_blocks(turn, run, name, state.limit_at)


PASSED = {
    "limit": "clock.limit_passed",
    "target": "clock.target_passed",
    "pause": "clock.pause_passed",
}


def _end_blocks(turn: Turn, run: Run, name: str, limit_at: datetime | None) -> None:
    """The deadlines and sleeps that this clock limits are over, one after the other."""
    visit = run.visit
    limited = [
        number
        for number, asked in sorted(run.open.items())
        if asked.type == "timer.set" and asked.data.get("until_clock") == name
    ]
    for number in limited:
        if run.visit == visit and number in run.open:
            turn.feed(run, "timer.fired", {"command": number, "due_at": limit_at}, actor=ENGINE)


def _tell(turn: Turn, run: Run, name: str, mark: str, state: ClockState) -> None:
    """The owner and the supervisors learn of it; of a warning only while there is time."""
    if mark.startswith("warn") and state.limit_at is not None and state.limit_at <= turn.now:
        return
    terms = run.kind.clocks.get(name)
    title = str(terms.title) if terms else name
    reference, case_id, owner_id, now = run.reference, run.case_id, run.row["owner_id"], turn.now
    zone = calendar_of(state)
    run.writes.later.append(
        lambda: notices.tell_clock(
            case_id=case_id,
            owner_id=owner_id,
            name=name,
            text=notices.about_clock(mark, title, reference, state, zone, now),
            now=now,
        )
    )


# -- rows


def moved(run: Run) -> list[clockrows.ClockRow]:
    """The rows of the clocks that this turn changed; their timers are added to its writes."""
    changed = [state for name, state in run.clocks.items() if run.stored_clocks.get(name) != state]
    for state in changed:
        before = run.stored_clocks.get(state.name)
        was = due_times(before) if before else {}
        due = due_times(state)
        for mark, at in was.items():
            if due.get(mark) != at:
                key = TimerKey(run.case_id, 0, 0, clockrows.purpose(mark, state.name))
                run.writes.dropped_timers.append(key)
        run.writes.timers += [
            TimerRow(run.case_id, 0, 0, clockrows.purpose(mark, state.name), at)
            for mark, at in due.items()
            if was.get(mark) != at
        ]
    return [clockrows.row_of(run.case_id, state) for state in changed]
