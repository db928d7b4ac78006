"""`manage.py startkind NAME [--at FOLDER]`: begin a kind of one's own."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from processes.startkind import CHECKOUT, CannotStart, start


class Command(BaseCommand):
    help = "Write an app for a kind of your own, which runs and passes its tests at once."
    requires_system_checks: list[str] = []  # what is wrong with another kind does not matter here

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="a noun in the singular, such as grant or parking_permit")
        parser.add_argument(
            "--at",
            default=".",
            help="the folder to write it into: your own, outside of Longcase (default: this one)",
        )
        parser.add_argument("--title", default="", help="its name for people: “Parking permit”")
        parser.add_argument("--prefix", default="", help="of its references: PP in PP-2026-000123")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            made = start(
                name=options["name"],
                folder=Path(options["at"]),
                title=options["title"],
                prefix=options["prefix"],
            )
        except CannotStart as error:
            raise CommandError(str(error)) from error
        installed = os.environ.get("LONGCASE_KINDS", "shipped")
        python = os.path.relpath(sys.executable, CHECKOUT)
        self.stdout.write(
            f"The kind “{made.name}” is in {made}.\n"
            f"Run its tests, from {CHECKOUT}:\n"
            f"    {python} -m pytest {made.parent}\n"
            "Run it, beside the kinds that are installed:\n"
            f"    LONGCASE_KINDS={installed},{made} make up\n"
            "docs/tutorial.md leads on from here.\n"
        )
