"""manage.py checkfiles: read the bytes of every document and compare their digest."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from processes import storing


class Command(BaseCommand):
    help = "Find documents whose bytes are missing from storage or are not those that came in."

    def handle(self, *args: Any, **options: Any) -> None:
        damaged = storing.check_files()
        for one in damaged:
            self.stdout.write(f"{one.case.reference}: document {one.pk}, SHA-256 {one.digest}")
        if damaged:
            raise CommandError(
                f"{len(damaged)} documents cannot be read. Restore their bytes from a backup under "
                "documents/ in the storage, by digest, and run this again."
            )
        self.stdout.write("The bytes of all documents are as they came in.")
