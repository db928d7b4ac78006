"""Step code may not reach for the world; Python's own tidying up is no reach."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from datetime import time as wall
from zoneinfo import ZoneInfo

import pytest

from processes.engine import guard
from processes.engine.errors import NotDeterministic
from timers import calendars


@contextmanager
def guarded() -> Iterator[None]:
    """What the runner does around step code."""
    before = sys.getprofile()
    sys.setprofile(guard._watch)
    try:
        yield
    except guard.Reached as reached:
        raise NotDeterministic(str(reached)) from reached
    finally:
        sys.setprofile(before)


class Leaving:
    """Looks at the clock when it is collected, as open files and connections do."""

    def __del__(self) -> None:
        time.time()


def test_what_is_collected_meanwhile_is_no_call_of_the_step() -> None:
    leaving = [Leaving()]
    with pytest.raises(NotDeterministic, match="time.time"), guarded():
        leaving.clear()  # collected here: its look at the clock is nobody's
        time.time()  # still watched


class Measuring:
    """Told of each collection, it looks at the clock, as tools do that watch over a process."""

    calls = 0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        time.perf_counter()
        self.calls += 1


def test_whoever_is_told_of_collections_is_no_call_of_the_step() -> None:
    measuring = Measuring()
    gc.callbacks.append(measuring)
    try:
        with pytest.raises(NotDeterministic, match="time.time"), guarded():
            gc.collect()
            time.time()  # still watched
    finally:
        gc.callbacks.remove(measuring)
    assert measuring.calls == 2  # neither was broken off


def test_a_call_through_a_helper_is_refused_with_its_line() -> None:
    def helper() -> float:
        return time.time()

    with pytest.raises(NotDeterministic, match=r"test_guard.py, line \d+: .*Use now\(\)"):
        with guarded():
            helper()


def test_the_first_look_at_a_zone_or_a_holiday_is_no_reaching_for_the_world() -> None:
    """A fresh process may meet both in step code first, where reading a file is refused."""
    ZoneInfo.clear_cache()
    calendars._from_settings.cache_clear()
    for name in [one for one in sys.modules if one.startswith("holidays.countries.netherlands")]:
        del sys.modules[name]
    with guarded():
        calendar = calendars.default()
        begins = calendar.at(date(2027, 3, 28), wall(0))
        free = calendar.is_working(date(2027, 4, 27))
    with pytest.raises(NotDeterministic), guarded():
        time.time()
    assert begins == datetime(2027, 3, 27, 23, tzinfo=UTC) and not free
