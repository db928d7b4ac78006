"""manage.py filedrop FOLDER: take in what another system has laid into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cases.errors import Refused
from processes import inbound
from processes.filedrop import Folder


class Command(BaseCommand):
    help = (
        "Take in each NAME.json of a folder, with the files it names; then move them to done/, or "
        "to failed/ with the reason. Safe to kill and to run again at any time."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder")
        parser.add_argument("--source", default="filedrop", help="as history tells it")

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(options["folder"])
        if not path.is_dir():
            raise CommandError(f"There is no folder {path}.")
        folder, failed = Folder(path, source=options["source"]), 0
        for drop in folder.drops():
            try:
                taken = inbound.take(folder.read(drop))
            except Refused as refusal:
                failed += 1
                folder.failed(drop, str(refusal))
                self.stderr.write(f"{drop.name}: {refusal}")
                continue
            folder.done(drop, taken)
            self.stdout.write(f"{drop.name}: {taken.state} {taken.case}".strip())
        if failed:
            raise CommandError(f"{failed} drops were not taken; failed/ says why.")
