"""manage.py verify: is history intact, and do the rows say the same?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from processes.engine.verify import Looked, verify, verify_heads, verify_since
from processes.proof import runs
from timers import clock


class Command(BaseCommand):
    help = (
        "Check the hash chain of every case, that it passes where the anchors saw it, and that the "
        "rows equal the history. Names the first wrong event of each case and says what it did not "
        "look at; exits with 1 if anything is wrong."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "references", nargs="*", help="only these cases, such as LN-2026-000123"
        )
        parser.add_argument(
            "--chains-only", action="store_true", help="leave out the comparison with the rows"
        )
        ways = parser.add_mutually_exclusive_group()
        ways.add_argument(
            "--since",
            action="store_true",
            help="only the cases that moved since the last clean check, from the anchor before it",
        )
        ways.add_argument(
            "--heads", action="store_true", help="only anchors and heads: hashes no event; quick"
        )
        parser.add_argument(
            "--anchors", type=Path, metavar="DIR", help="compare with anchors written elsewhere"
        )
        parser.add_argument(
            "--key", action="append", default=[], help="a further public key of ours"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self._refuse_what_does_not_go_together(options)
        began, looked = clock.monotonic(), Looked()
        run = None
        if not options["references"]:
            how = "heads" if options["heads"] else "since" if options["since"] else "all"
            rows = not (options["chains_only"] or options["heads"])
            run = runs.begin(how=how, rows=rows, actor="command")
            if options["since"] and run.how == "all":
                self.stdout.write("No check was clean yet, so all of history is looked at.")
        try:
            found = []
            for one in self._differences(options, run, looked):
                self.stdout.write(str(one))
                found.append(one)
        except BaseException as error:
            if run is not None:
                runs.finish(run, state="failed", error=f"{type(error).__name__}: {error}")
            if isinstance(error, ValueError):
                raise CommandError(str(error), returncode=2) from error
            raise
        if run is not None:
            runs.keep(run, found)
            run.cases, run.events, run.anchors = looked.cases, looked.events, looked.anchors
            run.left = looked.left
            run.save(update_fields=["cases", "events", "anchors", "left", "found"])
            runs.finish(run)
        self._tell(len(found), looked, clock.monotonic() - began)

    def _refuse_what_does_not_go_together(self, options: dict[str, Any]) -> None:
        if options["references"] and (options["since"] or options["heads"] or options["anchors"]):
            raise CommandError("Name cases, or ask for --since, --heads or --anchors; not both.")
        if options["since"] and options["anchors"]:
            raise CommandError("--anchors compares all of history: leave out --since.")
        if options["anchors"] and not options["anchors"].is_dir():
            raise CommandError(f"{options['anchors']} is no folder.", returncode=2)

    def _differences(self, options: dict[str, Any], run: Any, looked: Looked) -> Any:
        keys, folder = options["key"], options["anchors"]
        if options["heads"]:
            return verify_heads(folder=folder, keys=keys, looked=looked)
        rows = not options["chains_only"]
        if run is not None and run.how == "since":
            return verify_since(run.since, rows=rows, keys=keys, looked=looked)
        references = options["references"]
        return verify(references=references, rows=rows, folder=folder, keys=keys, looked=looked)

    def _tell(self, found: int, looked: Looked, took: float) -> None:
        self.stdout.write(
            f"Looked at {looked.cases} cases with {looked.events} events and {looked.anchors} "
            f"anchors in {took:.1f} s."
        )
        for sentence in looked.left:
            self.stdout.write(f"Not looked at: {sentence}.")
        if found:
            raise CommandError(f"{found} findings in {took:.1f} s.", returncode=1)
        self.stdout.write(f"History is intact and the rows equal it ({took:.1f} s).")
