"""`manage.py standins`: stand-ins for the services outside, for demos and tests."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from processes.standins.journal import Journal
from processes.standins.server import Standins


class Command(BaseCommand):
    help = (
        "Run stand-ins for the services outside (identity, credit, appraiser, bank). What they "
        "did is kept in the file STANDINS_JOURNAL."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=settings.STANDINS_PORT)
        parser.add_argument(
            "--appraisal-seconds",
            type=float,
            default=float(os.environ.get("STANDINS_APPRAISAL_SECONDS", "5")),
            help="How long the appraiser takes to answer an order.",
        )

    def handle(self, *, host: str, port: int, appraisal_seconds: float, **options: Any) -> None:
        path = Path(os.environ.get("STANDINS_JOURNAL") or settings.DATA_DIR / "standins.jsonl")
        try:
            server = Standins(
                host=host, port=port, journal=Journal(path), delay_seconds=appraisal_seconds
            )
        except OSError as error:
            raise CommandError(
                f"The stand-ins cannot start on {host}:{port} with the journal {path}: "
                f"{error.strerror}."
            ) from error
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        self.stdout.write(f"Stand-ins at http://{host}:{server.server_address[1]}, journal {path}.")
        self.stdout._out.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass
        finally:
            server.server_close()
