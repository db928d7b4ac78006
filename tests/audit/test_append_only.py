"""The database itself refuses to change history, to the owner of the table too."""

from typing import Any

import pytest
from django.db import IntegrityError, connection

from audit.models import Event


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_event SET actor = 'person:1' WHERE number = 1",
        "UPDATE audit_event SET data = data",
        "DELETE FROM audit_event WHERE number = 5",
        "DELETE FROM audit_event",
        "TRUNCATE audit_event",
        "TRUNCATE audit_event CASCADE",
    ],
)
def test_history_cannot_be_changed_or_removed(write_history: Any, statement: str):
    write_history(events=5)
    before = list(Event.objects.values_list("number", "actor", "data", "hash"))

    with connection.cursor() as cursor:
        cursor.execute("SAVEPOINT attempt")
        with pytest.raises(IntegrityError, match="append-only") as refusal:
            cursor.execute(statement)
        cursor.execute("ROLLBACK TO SAVEPOINT attempt")

    assert refusal.value.__cause__.sqlstate == "23001"  # restrict_violation
    assert statement.split()[0] in str(refusal.value)
    assert list(Event.objects.values_list("number", "actor", "data", "hash")) == before


def test_the_one_who_tries_is_the_owner_of_the_table(db: None):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tableowner = current_user FROM pg_tables WHERE tablename = 'audit_event'"
        )
        assert cursor.fetchone() == (True,)
