"""manage.py anchor: seal where all histories end, now."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.anchors import said_in
from audit.signing import NoAnchorKey
from processes.proof import anchoring, outlets


class Command(BaseCommand):
    help = (
        "Make the anchor of the day: the heads of all histories in one signed line. The timer "
        "service has it made by itself; this is for doing it now, and for a new key."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--again", action="store_true", help="also if the day has one")
        parser.add_argument(
            "--without-old-key",
            action="store_true",
            help="the key of the last anchor is lost: let the new one sign alone",
        )
        parser.add_argument("--send", action="store_true", help="send what is due, here and now")

    def handle(self, *args: Any, **options: Any) -> None:
        lost = options["without_old_key"]
        try:
            made = anchoring.make(without_old_key=lost, again=options["again"] or lost)
        except NoAnchorKey as error:
            raise CommandError(str(error), returncode=2) from error
        if made is None:
            self.stdout.write("The day has its anchor already (--again makes another).")
        else:
            said = said_in(made)
            self.stdout.write(
                f"Anchor {made.number}: {said['cases']} cases, {said['events']} events, "
                f"{said['moved']} cases moved; root {said['root']}"
            )
        if options["send"]:
            while outlets.send_next():
                pass
