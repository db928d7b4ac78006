"""manage.py readlog: check the read log, seal it, or give up months that had their time."""

from __future__ import annotations

import getpass
from datetime import date
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from audit import readseals


class Command(BaseCommand):
    help = (
        "verify: is the read log as it was sealed? seal: seal what was written since. months: what "
        "is kept. drop: give up months older than LONGCASE_READ_LOG_MONTHS; sealed with your name."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("act", choices=["verify", "seal", "months", "drop"])
        parser.add_argument("--yes", action="store_true", help="drop: do it; else only tell")
        parser.add_argument(
            "--head", metavar="N:HASH", help="verify: a head of the log that was kept elsewhere"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        getattr(self, options["act"])(options)

    def verify(self, options: dict[str, Any]) -> None:
        found = list(readseals.verify(anchored=_head(options["head"])))
        for one in found:
            self.stdout.write(one.words)
        if found:
            raise CommandError(f"{len(found)} findings in the read log.", returncode=1)
        number, hash_ = readseals.last()
        self.stdout.write(f"The read log is as it was sealed: {number}:{hash_.hex()}")

    def seal(self, options: dict[str, Any]) -> None:
        count = readseals.seal()
        number, hash_ = readseals.last()
        self.stdout.write(f"{count} rows sealed: {number}:{hash_.hex()}")

    def months(self, options: dict[str, Any]) -> None:
        for month, rows in readseals.months():
            self.stdout.write(f"{month:%Y-%m}  {rows}")

    def drop(self, options: dict[str, Any]) -> None:
        readseals.seal()
        oldest_kept = _months_ago(settings.LONGCASE_READ_LOG_MONTHS)
        old = [(month, rows) for month, rows in readseals.months() if month < oldest_kept]
        if not old:
            self.stdout.write(f"Nothing is older than {oldest_kept:%Y-%m}.")
        for month, rows in old:
            if options["yes"]:
                rows = readseals.drop_month(month, by=f"system:{getpass.getuser()}")
            done = "dropped" if options["yes"] else "would be dropped; say --yes"
            self.stdout.write(f"{month:%Y-%m}  {rows} rows {done}")


def _months_ago(count: int) -> date:
    """The first day of the month that lies so many months back, by the database's time."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => %s))"
            "::date",
            [count],
        )
        found: date = cursor.fetchone()[0]
    return found


def _head(said: str | None) -> tuple[int, bytes] | None:
    if not said:
        return None
    number, _colon, hash_ = said.partition(":")
    try:
        return int(number), bytes.fromhex(hash_)
    except ValueError as error:
        raise CommandError("A head is its number, a colon, and 64 hexadecimal digits.") from error
