"""The calendars of the installation: rows that administrators change, and who changed them why.

Each process keeps them in memory (timers.calendars) and reads them again within a second of a
change: the timer service, workers and pages ask for the newest change together with the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import holidays
from django.db import transaction

from audit import codec
from timers import calendars, clock
from timers.calendars import Calendar
from timers.models import CalendarChange, CalendarDay, CalendarRow

ORGANISATION = "organisation"  # a row of this name takes the place of the settings' calendar
NAME_CHARACTERS = 60


class CalendarRefused(ValueError):
    """What was asked of a calendar cannot be, in a sentence that says why and what would work."""


def read() -> None:
    """Read all calendars into memory: three queries, at the start and after each change."""
    newest = CalendarChange.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    rows = {row.name: row for row in CalendarRow.objects.all()}
    days: dict[str, list[CalendarDay]] = {}
    for day in CalendarDay.objects.select_related("calendar"):
        days.setdefault(day.calendar.name, []).append(day)
    book = {name: _calendar(row, days, rows) for name, row in rows.items()}
    chosen = {(row.kind, row.team_id): name for name, row in rows.items() if row.is_chosen}
    calendars.keep(book, chosen, version=newest)


def _calendar(
    row: CalendarRow, days: dict[str, list[CalendarDay]], rows: dict[str, CalendarRow]
) -> Calendar:
    free: dict[date, str] = {}
    working: set[date] = set()
    for name in reversed(_line(row, rows)):  # what is nearer has the last word
        for day in days.get(name, ()):
            free.pop(day.day, None)
            working.discard(day.day)
            if day.works:
                working.add(day.day)
            else:
                free[day.day] = day.title
    return Calendar(
        row.country,
        row.region or None,
        free_days=free,
        working_days=working,
        opens=row.opens,
        closes=row.closes,
        zone=ZoneInfo(row.zone) if row.zone else None,
    )


def _line(row: CalendarRow, rows: dict[str, CalendarRow]) -> list[str]:
    """A calendar and those whose days it takes over, the nearest first."""
    line = [row.name]
    while (base := rows[line[-1]].base) and base in rows and base not in line:
        line.append(base)
    return line


def names_following(name: str) -> list[str]:
    """The calendars that change when this one does, as clocks name them."""
    rows = {row.name: row for row in CalendarRow.objects.all()}
    found = [one for one, row in rows.items() if name in _line(row, rows)]
    return [*found, ""] if ORGANISATION in found else found


# -- changing them


@transaction.atomic
def create(
    name: str,
    *,
    title: str,
    country: str,
    region: str = "",
    by: str,
    why: str,
    opens: time = time(9),
    closes: time = time(17),
    zone: str = "",
    kind: str = "",
    team_id: int | None = None,
    base: str = "",
) -> CalendarRow:
    """A new calendar. One with a kind or a team is chosen for their clocks. Raises
    CalendarRefused."""
    if not name or len(name) > NAME_CHARACTERS or not name.replace("-", "").isalnum():
        raise CalendarRefused(
            f"“{name}” is no name for a calendar: 1 to {NAME_CHARACTERS} letters, digits and "
            "hyphens."
        )
    if CalendarRow.objects.filter(name=name).exists():
        raise CalendarRefused(f"There is a calendar “{name}” already.")
    if base and not CalendarRow.objects.filter(name=base).exists():
        raise CalendarRefused(f"There is no calendar “{base}” to build on.")
    _check(country, region, opens, closes, zone)
    if (kind or team_id) and CalendarRow.objects.filter(kind=kind, team_id=team_id).exists():
        raise CalendarRefused("This kind and team have a calendar already; change that one.")
    row = CalendarRow.objects.create(
        name=name,
        title=title or name,
        country=country,
        region=region,
        opens=opens,
        closes=closes,
        zone=zone,
        kind=kind,
        team_id=team_id,
        base=base,
        changed_at=clock.now(),
    )
    told = {"country": country, "region": region, "opens": str(opens), "closes": str(closes)}
    _record(row, "created", told, by=by, why=why)
    return row


@transaction.atomic
def change_rules(
    name: str,
    *,
    by: str,
    why: str,
    country: str | None = None,
    region: str | None = None,
    opens: time | None = None,
    closes: time | None = None,
) -> CalendarRow:
    """Another country, region or opening hours. Raises CalendarRefused."""
    row = _row(name)
    before = [row.country, row.region, str(row.opens), str(row.closes)]
    row.country = row.country if country is None else country
    row.region = row.region if region is None else region
    row.opens, row.closes = opens or row.opens, closes or row.closes
    _check(row.country, row.region, row.opens, row.closes, row.zone)
    after = [row.country, row.region, str(row.opens), str(row.closes)]
    if before != after:
        row.save(update_fields=["country", "region", "opens", "closes"])
        _record(row, "rules", {"before": before, "after": after}, by=by, why=why)
    return row


@transaction.atomic
def set_day(name: str, day: date, *, works: bool, title: str, by: str, why: str) -> CalendarRow:
    """Make a day free, or a working day, whatever the law says of it. Raises CalendarRefused."""
    row = _row(name)
    title = title.strip()
    if not works and not title:
        raise CalendarRefused("Name the free day: people read it in the sentence of a date.")
    known = CalendarDay.objects.filter(calendar=row, day=day).first()
    if known is not None and (known.works, known.title) == (works, title):
        return row
    CalendarDay.objects.update_or_create(
        calendar=row, day=day, defaults={"works": works, "title": title}
    )
    _record(row, "works" if works else "free", {"day": day, "title": title}, by=by, why=why)
    return row


@transaction.atomic
def clear_day(name: str, day: date, *, by: str, why: str) -> CalendarRow:
    """Take a local day out again: the law of the country counts. Raises CalendarRefused."""
    row = _row(name)
    known = CalendarDay.objects.filter(calendar=row, day=day).first()
    if known is None:
        raise CalendarRefused(f"{day} is no local day of the calendar “{name}”.")
    known.delete()
    _record(row, "cleared", {"day": day, "title": known.title}, by=by, why=why)
    return row


def _row(name: str) -> CalendarRow:
    row = CalendarRow.objects.select_for_update().filter(name=name).first()
    if row is None:
        known = ", ".join(CalendarRow.objects.order_by("name").values_list("name", flat=True))
        raise CalendarRefused(f"There is no calendar “{name}”. There are: {known or 'none'}.")
    return row


def _check(country: str, region: str, opens: time, closes: time, zone: str) -> None:
    regions = holidays.list_supported_countries().get(country)
    if regions is None:
        raise CalendarRefused(f"“{country}” is no country that holidays are known of, such as NL.")
    if region and region not in regions:
        known = ", ".join(regions) or "none"
        raise CalendarRefused(f"{country} has no region “{region}”. It has: {known}.")
    if opens >= closes:
        raise CalendarRefused(f"A working day cannot close at {closes} and open at {opens}.")
    try:
        if zone:
            ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise CalendarRefused(f"“{zone}” is no time zone, such as Europe/Amsterdam.") from error


def _record(row: CalendarRow, what: str, data: dict[str, Any], *, by: str, why: str) -> None:
    why = why.strip()
    if not why:
        raise CalendarRefused("Say why the calendar changes; it stays in its history.")
    change = CalendarChange.objects.create(
        calendar=row, what=what, data=codec.encode(data), by=by, why=why, at=clock.now()
    )
    row.version, row.changed_at = change.pk, change.at
    row.save(update_fields=["version", "changed_at"])
    transaction.on_commit(read)


def told(changes: Sequence[CalendarChange]) -> str:
    """Changes in a sentence, for the events of the dates that they move."""
    said = [f"{one.in_words()} ({one.why})" for one in changes[-3:]]
    more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
    return "; ".join(said) + more
