"""manage.py export FORMAT: cases into a file, as somebody who may take them away."""

from __future__ import annotations

import getpass
import shutil
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.http import QueryDict

from audit import reads
from cases.errors import Refused
from cases.models import Case, Export, Person
from cases.queries import chosen_cases
from cases.views import filters
from processes.acts import exports as acts
from processes.callers import Caller
from processes.exports.formats import formats
from processes.exports.gathering import PEOPLE
from processes.work import exports as work
from timers import clock


class Command(BaseCommand):
    help = (
        "Write cases into a file: chosen ones, those of a list, or everything. It is logged as the "
        "export of the person that --by names, and holds what they may take away."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("format", choices=list(formats()))
        parser.add_argument(
            "references", nargs="*", help="cases; none with --query or --everything"
        )
        parser.add_argument("--by", required=True, help="the username of who takes them away")
        parser.add_argument("--why", required=True, help="kept with the export")
        parser.add_argument("--out", default="-", help="a file; standard output unless given")
        parser.add_argument(
            "--query", help="a list of cases as its address has it: kind=loan&state=all"
        )
        parser.add_argument("--everything", action="store_true")
        parser.add_argument("--people", choices=PEOPLE, default="names")
        parser.add_argument("--separator", default=",", help="of columns: , ; or tab")
        parser.add_argument("--no-bom", action="store_true", help="CSV without a byte order mark")

    def handle(self, *args: Any, **options: Any) -> None:
        person = Person.objects.filter(username=options["by"]).first()
        if person is None or not person.is_active:
            raise CommandError(f"There is no active person “{options['by']}”.")
        caller = Caller(person, None)
        try:
            what, cases, told = self._chosen(person, options)
            separator = "\t" if options["separator"] == "tab" else options["separator"]
            export = acts.ask(
                caller=caller,
                form=options["format"],
                what=what,
                cases=cases,
                told=told,
                reason=options["why"],
                options={
                    "people": options["people"],
                    "separator": separator,
                    "bom": not options["no_bom"],
                },
            )
            self._make(export)
            export.refresh_from_db()
            with reads.collecting() as reading:
                with acts.give_out(export=export, caller=caller) as file:
                    reading.actor = f"system:{getpass.getuser()}"
                    reading.on_behalf = caller.code
                    reads.write(
                        reading,
                        at=clock.now(),
                        through="command",
                        what="export",
                        item=str(export.pk),
                    )
                    self._write(file, options["out"])
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stderr.write(
            f"export {export.pk}: {export.count} cases, {export.events} events, "
            f"{export.variants} variants, {export.size} bytes, SHA-256 {export.digest}"
        )

    def _chosen(self, person: Person, options: dict[str, Any]) -> tuple[str, Any, str]:
        ways = [bool(options["references"]), options["query"] is not None, options["everything"]]
        if sum(ways) != 1:
            raise CommandError("Name cases, or give --query, or --everything.")
        if options["everything"]:
            return acts.EVERYTHING, Case.objects.all(), "everything"
        if options["query"] is not None:
            choice = filters.case_choice(QueryDict(options["query"]))
            found = chosen_cases(person, choice, clock.now())
            return acts.LIST, Case.objects.filter(pk__in=found.values("pk")), options["query"]
        references = options["references"]
        found = acts.exportable(Caller(person, None)).filter(reference__in=references)
        known = set(found.values_list("reference", flat=True))
        if missing := sorted(set(references) - known):
            raise CommandError(
                f"{', '.join(missing)}: no such case among those that {person} may take away."
            )
        what = acts.CASE if len(known) == 1 else acts.CASES
        return what, found, ", ".join(sorted(known))

    def _make(self, export: Export) -> None:
        while not work.carry_on(export.pk):
            pass

    def _write(self, file: Any, out: str) -> None:
        if out == "-":
            shutil.copyfileobj(file, sys.stdout.buffer)
            return
        with Path(out).open("wb") as target:
            shutil.copyfileobj(file, target)
