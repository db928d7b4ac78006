"""manage.py erasures: the ledger of what was erased, and erasing it again after a restore."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from processes.erasing import ledger


class Command(BaseCommand):
    help = (
        "Write the ledger of all erasures, a JSON line each: keep it apart from the backups. After "
        "an older backup was restored, “erasures apply FILE” erases again what it brought back."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", nargs="?", choices=["write", "apply"], default="write")
        parser.add_argument("file", nargs="?", help="of the ledger, to apply; - for standard input")

    def handle(self, *, what: str, file: str | None, **options: Any) -> None:
        if what == "write":
            for line in ledger.lines():
                self.stdout.write(line)
            return
        if not file:
            raise CommandError("Name the file of the ledger: manage.py erasures apply FILE")
        try:
            text = sys.stdin.read() if file == "-" else Path(file).read_text()
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
        counts = {"erased": 0, "already": 0, "refused": 0}
        for result in ledger.apply(text.splitlines()):
            counts[result.what] += 1
            self.stdout.write(f"{result.reference}  {result.sentence}")
        self.stdout.write(
            f"{counts['erased']} erased again, {counts['already']} were, "
            f"{counts['refused']} not erased."
        )
        if counts["refused"]:
            sys.exit(1)
