"""manage.py dbrole: a role of the database that can add to history, and change nothing of it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, transaction

from processes.proof import role


class Command(BaseCommand):
    help = (
        "Say what the role under which Longcase runs could do to history; with a name, print the "
        "SQL that lets that role run Longcase without such rights, or run it (as the owner of the "
        "tables) with --apply. Exits with 1 if the role in use has more rights than it should."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", help="the role that Longcase is to run under")
        parser.add_argument("--apply", action="store_true", help="run the SQL, not only print it")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["name"]
        if not name:
            trouble = role.trouble()
            if trouble:
                raise CommandError(trouble, returncode=1)
            self.stdout.write(
                f"Longcase runs as {role.current().name}, which can read history and add to it, "
                "and nothing else."
            )
            return
        with connection.cursor() as cursor:
            cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = %s", [name])
            row = cursor.fetchone()
        if row is None:
            raise CommandError(
                f'There is no role {name}. Make it first: CREATE ROLE "{name}" LOGIN PASSWORD …;'
            )
        if row[0]:
            raise CommandError(f"{name} is a superuser; no grant binds it. Choose another role.")
        if name == connection.settings_dict["USER"]:
            raise CommandError(
                f"{name} is the role of this very connection, the owner's. Choose another, and "
                "give the owner's address to `prepare` alone."
            )
        found = role.statements(name)
        if options["apply"]:
            with transaction.atomic(), connection.cursor() as cursor:
                for statement in found:
                    cursor.execute(statement)
            self.stdout.write(f"{name} can read history and add to it, and nothing else.")
        else:
            self.stdout.write("".join(f"{statement};\n" for statement in found))
