"""manage.py backtest: what a changed rule or step would have made of closed cases."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cases.errors import Invalid
from cases.models import Case
from processes.backtest import changes
from processes.backtest.comparing import (
    BY,
    FAILS,
    FINDINGS,
    Result,
    closed_cases,
    compare,
    grouped,
)
from processes.backtest.trial import Change
from processes.kinds import Kind, NoSuchKind, kind_of

SHOWN = 20  # cases that are named for each finding


class Command(BaseCommand):
    help = (
        "Play closed cases again with a changed decision table or step, answered from their own "
        "histories, and tell which would have ended otherwise. Writes nothing. Exits with 1 when "
        "the changed code fails in a case."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", help="the kind of cases: loan")
        parser.add_argument("--table", type=Path, help="a CSV file of a decision table, changed")
        parser.add_argument("--step", default="", help="the step whose code is changed")
        parser.add_argument("--code", type=Path, help="a Python file with the step's changed code")
        parser.add_argument("--to", dest="step_version", type=int, help="or its other version")
        parser.add_argument("--cases", type=int, default=0, help="the newest so many; 0: all")
        parser.add_argument("--by", default="", help=f"group by {', '.join(BY)}, or a fact")
        parser.add_argument("--json", action="store_true", help="the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            kind = kind_of(options["kind"])
            change = _change(kind, options)
        except (NoSuchKind, Invalid) as error:
            raise CommandError(str(error)) from error
        by = options["by"]
        if by and by not in BY and by not in kind.fact_names:
            known = ", ".join([*BY, *sorted(kind.fact_names)])
            raise CommandError(f"Cases of {kind.name} cannot be grouped by {by!r}. By: {known}.")
        cases = closed_cases(Case.objects.select_related("team"), kind.name, most=options["cases"])
        results = list(compare(cases.iterator(chunk_size=200), change))
        if options["json"]:
            self.stdout.write(json.dumps(as_data(results, by), indent=1, ensure_ascii=False))
        else:
            self._say(results, by)
        failed = sum(result.finding == FAILS for result in results)
        if failed:
            raise CommandError(f"The changed code fails in {failed} cases.", returncode=1)

    def _say(self, results: list[Result], by: str) -> None:
        for finding in FINDINGS:
            found = [one for one in results if one.finding == finding]
            self.stdout.write(f"{finding:14}{len(found):7}")
            for words, n in Counter(one.words for one in found if one.words).most_common(SHOWN):
                example = next(one.case.reference for one in found if one.words == words)
                self.stdout.write(f"  {n:5} × {words} (such as {example})")
        for name, group in grouped(results, by).items():
            self.stdout.write(
                f"{name or 'all':24}{group.total:6} cases, {group.counts['differs']} differ, "
                f"{group.days_each:+.1f} days each, {group.reviews:+d} reviews"
            )
            for (was, would), n in group.outcomes.most_common():
                self.stdout.write(f"  {n:5} × {was} → {would}")


def _change(kind: Kind, options: dict[str, Any]) -> Change:
    """What is to be tried. Raises Invalid."""
    table, step, code = options["table"], options["step"], options["code"]
    version = options["step_version"]
    if table and not (step or code or version):
        try:
            text = table.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise Invalid(f"{table} cannot be read: {error}") from error
        return changes.of_table(kind, text, file=table.name)
    if step and code and version is None and not table:
        return changes.of_file(kind, step, code)
    if step and version is not None and not code and not table:
        return changes.of_version(kind, step, version)
    raise Invalid(
        "Name one change: --table FILE, or --step STEP with --code FILE or with --to VERSION."
    )


def as_data(results: list[Result], by: str) -> dict[str, Any]:
    """The report as plain data: counts, groups, and each case that is not the same."""
    return {
        "counts": dict(Counter(one.finding for one in results)),
        "groups": [
            {
                "name": group.name,
                "counts": dict(group.counts),
                "outcomes": [
                    {"was": was, "would": would, "cases": n}
                    for (was, would), n in group.outcomes.most_common()
                ],
                "days_each": round(group.days_each, 2),
                "reviews": group.reviews,
            }
            for group in grouped(results, by).values()
        ],
        "cases": [
            {
                "reference": one.case.reference,
                "finding": one.finding,
                "words": one.words,
                "was": one.was.outcome if one.was else None,
                "would": one.would.outcome if one.would else None,
                "days": round(one.days, 2) if one.days is not None else None,
                "reviews": one.reviews,
            }
            for one in results
            if one.finding not in ("same", "untouched")
        ],
    }
