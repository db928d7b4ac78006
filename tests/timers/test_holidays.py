"""The holidays that calendars know, held against the laws of twelve countries over twenty years."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from tests.timers.holiday_laws import FIRST, LAST, LAWS, easter, free_days
from timers.calendars import Calendar

YEARS = range(FIRST, LAST + 1)


def test_the_tables_cover_what_they_promise() -> None:
    assert len(LAWS) >= 10 and len(YEARS) == 20


@pytest.mark.parametrize(
    ("year", "day"),
    [
        (2000, (4, 23)),
        (2008, (3, 23)),
        (2019, (4, 21)),
        (2024, (3, 31)),
        (2025, (4, 20)),
        (2026, (4, 5)),
        (2027, (3, 28)),
        (2038, (4, 25)),
    ],
)
def test_easter_falls_where_the_almanacs_have_it(year: int, day: tuple[int, int]) -> None:
    assert easter(year) == date(year, *day)


@pytest.mark.parametrize("country", sorted(LAWS))
def test_working_days_are_those_that_the_law_leaves(country: str) -> None:
    """Each single day of twenty years."""
    calendar = Calendar(country)
    wrong = []
    for year in YEARS:
        free = free_days(country, year)
        day = date(year, 1, 1)
        while day.year == year:
            works = day.weekday() < 5 and day not in free
            if calendar.is_working(day) != works:
                wrong.append((day, "works" if works else "is free"))
            day += timedelta(days=1)
    assert not wrong, wrong


@pytest.mark.parametrize("country", sorted(LAWS))
def test_each_holiday_has_a_name_to_explain_a_date_with(country: str) -> None:
    calendar = Calendar(country)
    for year in YEARS:
        assert all(calendar.name_of_free_day(day) for day in free_days(country, year))


def test_a_local_day_has_the_last_word() -> None:
    calendar = Calendar(
        "NL", free_days={date(2027, 5, 5): "Liberation Day"}, working_days=[date(2027, 3, 29)]
    )
    assert not calendar.is_working(date(2027, 5, 5))
    assert calendar.name_of_free_day(date(2027, 5, 5)) == "Liberation Day"
    assert calendar.is_working(date(2027, 3, 29))  # Easter Monday
