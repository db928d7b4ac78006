"""What a run of recorded cases shows: how many ended as recorded, and how far timers lie off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta

from cases.models import Case
from processes.models import Incident
from processes.playlog.driver import Driver
from processes.playlog.recorded import Row

WITHIN = timedelta(days=1)


@dataclass(slots=True)
class Report:
    """The figures of one run."""

    cases: int
    opened: int = 0
    as_recorded: int = 0
    timers: list[timedelta] = field(default_factory=list)  # ours minus recorded
    misfits: list[str] = field(default_factory=list)
    missing_timers: int = 0

    @property
    def share(self) -> float:
        return self.as_recorded / self.cases if self.cases else 0.0

    def lines(self) -> Iterator[str]:
        """The report, as text."""
        yield f"{self.cases} recorded cases, {self.opened} opened"
        yield f"{self.as_recorded} ended as recorded ({self.share:.1%})"
        off = sorted(abs(gap) for gap in self.timers)
        if off:
            inside = sum(gap <= WITHIN for gap in off)
            yield (
                f"{len(off)} expiries came from the engine; {inside} within a day of the recorded "
                f"one, {self.missing_timers} did not come; half within "
                f"{_hours(off[len(off) // 2])}, "
                f"the farthest {_hours(off[-1])}"
            )
        yield f"{len(self.misfits)} misfits" + (":" if self.misfits else "")
        yield from (f"  {line}" for line in self.misfits)


def report_on(driver: Driver, rows: list[Row]) -> Report:
    """Compare each case with what was recorded."""
    ours = {
        case.source_key: case
        for case in Case.objects.filter(
            source=driver.source, source_key__in=list(driver.recorded_cases)
        )
    }
    expiries = {row.case_id: row.at for row in rows if driver.is_timer(row)}
    report = Report(cases=len(driver.recorded_cases), opened=len(ours))
    refused: dict[str, Counter[str]] = {}
    for misfit in driver.misfits:
        refused.setdefault(misfit.case_id, Counter())[
            f"row {misfit.seq}, {misfit.activity}: {misfit.why}"
        ] += 1
    stopped = dict(
        Incident.objects.filter(closed_at=None, case__source=driver.source).values_list(
            "case__source_key", "title"
        )
    )
    for case_id, recorded in driver.recorded_cases.items():
        case = ours.get(case_id)
        outcome = "not opened" if case is None else driver.outcomes.get(case.step, "open")
        if case is not None and case_id in expiries:
            if case.closed_at is None:
                report.missing_timers += 1
            else:
                report.timers.append(case.closed_at - expiries[case_id])
        if outcome == recorded.outcome:
            report.as_recorded += 1
        why = list(refused.get(case_id, ()))
        if case_id in stopped:
            why.append(f"stopped: {stopped[case_id]}")
        if outcome != recorded.outcome or why:
            step = "" if case is None else f" at {case.step}"
            report.misfits.append(
                f"{case_id}: recorded {recorded.outcome}, ours {outcome}{step}"
                + ("; " + "; ".join(why[:3]) if why else "")
            )
    return report


def _hours(gap: timedelta) -> str:
    return f"{gap.total_seconds() / 3600:.1f} h"
