"""manage.py mailin: take mail in, from a maildir, or one mail from standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cases.errors import Refused
from processes import inbound, mailbox


class Command(BaseCommand):
    help = (
        "Take mail in: attachments and text become documents of the case whose reference stands in "
        "the address or the subject; the rest lies in the tray. Safe to run again at any time."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("maildir", nargs="?", help="a maildir; without it, one mail from stdin")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["maildir"]:
            # For a mail server's pipe: an exit other than 0 makes it try again later.
            self._tell(inbound.take(mailbox.incoming(sys.stdin.buffer.read())))
            return
        folder = Path(options["maildir"])
        if not (folder / "new").is_dir():
            raise CommandError(f"{folder} is no maildir: it has no folder “new”.")
        box, refused = mailbox.Maildir(folder), 0
        for key, one in box:
            try:
                taken = inbound.take(one)
            except Refused as refusal:
                refused += 1
                self.stderr.write(f"{key}: {refusal}")
                continue
            box.done(key, taken)
            self._tell(taken)
        if refused:
            raise CommandError(f"{refused} mails were not taken and lie where they were.")

    def _tell(self, taken: inbound.Taken) -> None:
        again = ", again" if taken.is_repeat else ""
        self.stdout.write(f"{taken.state} {taken.case}{again}".strip())
