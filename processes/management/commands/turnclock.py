"""manage.py turnclock --days 3: let time pass in a demo installation."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cases.actors import Actor
from processes.acts.clocks import turn_clock
from timers import clock
from timers.clock import ClockNotTurnable

FARTHEST_DAYS = 3660


class Command(BaseCommand):
    help = "Move the installation's time ahead, through each due timer. Only in a demo."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", type=float, default=0.0)
        parser.add_argument("--hours", type=float, default=0.0)

    def handle(self, *args: Any, **options: Any) -> None:
        days = options["days"] + options["hours"] / 24
        if days <= 0:
            raise CommandError("Say how far: --days 3 or --hours 12. Time only goes ahead.")
        if days > FARTHEST_DAYS:
            raise CommandError(f"At most {FARTHEST_DAYS} days in one turn; turn again for more.")
        clock.refresh()
        try:
            moment = turn_clock(days=days, actor=Actor("service:turnclock"))
        except ClockNotTurnable as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"It is now {moment:%a %d %b %Y %H:%M} UTC.")
