"""`manage.py words [--write]`: the reference of the authoring words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from processes.management import reference

PAGE = Path(__file__).resolve().parents[3] / "docs" / "authoring.md"


class Command(BaseCommand):
    help = "Print what a process is written with; --write puts it into docs/authoring.md."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--write", action="store_true", help="into docs/authoring.md")

    def handle(self, *args: Any, **options: Any) -> None:
        made = reference.text()
        if not options["write"]:
            self.stdout.write(made)
            return
        page = PAGE.read_text()
        before, after = page.split(reference.BEGIN)[0], page.split(reference.END)[1]
        PAGE.write_text(before + made + after)
        self.stdout.write(f"{PAGE} is up to date.")
