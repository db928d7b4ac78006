"""Keys and transactions: what is not committed seals nothing later."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import connection, transaction

from audit import keys

NINE = datetime(2026, 11, 2, 9, tzinfo=UTC)


@pytest.mark.django_db(transaction=True)
def test_a_key_that_was_rolled_back_is_at_hand_for_nobody() -> None:
    keys.forget()
    keys.begin()
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        with connection.cursor() as cursor:
            made = keys.make({171: []}, made_at=NINE)
            keys.insert(cursor, made)
        assert keys.at_hand([171]) == {171: made[0].key}  # its own transaction may use it
        raise ZeroDivisionError
    keys.begin()
    assert keys.at_hand([171]) == {}
    with transaction.atomic(), connection.cursor() as cursor:  # as another process may
        (other,) = keys.make({171: []}, made_at=NINE)
        keys.insert(cursor, [other])
    assert keys.at_hand([171]) == {171: other.key}
    keys.forget()
