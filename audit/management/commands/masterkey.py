"""manage.py masterkey NAME: make a master key."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit import masters


class Command(BaseCommand):
    help = (
        "Print a new master key, as LONGCASE_MASTER_KEYS takes it; in the wrapping of the key "
        "service where there is one. It is kept nowhere: keep it, apart from the backups. To "
        "change keys, put it before the others, restart, and run rewrapkeys."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="what to call it, such as 2027-a")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["name"]
        if not re.fullmatch(r"[\w.-]{1,64}", name):
            raise CommandError("A name has letters, digits, dots and dashes, at most 64.")
        if name in masters.names():
            raise CommandError(f"There is a master key “{name}” already.")
        key = os.urandom(masters.KEY_BYTES)
        service = masters.service()
        stored = service.wrap(name, key) if service is not None else key
        self.stdout.write(f"{name}:{b64encode(stored).decode()}")
