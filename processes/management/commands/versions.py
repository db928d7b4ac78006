"""manage.py versions: which versions of steps' code are in use, and which may be deleted."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from processes.engine.versions import VersionUse, in_use


class Command(BaseCommand):
    help = (
        "List each version of each step's code: how many open cases stand in it, and whether it "
        "may be deleted. Exits with 1 when a version is in use that this release does not have."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--kind", default="", help="only this kind")

    def handle(self, *args: Any, **options: Any) -> None:
        found = [one for one in in_use() if options["kind"] in ("", one.kind)]
        for one in found:
            self.stdout.write(
                f"{one.kind}  {one.step}  version {one.version}  {one.cases} open  {_advice(one)}"
            )
        missing = [one for one in found if one.is_missing]
        if missing:
            raise CommandError("\n".join(one.sentence for one in missing))


def _advice(one: VersionUse) -> str:
    if one.is_missing:
        return "missing"
    if one.is_newest:
        return f"newest ({one.place})"
    return f"may be deleted ({one.place})" if one.may_go else f"in use ({one.place})"
