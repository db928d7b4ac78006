"""`manage.py process loan --svg FILE`: the drawing of a kind as SVG, PNG or BPMN 2.0 XML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from processes.drawing.export import FORMATS, exported
from processes.handbook import book
from processes.kinds import NoSuchKind, kind_of


class Command(BaseCommand):
    help = "Tell the steps of a kind, or write its drawing into a file."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", help="loan, permit, …")
        for form, about in FORMATS.items():
            parser.add_argument(f"--{form}", metavar="FILE", help=f"write {about.words} here")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            kind = kind_of(options["kind"])
        except NoSuchKind as error:
            raise CommandError(str(error)) from None
        wanted = {form: options[form] for form in FORMATS if options[form]}
        for form, file in wanted.items():
            try:
                Path(file).write_bytes(exported(kind, form))
            except OSError as error:
                raise CommandError(f"{file} cannot be written: {error.strerror}.") from None
            self.stdout.write(f"{file}: {FORMATS[form].words} of {kind.title}")
        if not wanted:
            self._tell(kind)

    def _tell(self, kind: Any) -> None:
        for step in book.steps_of(kind):
            waits = f" · waits for {step.waits_for}" if step.waits_for else ""
            self.stdout.write(f"{step.label}{' (an end)' if step.closes else waits}")
            for way in step.ways:
                self.stdout.write(f"  → {way.target_label}: {way.label} ({way.who})")
