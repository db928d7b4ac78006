"""Which days and hours an organisation works."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property, lru_cache
from zoneinfo import ZoneInfo

import holidays
from django.conf import settings
from django.core.signals import setting_changed

LONGEST_CLOSURE_DAYS = 366  # past this, a calendar that never opens is a mistake


class CalendarNeverOpens(ValueError):
    """A calendar without a working day in a whole year cannot say when something is due."""


class Calendar:
    """The working days, opening hours and time zone of an organisation.

    Public holidays and weekends come from the `holidays` library. What they give is computed once
    and recorded with the event that uses it, so a later version of the library moves nothing.
    """

    def __init__(
        self,
        country: str,
        subdivision: str | None = None,
        *,
        free_days: Iterable[date] | Mapping[date, str] = (),
        working_days: Iterable[date] = (),
        opens: time = time(9),
        closes: time = time(17),
        zone: ZoneInfo | None = None,
    ) -> None:
        if opens >= closes:
            raise ValueError(f"A working day cannot close at {closes} and open at {opens}.")
        self.country = country
        self.subdivision = subdivision
        # With the name of each, where there is one.
        self.free_days: dict[date, str] = (
            dict(free_days) if isinstance(free_days, Mapping) else dict.fromkeys(free_days, "")
        )
        self.working_days = frozenset(working_days)  # open, whatever the law says
        self.opens = opens
        self.closes = closes
        self.zone = zone or ZoneInfo(settings.TIME_ZONE)

    @cached_property
    def _public(self) -> holidays.HolidayBase:
        # A quarter of a second, once in a process, and only for who counts working days.
        with _loading():
            return holidays.country_holidays(self.country, subdiv=self.subdivision)

    def __repr__(self) -> str:
        return f"<calendar {'-'.join(filter(None, (self.country, self.subdivision)))}>"

    def is_working(self, day: date) -> bool:
        if day in self.free_days:
            return False
        return day in self.working_days or self._public.is_working_day(day)

    def is_weekend(self, day: date) -> bool:
        return day.weekday() in self._public.weekend

    def name_of_free_day(self, day: date) -> str:
        """What makes a day free, for people: the name of the holiday; empty for a working day and
        for a free day without a name, such as a Saturday."""
        if self.is_working(day):
            return ""
        return self.free_days.get(day) or self._public.get(day) or ""

    def next_working_day(self, day: date) -> date:
        """The first working day after `day`."""
        return self._working_day(day, timedelta(days=1), "after")

    def previous_working_day(self, day: date) -> date:
        """The last working day before `day`."""
        return self._working_day(day, timedelta(days=-1), "before")

    def _working_day(self, day: date, pace: timedelta, where: str) -> date:
        found = day
        for _ in range(LONGEST_CLOSURE_DAYS):
            found += pace
            if self.is_working(found):
                return found
        raise CalendarNeverOpens(f"{self!r} has no working day in the year {where} {day}.")

    def add_working_days(self, day: date, count: int) -> date:
        """The count-th working day after `day`; day one is the first working day after it."""
        for _ in range(count):
            day = self.next_working_day(day)
        return day

    def local(self, moment: datetime) -> datetime:
        """A moment as the organisation's clock on the wall shows it."""
        return moment.astimezone(self.zone)

    def at(self, day: date, wall: time) -> datetime:
        """The moment, in UTC, at which the wall clock shows a time on a day.

        A time that does not exist, because the clocks skip it, becomes the first instant that
        does; of a time that exists twice, it is the first.
        """
        local = datetime.combine(day, wall, tzinfo=self.zone)  # fold=0 is the first of two
        moment = local.astimezone(UTC)
        if moment.astimezone(self.zone).replace(tzinfo=None) == local.replace(tzinfo=None):
            return moment
        return _instant_of_change(self.zone, local)

    def hours_of(self, day: date) -> tuple[datetime, datetime]:
        """When a working day opens and closes."""
        return self.at(day, self.opens), self.at(day, self.closes)


def default() -> Calendar:
    """The organisation's calendar: the row of that name, else the one in the settings.

    LONGCASE_HOLIDAYS is a country, or country and subdivision: "NL", "DE-BY".
    LONGCASE_FREE_DAYS lists dates on which the organisation is closed besides.
    LONGCASE_OPENING_HOURS is a pair of local times: ("09:00", "17:00").
    """
    return _book.get("organisation") or _from_settings()


def named(name: str) -> Calendar:
    """The calendar of this name; the organisation's for an empty one, or one that is gone."""
    return _book.get(name) or default()


def choose(name: str, *, kind: str = "", team_id: int | None = None) -> str:
    """The name of the calendar on which a clock runs: the one it names, else that of the kind in
    the team, of the team, of the kind, or of the organisation (empty)."""
    if name or not _chosen:
        return name
    for who in ((kind, team_id), ("", team_id), (kind, None)):
        if who in _chosen:
            return _chosen[who]
    return ""


# The calendars of the database as this process last read them: see timers.calendarbook. Threads
# share them: each is one assignment.
_book: Mapping[str, Calendar] = {}
_chosen: Mapping[tuple[str, int | None], str] = {}
_version = -1  # the newest change that was read; -1: nothing was read yet


def keep(
    book: Mapping[str, Calendar], chosen: Mapping[tuple[str, int | None], str], *, version: int
) -> None:
    """Have these calendars in this process from now on."""
    global _book, _chosen, _version
    _book, _chosen, _version = book, chosen, version


def is_current(version: int) -> bool:
    """Whether the change of this number was read."""
    return version == _version


@contextmanager
def _loading() -> Iterator[None]:
    """The first look at a zone or at a country's holidays reads files that say the same for ever.
    Step code may be the first to look: what watches its calls is not to take that for the world."""
    watching = sys.getprofile()
    sys.setprofile(None)
    try:
        yield
    finally:
        sys.setprofile(watching)


@lru_cache(maxsize=1)
def _from_settings() -> Calendar:
    country, _, subdivision = getattr(settings, "LONGCASE_HOLIDAYS", "NL").partition("-")
    opens, closes = getattr(settings, "LONGCASE_OPENING_HOURS", ("09:00", "17:00"))
    with _loading():
        return Calendar(
            country,
            subdivision or None,
            free_days=map(date.fromisoformat, getattr(settings, "LONGCASE_FREE_DAYS", ())),
            opens=time.fromisoformat(opens),
            closes=time.fromisoformat(closes),
        )


def _forget_default(**_: object) -> None:
    _from_settings.cache_clear()


setting_changed.connect(_forget_default)  # sent by tests only


def _instant_of_change(zone: ZoneInfo, skipped: datetime) -> datetime:
    """The instant at which the clocks jumped over a local time: the first that exists after it."""
    # Taken with the offset from after the jump it lies before it, and the other way round.
    before = skipped.replace(fold=1).astimezone(UTC)
    after = skipped.replace(fold=0).astimezone(UTC)
    old_offset = before.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) / 2
        if middle.astimezone(zone).utcoffset() == old_offset:
            before = middle
        else:
            after = middle
    return after.replace(microsecond=0)
