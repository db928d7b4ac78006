"""For how long a paper counts: said when it is accepted, and asked again once it is over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from timers import calendars
from timers.spans import Days, Months


@dataclass(frozen=True, slots=True)
class Validity:
    """A paper counts for this long from the date on it. In these steps, or in all where none are
    named, one that no longer counts is asked for again."""

    span: Months | Days
    steps: Sequence[Any] = ()  # of the kind's Step

    def is_needed_in(self, step: str) -> bool:
        return not self.steps or step in [str(one) for one in self.steps]


def today(now: datetime) -> date:
    """The day at the organisation."""
    return calendars.default().local(now).date()


def last_day(rule: Validity, dated: date) -> date:
    """The last day on which a paper of this date counts: three months from 31 January is until
    30 April."""
    calendar = calendars.default()
    noon = datetime.combine(dated, time(12), tzinfo=calendar.zone)
    return calendar.local(rule.span.after(noon, calendar)).date()
