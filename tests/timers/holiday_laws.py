"""Public holidays of countries as their laws have them, written down as facts.

Independent of the library that the product uses: fixed days, days counted from Easter Sunday
(found by the rule of the Gregorian calendar), weekdays of a month, and what a law changed when.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

FIRST, LAST = 2015, 2034  # twenty years

EASTER = {
    "good friday": -2,
    "easter sunday": 0,
    "easter monday": 1,
    "prayer day": 26,
    "ascension": 39,
    "whit sunday": 49,
    "whit monday": 50,
    "corpus christi": 60,
}


def easter(year: int) -> date:
    """Easter Sunday: the Sunday after the ecclesiastical full moon on or after 21 March."""
    golden = year % 19 + 1
    century = year // 100 + 1
    skipped = 3 * century // 4 - 12
    correction = (8 * century + 5) // 25 - 5
    sunday = 5 * year // 4 - skipped - 10
    epact = (11 * golden + 20 + correction - skipped) % 30
    if epact == 24 or (epact == 25 and golden > 11):
        epact += 1
    moon = 44 - epact
    if moon < 21:
        moon += 30
    moon += 7 - (sunday + moon) % 7
    return date(year, 3, 1) + timedelta(days=moon - 1)


def nth(year: int, month: int, weekday: int, count: int) -> date:
    """The count-th such weekday of a month; of a negative count the last."""
    days = [date(year, month, 1) + timedelta(days=n) for n in range(31)]
    found = [day for day in days if day.month == month and day.weekday() == weekday]
    return found[count - 1] if count > 0 else found[-1]


Rule = Callable[[int], date | None]


def on(month: int, day: int, *, since: int = 0, until: int = 9999) -> Rule:
    return lambda year: date(year, month, day) if since <= year <= until else None


def at_easter(name: str, *, since: int = 0, until: int = 9999) -> Rule:
    return lambda year: (
        easter(year) + timedelta(days=EASTER[name]) if since <= year <= until else None
    )


def kings_day(year: int) -> date:
    """27 April, a day earlier when that is a Sunday."""
    day = date(year, 4, 27)
    return day - timedelta(days=1) if day.weekday() == 6 else day


def saturday_between(month: int, day: int) -> Rule:
    """The Saturday of the seven days that begin here."""
    return lambda year: next(
        one
        for one in (date(year, month, day) + timedelta(days=n) for n in range(7))
        if one.weekday() == 5
    )


def midsummer(year: int) -> date:
    """The Saturday from 20 to 26 June."""
    return nth(year, 6, 5, 4) if nth(year, 6, 5, 3).day < 20 else nth(year, 6, 5, 3)


LAWS: dict[str, list[Rule]] = {
    "NL": [
        on(1, 1),
        at_easter("good friday"),  # the law on terms puts it on a level with the others
        at_easter("easter sunday"),
        at_easter("easter monday"),
        kings_day,
        # A national holiday each year; a free one only each fifth, by most agreements.
        lambda year: date(year, 5, 5) if year % 5 == 0 else None,
        at_easter("ascension"),
        at_easter("whit sunday"),
        at_easter("whit monday"),
        on(12, 25),
        on(12, 26),
    ],
    "BE": [
        on(1, 1),
        at_easter("easter sunday"),
        at_easter("easter monday"),
        on(5, 1),
        at_easter("ascension"),
        at_easter("whit sunday"),
        at_easter("whit monday"),
        on(7, 21),
        on(8, 15),
        on(11, 1),
        on(11, 11),
        on(12, 25),
    ],
    "LU": [
        on(1, 1),
        at_easter("easter monday"),
        on(5, 1),
        on(5, 9, since=2019),
        at_easter("ascension"),
        at_easter("whit monday"),
        on(6, 23),
        on(8, 15),
        on(11, 1),
        on(12, 25),
        on(12, 26),
    ],
    "DE": [
        on(1, 1),
        at_easter("good friday"),
        at_easter("easter monday"),
        on(5, 1),
        at_easter("ascension"),
        at_easter("whit monday"),
        on(10, 3),
        on(10, 31, since=2017, until=2017),  # five hundred years of the Reformation
        on(12, 25),
        on(12, 26),
    ],
    "FR": [
        on(1, 1),
        at_easter("easter monday"),
        on(5, 1),
        on(5, 8),
        at_easter("ascension"),
        at_easter("whit monday"),
        on(7, 14),
        on(8, 15),
        on(11, 1),
        on(11, 11),
        on(12, 25),
    ],
    "AT": [
        on(1, 1),
        on(1, 6),
        at_easter("easter monday"),
        on(5, 1),
        at_easter("ascension"),
        at_easter("whit monday"),
        at_easter("corpus christi"),
        on(8, 15),
        on(10, 26),
        on(11, 1),
        on(12, 8),
        on(12, 25),
        on(12, 26),
    ],
    "IT": [
        on(1, 1),
        on(1, 6),
        at_easter("easter sunday"),
        at_easter("easter monday"),
        on(4, 25),
        on(5, 1),
        on(6, 2),
        on(8, 15),
        on(10, 4, since=2026),  # Saint Francis, by the law of 2025
        on(11, 1),
        lambda year: nth(year, 11, 6, 1),  # national unity, on the first Sunday
        on(12, 8),
        on(12, 25),
        on(12, 26),
    ],
    "PL": [
        on(1, 1),
        on(1, 6),
        at_easter("easter sunday"),
        at_easter("easter monday"),
        on(5, 1),
        on(5, 3),
        at_easter("whit sunday"),
        at_easter("corpus christi"),
        on(8, 15),
        on(11, 1),
        on(11, 11),
        on(11, 12, since=2018, until=2018),  # a hundred years of independence
        on(12, 24, since=2025),
        on(12, 25),
        on(12, 26),
    ],
    "DK": [
        on(1, 1),
        lambda year: easter(year) - timedelta(days=3),  # Maundy Thursday
        at_easter("good friday"),
        at_easter("easter sunday"),
        at_easter("easter monday"),
        at_easter("prayer day", until=2023),
        at_easter("ascension"),
        at_easter("whit sunday"),
        at_easter("whit monday"),
        on(12, 25),
        on(12, 26),
    ],
    "FI": [
        on(1, 1),
        on(1, 6),
        at_easter("good friday"),
        at_easter("easter sunday"),
        at_easter("easter monday"),
        on(5, 1),
        at_easter("ascension"),
        at_easter("whit sunday"),
        lambda year: midsummer(year) - timedelta(days=1),
        midsummer,
        saturday_between(10, 31),
        on(12, 6),
        on(12, 24),
        on(12, 25),
        on(12, 26),
    ],
    "NO": [
        on(1, 1),
        lambda year: easter(year) - timedelta(days=3),
        at_easter("good friday"),
        at_easter("easter sunday"),
        at_easter("easter monday"),
        on(5, 1),
        on(5, 17),
        at_easter("ascension"),
        at_easter("whit sunday"),
        at_easter("whit monday"),
        on(12, 25),
        on(12, 26),
    ],
    "CZ": [
        on(1, 1),
        at_easter("good friday", since=2016),
        at_easter("easter monday"),
        on(5, 1),
        on(5, 8),
        on(7, 5),
        on(7, 6),
        on(9, 28),
        on(10, 28),
        on(11, 17),
        on(12, 24),
        on(12, 25),
        on(12, 26),
    ],
}


def free_days(country: str, year: int) -> set[date]:
    """The public holidays of a year, as the law has them."""
    return {day for rule in LAWS[country] if (day := rule(year)) is not None}
