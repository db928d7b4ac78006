"""Why a case is late or at risk: which date has passed, or will, and by which clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from cases import dates
from cases.models import Case
from cases.words import party


@dataclass(frozen=True, slots=True)
class Risk:
    """One date of a case in a sentence. `level` is late, near or empty."""

    at: datetime
    level: str
    sentence: str


def risks_of(
    case: Case, clocks: Iterable[Any], *, titles: Mapping[tuple[str, str], str], now: datetime
) -> list[Risk]:
    """What of a case has passed or lies ahead, the worst first; `clocks` are ours alone."""
    found = [_of_clock(one, titles.get((case.kind, one.name), one.name), now) for one in clocks]
    if case.waiting_until is not None:
        found.append(_of_step(case, case.waiting_until, now))
    return sorted((one for one in found if one), key=lambda one: (one.level != "late", one.at))


def _of_clock(clock: Any, title: str, now: datetime) -> Risk | None:
    if clock.limit_at is None or clock.state == "stopped":
        return None
    told = {"clock": title, "day": dates.day(clock.limit_at, now)}
    if clock.state == "paused":
        return Risk(clock.limit_at, "", _("%(clock)s stands still.") % told)
    if clock.is_late or clock.limit_at < now:
        return Risk(clock.limit_at, "late", _("%(clock)s ran out on %(day)s.") % told)
    level = dates.due(clock.limit_at, now).level
    return Risk(clock.limit_at, level, _("%(clock)s runs out on %(day)s.") % told)


def _of_step(case: Case, until: datetime, now: datetime) -> Risk:
    told = {"day": dates.day(until, now), "who": party(case.waiting_on)}
    level = dates.due(until, now).level
    if level == "late":
        sentence = _("The deadline of its step passed on %(day)s; it waits for %(who)s.")
    else:
        sentence = _("The deadline of its step is %(day)s; it waits for %(who)s.")
    return Risk(until, level, sentence % told)
