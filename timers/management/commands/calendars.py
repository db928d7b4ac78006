"""manage.py calendars: look at the business calendars and change them, with a reason."""

from __future__ import annotations

import getpass
from argparse import ArgumentParser
from collections.abc import Callable
from datetime import date, time
from typing import Any, TypeVar

from django.core.management.base import BaseCommand, CommandError

from timers import calendarbook
from timers.calendarbook import CalendarRefused
from timers.models import CalendarRow

_Read = TypeVar("_Read")


class Command(BaseCommand):
    help = (
        "List the calendars, or change one: "
        "calendars organisation --create --country NL --why 'our office'; "
        "calendars organisation --free 2027-05-05 --title 'Liberation Day' --why 'as agreed'. "
        "Open cases are counted again by the timer service."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", help="the calendar; all are listed without one")
        parser.add_argument("--create", action="store_true", help="make a new calendar")
        parser.add_argument("--country", help="such as NL")
        parser.add_argument("--region", help="such as BY, of the country DE")
        parser.add_argument("--opens", type=_read(time.fromisoformat, "09:00"))
        parser.add_argument("--closes", type=_read(time.fromisoformat, "17:00"))
        parser.add_argument("--zone", default="", help="such as Europe/Amsterdam")
        parser.add_argument("--kind", default="", help="chosen for cases of this kind")
        parser.add_argument("--team", type=int, help="chosen for cases of the team of this number")
        parser.add_argument("--base", default="", help="the calendar whose local days count too")
        parser.add_argument("--free", type=_read(date.fromisoformat, "2027-05-05"))
        parser.add_argument("--working", type=_read(date.fromisoformat, "2027-05-05"))
        parser.add_argument("--clear", type=_read(date.fromisoformat, "2027-05-05"))
        parser.add_argument("--title", default="", help="of the calendar, or the name of the day")
        parser.add_argument("--why", default="", help="kept with the change")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["name"] is None:
            return self._list()
        try:
            self._change(options["name"], options)
        except CalendarRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        self._show(CalendarRow.objects.filter(name=options["name"]).first(), options["name"])

    def _change(self, name: str, options: dict[str, Any]) -> None:
        told = {"by": f"service:command of {getpass.getuser()}", "why": options["why"]}
        if options["create"]:
            calendarbook.create(
                name,
                title=options["title"],
                country=options["country"] or "",
                region=options["region"] or "",
                opens=options["opens"] or time(9),
                closes=options["closes"] or time(17),
                zone=options["zone"],
                kind=options["kind"],
                team_id=options["team"],
                base=options["base"],
                **told,
            )
        elif any(options[one] is not None for one in ("country", "region", "opens", "closes")):
            calendarbook.change_rules(
                name,
                country=options["country"],
                region=options["region"],
                opens=options["opens"],
                closes=options["closes"],
                **told,
            )
        for what, works in (("free", False), ("working", True)):
            if options[what] is not None:
                calendarbook.set_day(
                    name, options[what], works=works, title=options["title"], **told
                )
        if options["clear"] is not None:
            calendarbook.clear_day(name, options["clear"], **told)

    def _list(self) -> None:
        rows = list(CalendarRow.objects.all())
        if not rows:
            self.stdout.write("No calendar in the database: the one in the settings counts.")
        for row in rows:
            where = "-".join(filter(None, (row.country, row.region)))
            self.stdout.write(f"{row.name}: {row.title}, {where}, {row.opens}–{row.closes}")

    def _show(self, row: CalendarRow | None, name: str) -> None:
        if row is None:
            raise CommandError(f"There is no calendar “{name}”; --create makes it.")
        self.stdout.write(f"{row.name}: {row.title}")
        for day in row.days.all():
            self.stdout.write(f"  {day.day} {'works' if day.works else 'free'} {day.title}")
        for change in row.changes.order_by("-pk")[:10]:
            said = f"  {change.at:%Y-%m-%d %H:%M} {change.by}: {change.in_words()}. {change.why}"
            self.stdout.write(said)


def _read(read: Callable[[str], _Read], example: str) -> Callable[[str], _Read]:
    def parse(text: str) -> _Read:
        try:
            return read(text)
        except ValueError:
            raise CommandError(f"“{text}” cannot be read; write it as {example}.") from None

    return parse
