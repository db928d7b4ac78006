"""manage.py replaycheck: would every open case go on with this code?"""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from processes.engine.replaycheck import DIFFERS, FINE, check_open_cases


class Command(BaseCommand):
    help = (
        "Replay every open case on the code as it stands, read-only, before a deployment. Exits "
        "with 1 when a case differs and with 2 when one is unknown."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--kind", default="", help="only cases of this kind")

    def handle(self, *args: Any, **options: Any) -> None:
        counts: Counter[str] = Counter()
        for one in check_open_cases(kind=options["kind"]):
            counts[one.verdict] += 1
            if one.verdict != FINE:
                place = f" ({one.place})" if one.place else ""
                at = f" at event {one.number}" if one.number else ""
                self.stdout.write(
                    f"{one.reference}  {one.step}  {one.verdict}{at}: {one.words}{place}"
                )
        total = sum(counts.values())
        summary = (
            f"{total} open cases: {counts[FINE]} fine, {counts[DIFFERS]} differ, "
            f"{total - counts[FINE] - counts[DIFFERS]} unknown."
        )
        if counts[DIFFERS]:
            raise CommandError(summary, returncode=1)
        if total != counts[FINE]:
            raise CommandError(summary, returncode=2)
        self.stdout.write(summary)
