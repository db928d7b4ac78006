"""manage.py rewrapkeys: wrap the keys of all cases under the current master key."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit import keys, masters


class Command(BaseCommand):
    help = (
        "Wrap the key of every case under the first of LONGCASE_MASTER_KEYS; histories stay as "
        "they are. Beside work, and again after a stop. When none is left under an old master key, "
        "it can be taken out of LONGCASE_MASTER_KEYS, and be destroyed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="only say which key wraps how many"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            current = masters.current()
            count = 0
            while not options["check"] and (done := keys.rewrap()):
                count += done
        except masters.NoMasterKey as error:
            raise CommandError(str(error)) from error
        if not options["check"]:
            self.stdout.write(f"{count} keys were wrapped anew under “{current}”.")
        for name, many in keys.counts().items():
            state = "destroyed" if not name else f"under “{name}”"
            self.stdout.write(f"{many:>9,} {state}")
