"""manage.py paymentruns: the payment runs, with what each paid and what it still has to pay."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from processes.claim import runs
from timers import calendars


class Command(BaseCommand):
    help = "List the payment runs of claims, the newest first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--last", type=int, default=20, help="how many of them")

    def handle(self, *, last: int, **options: Any) -> None:
        if last < 1:
            raise CommandError(f"--last {last}: it is how many runs to list, from 1.")
        found = runs.totals(list(runs.latest()[:last]))
        for one in found:
            at = calendars.default().local(one.run.run_at)
            parts = [("paid", one.paid), ("waiting", one.open)]
            parts += [(name, part) for name, part in self.rare(one) if part.count]
            said = ", ".join(f"{name} {part.count} ({part.amount:.2f})" for name, part in parts)
            self.stdout.write(f"{at:%a %d %b %Y %H:%M}  {said}")
        if not found:
            self.stdout.write("There is no payment run yet: no claim was approved for payment.")

    def rare(self, one: runs.RunTotals) -> list[tuple[str, runs.Part]]:
        return [("failed", one.failed), ("taken out", one.left)]
