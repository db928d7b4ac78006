"""What a run of recorded cases shows, told from the history that the engine wrote.

For each case: did it run through, did it end as recorded, does each row that somebody caused stand
in its history in the recorded order, at the recorded moment, by the recorded actor, and did the
engine bring about each row that a timer caused, near enough in time?
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from audit.read import events_of
from audit.record import Recorded
from cases.models import Case, Message
from processes.models import Incident
from processes.playlog.driver import AFTER_END, REFUSED, Driver
from processes.playlog.recorded import RecordedCase, Row

REASONS_SHOWN = 4  # of one case


@dataclass(slots=True)
class Timers:
    """The rows of one sort that a timer caused."""

    tolerance: str
    gaps: list[timedelta] = field(default_factory=list)  # ours minus recorded
    near: int = 0
    missing: int = 0
    beyond: int = 0  # of ours, in cases whose log has no such row

    @property
    def all(self) -> int:
        return len(self.gaps) + self.missing


@dataclass(slots=True)
class Report:
    """The figures of one run over one log."""

    title: str
    cases: int
    opened: int = 0
    as_recorded: int = 0
    ran_through: int = 0  # opened, with no row refused and no incident open
    rows: Counter[str] = field(default_factory=Counter)  # acted, no effect, after the end, refused
    in_order: int = 0  # cases
    timers: dict[str, Timers] = field(default_factory=dict)  # recorded activity → its rows
    misfits: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        return self.as_recorded / self.cases if self.cases else 0.0

    def lines(self) -> Iterator[str]:
        """The report, as text."""
        yield f"{self.cases} {self.title}, {self.opened} opened"
        yield f"{self.ran_through} ran through, {self.as_recorded} ended as recorded " + (
            f"({self.share:.1%})"
        )
        yield (
            f"{self.in_order} have each act in the recorded order, at its moment, by its actor "
            f"({self.rows['acted']} acts; {self.rows['no effect']} rows without effect, "
            f"{self.rows[AFTER_END]} after the end of their case, {self.rows['refused']} refused)"
        )
        for activity, timers in self.timers.items():
            yield self._timer_line(activity, timers)
        yield f"{len(self.misfits)} misfits" + (":" if self.misfits else "")
        yield from (f"  {line}" for line in self.misfits)

    def _timer_line(self, activity: str, timers: Timers) -> str:
        off = sorted(abs(gap) for gap in timers.gaps)
        spread = ""
        if off:
            spread = f"; half within {_hours(off[len(off) // 2])}, the farthest {_hours(off[-1])}"
        return (
            f"{activity}: the engine brought about {len(off)} of {timers.all} by itself, "
            f"{timers.near} {timers.tolerance}{spread}; {timers.beyond} more where the log has none"
        )


class Looked(NamedTuple):
    """What was found of one case."""

    is_in_order: bool
    is_refused: bool
    reasons: list[str]


def report_on(driver: Driver, rows: list[Row]) -> list[Report]:
    """Compare each case with what was recorded: one report for the cases, one for parents."""
    found = [_report(driver, driver.cases, "recorded cases", [r for r in rows if not r.is_parents])]
    if driver.parents:
        theirs = [row for row in rows if row.is_parents]
        found.append(_report(driver, driver.parents, "recorded parents", theirs))
    return found


def _report(
    driver: Driver, recorded_cases: dict[str, RecordedCase], title: str, rows: list[Row]
) -> Report:
    source = driver.source_of(rows[0]) if rows else driver.source
    ours = {case.source_key: case for case in Case.objects.filter(source=source)}
    notes = dict(Message.objects.filter(source=source, state="used").values_list("key", "why"))
    stopped = dict(
        Incident.objects.filter(closed_at=None, case__source=source).values_list(
            "case__source_key", "title"
        )
    )
    rows_of: dict[str, list[Row]] = {}
    for row in rows:
        rows_of.setdefault(row.case_id, []).append(row)
    report = Report(title=title, cases=len(recorded_cases))
    for case_id, recorded in recorded_cases.items():
        case = ours.get(case_id)
        outcome, where = "not opened", ""
        looked = Looked(False, False, [])
        if case is not None:
            report.opened += 1
            outcome, where = driver.outcome_of(case), f" at {case.step}"
            looked = _look(driver, report, case, rows_of.get(case_id, []), notes)
        reasons = list(looked.reasons)
        if case_id in stopped:
            reasons.append(f"stopped: {stopped[case_id]}")
        ended = driver.recorded_outcome(recorded)
        report.as_recorded += outcome == ended
        report.in_order += looked.is_in_order
        report.ran_through += case is not None and not looked.is_refused and case_id not in stopped
        if outcome != ended and case is not None and (why := driver.why(case)):
            reasons.append(why)
        if outcome != ended or reasons:
            more = len(reasons) - REASONS_SHOWN
            report.misfits.append(
                f"{case_id}: recorded {ended or '-'}, ours {outcome}{where}"
                + "".join(f"; {reason}" for reason in reasons[:REASONS_SHOWN])
                + (f"; {more} more" if more > 0 else "")
            )
    return report


def _look(
    driver: Driver, report: Report, case: Case, rows: list[Row], notes: dict[str, str]
) -> Looked:
    """Hold one case's history against its recorded rows."""
    history = events_of(case.pk)
    reasons: list[str] = []
    last = 0
    is_in_order, is_refused = True, False
    for row in rows:
        if driver.is_timer(row) or row.key not in notes:
            continue
        note = notes[row.key]
        if note.startswith(REFUSED):
            report.rows["refused"] += 1
            is_refused = True
            reasons.append(f"row {row.seq}, {row.activity}: {note.removeprefix(REFUSED)}")
        elif note in ("", AFTER_END):
            report.rows[note or "no effect"] += 1
        else:
            report.rows["acted"] += 1
            first, _, upto = note.partition("-")
            came = history[int(first) - 1 : int(upto)]
            why = "it stands before an earlier row" if int(first) <= last else ""
            last = int(upto)
            if why := why or _differs(driver, row, came):
                is_in_order = False
                reasons.append(f"row {row.seq}, {row.activity}: {why}")
    reasons += _timers(driver, report, rows, history)
    return Looked(is_in_order, is_refused, reasons)


def _differs(driver: Driver, row: Row, came: list[Recorded]) -> str:
    """Why the events that a row brought about are not what was recorded; "" if they are."""
    off = next((event for event in came if event.recorded_at != row.at), None)
    if off is not None:
        return f"recorded at {row.at:%d %b %Y %H:%M}, ours at {off.recorded_at:%d %b %Y %H:%M}"
    actor = driver.actor_code(row)
    if actor and not any(event.actor == actor for event in came):
        return f"recorded by {actor}, ours by {came[0].actor}"
    answer = driver.answer(row)
    if answer is not None and not any(answer.fits(event) for event in came):
        return f"it brought about no {answer.type}, but {', '.join(e.type for e in came)}"
    return ""


def _timers(driver: Driver, report: Report, rows: list[Row], history: list[Recorded]) -> list[str]:
    """Match each row that a timer caused with the event that answers it, the first with the
    first: each answers one row only."""
    reasons = []
    used: set[int] = set()
    for row in rows:
        answer = driver.answer(row) if driver.is_timer(row) else None
        if answer is None:
            continue
        timers = report.timers.setdefault(row.activity, Timers(answer.tolerance()))
        ours = next((e for e in history if e.number not in used and answer.fits(e)), None)
        if ours is None:
            timers.missing += 1
            reasons.append(f"row {row.seq}, {row.activity}: the engine did not bring it about")
            continue
        used.add(ours.number)
        timers.gaps.append(ours.recorded_at - row.at)
        if answer.is_near(row.at, ours.recorded_at):
            timers.near += 1
        else:
            reasons.append(
                f"row {row.seq}, {row.activity}: recorded {row.at:%d %b %Y %H:%M}, "
                f"ours {ours.recorded_at:%d %b %Y %H:%M}"
            )
    for activity, answer in driver.timer_answers().items():
        timers = report.timers.setdefault(activity, Timers(answer.tolerance()))
        timers.beyond += sum(answer.fits(e) for e in history if e.number not in used)
    return reasons


def _hours(gap: timedelta) -> str:
    return f"{gap.total_seconds() / 3600:.1f} h"
