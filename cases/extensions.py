"""Extensions of Postgres that Longcase needs, and what to do where its role may not create them."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.migrations.operations.base import Operation
from django.db.utils import DatabaseError


class NeedExtension(Operation):
    """Create an extension unless it is there. Where that is refused, say what would work."""

    reversible = True
    reduces_to_sql = False

    def __init__(self, name: str) -> None:
        self.name = name

    def state_forwards(self, app_label: str, state: Any) -> None:
        pass

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        with schema_editor.connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_extension WHERE extname = %s", [self.name])
            if cursor.fetchone():
                return
            try:
                cursor.execute(f'CREATE EXTENSION IF NOT EXISTS "{self.name}"')
            except DatabaseError as error:
                raise ImproperlyConfigured(
                    f"Find needs the Postgres extension {self.name}, and this role could not "
                    f"create it: {str(error).strip()}. Let an administrator of the database run "
                    f"“CREATE EXTENSION {self.name};” in it once (its files come with Postgres "
                    "itself, on Debian in the package of the server), then start again."
                ) from error

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        """It stays: others may use it."""

    def describe(self) -> str:
        return f"Needs the extension {self.name}"
