"""`manage.py decisions check|test|show`: look at decision tables, and try them on rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from processes.decisions.errors import BadTable
from processes.decisions.library import known_tables, load
from processes.decisions.rows import check_folder, untested
from processes.decisions.sound import findings
from processes.decisions.tables import DecisionTable


class Command(BaseCommand):
    help = "Check decision tables for gaps and contradictions, and test them with rows."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parts = parser.add_subparsers(dest="what", required=True)
        for name, words in (
            ("check", "look for gaps, contradictions and rules that never come into play"),
            ("test", "try the rows of each NAME.rows.csv"),
            ("show", "print each rule as a sentence"),
        ):
            part = parts.add_parser(name, help=words)
            part.add_argument("folder", nargs="?", help="a folder of tables; else all kinds'")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            good = getattr(self, options["what"])(options["folder"])
        except BadTable as error:
            raise CommandError(str(error)) from None
        if not good:
            raise CommandError("Something is wrong with these tables; see above.")

    def check(self, folder: str | None = None) -> bool:  # type: ignore[override]
        good = True
        for table in self._tables(folder):
            for version in table.versions:
                found = findings(version)
                for one in found:
                    line = f", line {one.line}" if one.line else ""
                    self.stdout.write(f"{version.file}{line}: {one.words}")
                    good = good and not one.grave
                if not found:
                    self.stdout.write(f"{version.file}: {version}: sound")
        return good

    def test(self, folder: str | None) -> bool:
        good = True
        for place in self._folders(folder):
            results = check_folder(place)
            for one in results:
                if one.wrong:
                    good = False
                    self.stdout.write(f"{one.file}, line {one.line}: {one.wrong}")
            self.stdout.write(f"{place}: {len(results)} rows")
            for table in load(place).values():
                for version in table.versions:
                    if left := untested(version, results):
                        numbers = ", ".join(map(str, left))
                        self.stdout.write(f"{version.file}: no row meets rule {numbers}")
        return good

    def show(self, folder: str | None) -> bool:
        for table in self._tables(folder):
            for version in table.versions:
                self.stdout.write(f"{version}: {version.title} ({version.hit_policy})")
                for rule in version.rules:
                    self.stdout.write(f"  {version.explain(rule)}")
        return True

    def _tables(self, folder: str | None) -> list[DecisionTable]:
        return list(load(Path(folder)).values()) if folder else known_tables()

    def _folders(self, folder: str | None) -> list[Path]:
        if folder:
            return [Path(folder)]
        return sorted({table.folder for table in known_tables() if table.folder is not None})
