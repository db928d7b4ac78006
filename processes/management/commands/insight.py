"""manage.py insight: bring the tables of insight up to date, or make them anew from history."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from processes.insight import writing


class Command(BaseCommand):
    help = (
        "The tables from which process owners' questions are answered: write what has happened "
        "since (the timer service does that anyhow), or with `rebuild` all of them anew."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=["rebuild", "catchup"])

    def handle(self, *, what: str, **options: Any) -> None:
        written = writing.rebuild() if what == "rebuild" else writing.catch_up(seconds=None)
        self.stdout.write(f"Wrote the rows of {written} cases.")
