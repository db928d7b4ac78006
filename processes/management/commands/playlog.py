"""manage.py playlog loan DIR: recorded cases of a real bank through the loan kind."""

from __future__ import annotations

import importlib
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.test.utils import override_settings

from processes.kinds import kind_of, kinds
from processes.playlog.driver import Driver
from processes.playlog.recorded import NoSuchLog, read_cases, read_rows
from processes.playlog.report import report_on
from processes.work import sweeps
from timers import clock

DUMMY_MAIL = "django.core.mail.backends.dummy.EmailBackend"


class Command(BaseCommand):
    help = (
        "Run recorded cases through a kind, on a clock turned to their time. People's acts come "
        "from the log; reminders and expiries come from the engine. Use a database of its own."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", help="such as loan")
        parser.add_argument("folder", type=Path, help="holds cases.csv.gz and events.csv.gz")
        parser.add_argument("--cases", type=int, default=0, help="how many; all unless given")
        parser.add_argument("--seed", type=int, default=1, help="which of them, when not all")
        parser.add_argument(
            "--at-least",
            type=float,
            default=0.0,
            help="fail below this share that fits, in percent",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            cases = read_cases(options["folder"], count=options["cases"], seed=options["seed"])
            rows = read_rows(options["folder"], cases)
        except NoSuchLog as error:
            raise CommandError(str(error)) from error
        if not rows:
            raise CommandError("The log has no rows for these cases.")
        began = clock.monotonic()
        with (
            override_settings(EMAIL_BACKEND=DUMMY_MAIL),
            clock.turned(rows[0].at) as turned,
            driver_of(options["kind"]).at(turned, cases) as driver,
        ):
            bank = driver.installation
            sweeps.free_lost_claims()  # of an earlier run that was killed
            driver.begin()
            bank.settle()
            for place, row in enumerate(rows):
                bank.until(max(row.at, clock.now()))
                driver.play(row)
                if options["verbosity"] > 1 and place % 5000 == 0:
                    self.stdout.write(f"{place} of {len(rows)} rows, {clock.now():%d %b %Y}")
            bank.until(rows[-1].at + timedelta(hours=1))
            report = report_on(driver, rows)
        took = clock.monotonic() - began
        for line in report.lines():
            self.stdout.write(line)
        self.stdout.write(
            f"{driver.acts} acts of people from {len(rows)} rows, {driver.after_end} rows after "
            f"the end of their case, {took:.0f} s ({len(cases) / took:.1f} cases/s)"
        )
        if report.share * 100 < options["at_least"]:
            raise CommandError(f"Fewer than {options['at_least']} % ended as recorded.")


def driver_of(kind: str) -> type[Driver]:
    """The driver that a kind's package gives in its module `playlog`."""
    if kind not in kinds():
        raise CommandError(f"There is no kind “{kind}”; there are: {', '.join(sorted(kinds()))}.")
    package = kind_of(kind).model.__module__.rpartition(".")[0]
    try:
        module = importlib.import_module(f"{package}.playlog")
    except ModuleNotFoundError as error:
        raise CommandError(f"The kind “{kind}” has no {package}.playlog to play a log.") from error
    return module.driver
