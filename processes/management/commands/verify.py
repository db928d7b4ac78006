"""manage.py verify: is history intact, and do the rows say the same?"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from processes.engine.verify import verify
from timers import clock


class Command(BaseCommand):
    help = (
        "Check the hash chain of every case and that its rows equal its history. Names the first "
        "wrong event of each case; exits with 1 if there is one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "references", nargs="*", help="only these cases, such as LN-2026-000123"
        )
        parser.add_argument(
            "--chains-only", action="store_true", help="leave out the comparison with the rows"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        began = clock.monotonic()
        found = 0
        for one in verify(references=options["references"], rows=not options["chains_only"]):
            found += 1
            self.stdout.write(f"{one.reference}, event {one.number}: {one.words}")
        took = clock.monotonic() - began
        if found:
            raise CommandError(f"{found} findings in {took:.1f} s.", returncode=1)
        self.stdout.write(f"History is intact and the rows equal it ({took:.1f} s).")
