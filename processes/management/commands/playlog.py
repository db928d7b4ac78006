"""manage.py playlog loan DIR: recorded cases of a real bank through the loan kind."""

from __future__ import annotations

import importlib
import os
import random
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.models import Max
from django.test.utils import override_settings

from audit.models import Event
from processes.kinds import kind_of, kinds
from processes.models import Activity, Worker
from processes.playlog import xes
from processes.playlog.digest import digest_of
from processes.playlog.driver import Driver
from processes.playlog.recorded import (
    NoSuchLog,
    RecordedCase,
    Row,
    in_order,
    read_cases,
    read_named,
    read_rows,
)
from processes.playlog.report import report_on
from processes.work import claims
from timers import clock

DUMMY_MAIL = "django.core.mail.backends.dummy.EmailBackend"
LIVES = 10_000  # of a run that is killed; more means that it does not get on


class Command(BaseCommand):
    help = (
        "Run recorded cases through a kind, on a clock turned to their time. People's acts come "
        "from the log; reminders and expiries come from the engine. Use a database of its own."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", help="such as loan")
        parser.add_argument(
            "folder",
            type=Path,
            help="holds cases.csv.gz and events.csv.gz; or a log in XES, .xes or .xes.gz",
        )
        parser.add_argument(
            "--mapping", type=Path, help="JSON: which attributes of a log in XES are what"
        )
        parser.add_argument(
            "--look", action="store_true", help="count what a log in XES holds, and play nothing"
        )
        parser.add_argument("--parents", type=Path, help="the folder of the log of their parents")
        parser.add_argument("--cases", type=int, default=0, help="how many; all unless given")
        parser.add_argument(
            "--part",
            default="1/1",
            metavar="K/N",
            help="the K-th of N parts, families whole; each part needs a database of its own",
        )
        parser.add_argument("--seed", type=int, default=1, help="which of them, when not all")
        parser.add_argument(
            "--at-least",
            type=float,
            default=0.0,
            help="fail below this share that fits, in percent",
        )
        parser.add_argument(
            "--kill-every",
            type=int,
            default=0,
            metavar="N",
            help="the run kills itself at random, once in about N played rows, and starts again "
            "until it is done",
        )
        parser.add_argument("--kill-after", type=int, default=0, help="rows; used by --kill-every")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["kill_every"]:
            self._again_and_again(options)
            return
        try:
            if options["look"]:
                self._look(options)
                return
            driver_type, cases, rows = self._read(options)
            parents = {}
            if options["parents"]:
                named = {name for case in cases.values() if (name := driver_type.parent_of(case))}
                parents = read_named(options["parents"], named)
                rows += read_rows(options["parents"], parents, are_parents=True)
        except NoSuchLog as error:
            raise CommandError(str(error)) from error
        if not rows:
            raise CommandError("The log has no rows for these cases.")
        rows = in_order(rows)
        began = clock.monotonic()
        with (
            override_settings(EMAIL_BACKEND=DUMMY_MAIL),
            clock.turned(max(rows[0].at, last_recorded_at() or rows[0].at)) as turned,
            driver_type.at(turned, cases, parents) as driver,
        ):
            ask_again()
            driver.look_ahead(rows)
            driver.begin()
            played = self._play(driver, rows, options)
            took = clock.monotonic() - began
            reports = report_on(driver, rows)
            digest = digest_of([s for s in (driver.source, driver.parents_source) if s])
        for report in reports:
            for line in report.lines():
                self.stdout.write(line)
        count = len(cases) + len(parents)
        self.stdout.write(
            f"{played} of {len(rows)} rows played now, {took:.0f} s "
            f"({count / took:.1f} cases/s, {len(rows) / took:.0f} rows/s)"
        )
        self.stdout.write(f"digest {digest}")
        if reports[0].share * 100 < options["at_least"]:
            raise CommandError(f"Fewer than {options['at_least']} % ended as recorded.")

    def _read(
        self, options: dict[str, Any]
    ) -> tuple[type[Driver], dict[str, RecordedCase], list[Row]]:
        """Who plays the log, its cases, and their rows."""
        source: Path = options["folder"]
        count, seed = options["cases"], options["seed"]
        if not xes.is_xes(source):
            driver_type = driver_of(options["kind"], source.resolve().name)
            cases = read_cases(source, count=count, seed=seed)
            cases = part_of(cases, options["part"], family=driver_type.parent_of)
            return driver_type, cases, read_rows(source, cases)
        mapping = xes.mapping_of(options["mapping"])
        driver_type = driver_of(options["kind"], mapping.log or source.name.partition(".")[0])
        cases, rows = xes.read(source, mapping, count=count, seed=seed)
        cases = part_of(cases, options["part"], family=driver_type.parent_of)
        return driver_type, cases, [row for row in rows if row.case_id in cases]

    def _look(self, options: dict[str, Any]) -> None:
        """Say what a log in XES holds."""
        if not xes.is_xes(options["folder"]):
            raise CommandError("--look reads a log in XES: .xes or .xes.gz.")
        found = xes.look(options["folder"], xes.mapping_of(options["mapping"]))
        self.stdout.write(f"{found.cases} cases, {found.events} events, {found.variants} variants")

    def _play(self, driver: Driver, rows: list[Row], options: dict[str, Any]) -> int:
        """Let time pass from row to row. Returns how many were played now."""
        installation = driver.installation
        installation.settle()
        played = 0
        for place, row in enumerate(rows):
            if driver.was_played(row):
                continue
            installation.until(max(row.at, clock.now()))
            played += driver.play(row)
            if options["kill_after"] and played >= options["kill_after"]:
                os.kill(os.getpid(), signal.SIGKILL)
            if options["verbosity"] > 1 and place % 5000 == 0:
                self.stdout.write(f"{place} of {len(rows)} rows, {clock.now():%d %b %Y}")
        installation.until(max(rows[-1].at + driver.time_after, clock.now()))
        return played

    def _again_and_again(self, options: dict[str, Any]) -> None:
        """Run in processes that kill themselves after some rows, until one is done."""
        chance = random.Random(options["seed"])
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "playlog"]
        command += [options["kind"], str(options["folder"].resolve())]
        command += [f"--{name}={options[name]}" for name in ("cases", "part", "seed", "verbosity")]
        command.append(f"--at-least={options['at_least']}")
        if options["mapping"]:
            command.append(f"--mapping={options['mapping'].resolve()}")
        if options["parents"]:
            command.append(f"--parents={options['parents'].resolve()}")
        for life in range(LIVES):
            after = chance.randint(1, 2 * options["kill_every"] - 1)
            run = subprocess.run(
                [*command, f"--kill-after={after}"],
                env={**os.environ, "DATABASE_URL": database_url()},
                stdout=subprocess.PIPE,
                text=True,
            )
            if run.returncode == -signal.SIGKILL:
                continue
            self.stdout.write(run.stdout, ending="")
            self.stdout.write(f"killed {life} times")
            if run.returncode:
                raise CommandError("The last run failed; its words stand above.")
            return
        raise CommandError(f"Not done after {LIVES} lives: give a larger --kill-every.")


def part_of(
    cases: dict[str, RecordedCase], part: str, *, family: Callable[[RecordedCase], str]
) -> dict[str, RecordedCase]:
    """The cases of one part of several; those of one parent are in one part."""
    which, _, count = part.partition("/")
    if not (which.isdecimal() and count.isdecimal() and 1 <= int(which) <= int(count)):
        raise CommandError(f"--part is such as 1/4, the first of four parts; not {part}.")
    return {
        case_id: case
        for case_id, case in cases.items()
        if zlib.crc32((family(case) or case_id).encode()) % int(count) == int(which) - 1
    }


def last_recorded_at() -> datetime | None:
    """Where the clock stood when an earlier run ended: it goes on from there, never back."""
    return Event.objects.aggregate(last=Max("recorded_at"))["last"]


def ask_again() -> None:
    """What an earlier run had asked of services outside, and they had not answered, is asked again
    without counting as lost: it is the player that was killed."""
    held = Activity.objects.filter(worker_id__isnull=False).values_list("worker_id", flat=True)
    own = Worker.objects.filter(name__endswith=f"/{os.getpid()}").values_list("pk", flat=True)
    with connection.cursor() as cursor:
        for worker_id in set(held) - set(own):
            claims.release(cursor, worker_id)
    Worker.objects.filter(lane="short").exclude(pk__in=own).delete()


def database_url() -> str:
    """The database of this process, for those that it starts."""
    name = connection.settings_dict["NAME"]
    return urlunsplit(urlsplit(settings.DATABASE_URL)._replace(path=f"/{name}"))


def driver_of(kind: str, folder: str) -> type[Driver]:
    """The driver that a kind's module `playlog` has for a folder of this name."""
    if kind not in kinds():
        raise CommandError(f"There is no kind “{kind}”; there are: {', '.join(sorted(kinds()))}.")
    package = kind_of(kind).model._meta.app_config.name
    name = f"{package}.playlog"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise CommandError(f"The kind “{kind}” has no {name} to play a log.") from error
    drivers: dict[str, type[Driver]] = getattr(module, "drivers", {})
    found = drivers.get(folder) or getattr(module, "driver", None)
    if found is None:
        raise CommandError(
            f"The kind “{kind}” plays the logs {', '.join(sorted(drivers))}; it has no driver for "
            f"a folder named “{folder}”."
        )
    return found
