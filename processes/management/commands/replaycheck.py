"""manage.py replaycheck: would every open case go on with this code?"""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from processes.engine.replaycheck import DIFFERS, FINE, UNKNOWN, open_cases
from processes.kinds import NoSuchKind, kind_of
from processes.work.replaychecks import FINDINGS, Report, check_in_parallel
from timers import clock

SAY_EVERY_SECONDS = 2.0


class Command(BaseCommand):
    help = (
        "Replay every open case on the code as it stands, read-only, before a deployment. Exits "
        "with 0 when all are fine, 1 when a case differs, 2 when one is unknown or the check "
        "itself could not be made."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--kind", default="", help="only cases of this kind")
        parser.add_argument("--step", default="", help="only cases that stand in this step")
        parser.add_argument("--case", default="", help="only the case of this reference")
        parser.add_argument(
            "--processes", type=int, default=0, help="how many; one a core unless given, at most 8"
        )
        parser.add_argument("--json", action="store_true", help="the report as JSON")
        parser.add_argument("--quiet", action="store_true", help="no progress on standard error")

    def handle(self, *args: Any, **options: Any) -> None:
        self.quiet = options["quiet"]
        try:
            report = self.check_cases(options)
        except DatabaseError as error:
            raise CommandError(f"The check could not be made: {error}", returncode=2) from error
        if options["json"]:
            self.stdout.write(json.dumps(as_data(report), indent=1, ensure_ascii=False))
        else:
            self.say(report)
        summary = (
            f"{report.total} open cases: {report.count(FINE)} fine, {report.count(DIFFERS)} "
            f"differ, {report.count(UNKNOWN)} unknown."
        )
        if report.count(DIFFERS):
            raise CommandError(summary, returncode=1)
        if report.count(UNKNOWN):
            raise CommandError(summary, returncode=2)
        if not options["json"]:
            self.stdout.write(summary)

    def check_cases(self, options: dict[str, Any]) -> Report:
        _require_known(kind=options["kind"], step=options["step"])
        cases = open_cases(kind=options["kind"], step=options["step"], reference=options["case"])
        total = cases.count()
        if options["case"] and not total:
            raise CommandError(f"There is no open case {options['case']}.", returncode=2)
        report, said_at = Report(), clock.monotonic()
        for part in check_in_parallel(cases, processes=options["processes"]):
            report.join(part)
            if not self.quiet and clock.monotonic() - said_at > SAY_EVERY_SECONDS:
                said_at = clock.monotonic()
                self.stderr.write(f"{report.total} of {total} open cases checked")
        return report

    def say(self, report: Report) -> None:
        for one in report.findings:
            verdict = "" if one.verdict == DIFFERS else f"{one.verdict}: "  # a sentence says so
            self.stdout.write(f"{one.reference}  {one.step}  {verdict}{one.sentence}")
        rest = report.count(DIFFERS) + report.count(UNKNOWN) - len(report.findings)
        if rest:
            self.stdout.write(f"… and {rest} more: a report names {FINDINGS}.")
        if report.count(DIFFERS):
            self.stdout.write("What to do about cases that differ: docs/change.md, “Which remedy”.")
        for row in report.markers():
            advice = "may go" if row["may_go"] else "keep it"
            self.stdout.write(
                f"changed(“{row['name']}”) in {row['kind']}, {row['step']} ({row['place']}): "
                f"{row['old']} cases take the old way, {row['new']} the new one: {advice}"
            )


def _require_known(*, kind: str, step: str) -> None:
    if not kind:
        return
    try:
        steps = [value for value, _ in kind_of(kind).model.Step.choices]  # type: ignore[attr-defined]
    except NoSuchKind as error:
        raise CommandError(str(error), returncode=2) from error
    if step and step not in steps:
        raise CommandError(
            f"A {kind} has no step “{step}”. It has: {', '.join(steps)}.", returncode=2
        )


def as_data(report: Report) -> dict[str, Any]:
    """The report for another program."""
    return {
        "checked": report.total,
        "fine": report.count(FINE),
        "differs": report.count(DIFFERS),
        "unknown": report.count(UNKNOWN),
        "steps": report.steps(),
        "changes": report.markers(),
        "cases": [
            {
                "reference": one.reference,
                "kind": one.kind,
                "step": one.step,
                "version": one.version,
                "verdict": one.verdict,
                "event": one.number,
                "place": one.place,
                "sentence": one.sentence,
            }
            for one in report.findings
        ],
    }
