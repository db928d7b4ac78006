"""manage.py rebuildsearch: let every case be found by what it says now."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from processes.engine import findable


class Command(BaseCommand):
    help = (
        "Compare what each case is found by with its row, facts and documents, and write it anew "
        "where it differs: after a kind's `found_by` has changed. May run beside work."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="only compare; exit with 1 if anything differs"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        count = 0
        for reference in findable.rebuild(write_it=not options["check"]):
            count += 1
            if options["check"]:
                self.stdout.write(f"{reference} is not found by what it says")
        if options["check"] and count:
            raise CommandError(f"{count} cases differ.", returncode=1)
        self.stdout.write(f"{count} cases were written anew.")
