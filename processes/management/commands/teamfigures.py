"""manage.py teamfigures: make the figures of the team pages anew from history."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from cases import figures
from processes.work import weekfigures


class Command(BaseCommand):
    help = (
        "Make the figures of the team pages anew: the caseload at the end of each past week, the "
        "days that visits of steps took, and today's. Safe to repeat, beside work."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--weeks", type=int, default=figures.WEEKS)
        parser.add_argument(
            "--steps-only",
            action="store_true",
            help="leave the caseload of past weeks: one statement instead of a fold of each case",
        )

    def handle(self, *, weeks: int, steps_only: bool, **options: Any) -> None:
        if not steps_only:
            folded = weekfigures.rebuild(weeks=weeks)
            self.stdout.write(f"Counted {folded} cases over {weeks} weeks.")
        teams = weekfigures.write_today()
        self.stdout.write(f"Wrote the figures of today for {teams} teams.")
