from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from tests.timers.conftest import NINE
from timers import due
from timers.due import TimerRow
from timers.models import Timer


@pytest.fixture
def other_connection() -> Iterator[Any]:
    other = connection.copy()
    yield other
    other.close()


def taken(cursor: Any, *, minutes: float, limit: int = 100) -> list[int]:
    return [row.case_id for row in due.take_due(cursor, NINE + timedelta(minutes=minutes), limit)]


def test_due_timers_come_in_due_order_and_no_other_does(set_timer: Any):
    for case_id, minutes in [(1, 30), (2, 10), (3, 20), (4, 31)]:
        set_timer(case_id, minutes=minutes)

    with connection.cursor() as cursor:
        assert taken(cursor, minutes=9.9) == []
        assert taken(cursor, minutes=30) == [2, 3, 1]
        assert taken(cursor, minutes=60, limit=2) == [2, 3]


def test_timers_due_at_the_same_moment_come_in_the_order_they_were_set(set_timer: Any):
    for case_id in (3, 1, 2):
        set_timer(case_id, minutes=10)

    with connection.cursor() as cursor:
        assert taken(cursor, minutes=10) == [3, 1, 2]


@pytest.mark.django_db(transaction=True)
def test_two_timer_services_never_take_the_same_timer(set_timer: Any, other_connection: Any):
    for case_id in (1, 2, 3):
        set_timer(case_id)

    with transaction.atomic(), connection.cursor() as cursor:
        assert taken(cursor, minutes=1, limit=2) == [1, 2]
        with other_connection.cursor() as other:
            assert taken(other, minutes=1) == [3]


@pytest.mark.django_db(transaction=True)
def test_a_timer_whose_transaction_fails_is_due_again(set_timer: Any, other_connection: Any):
    set_timer(1)

    with pytest.raises(RuntimeError), transaction.atomic(), connection.cursor() as cursor:
        (row,) = due.take_due(cursor, NINE, 10)
        due.remove(cursor, [row.id])
        raise RuntimeError("the worker died before it recorded the event")

    with other_connection.cursor() as other:
        assert taken(other, minutes=0) == [1]


def test_what_was_set_is_what_is_taken(db: None):
    rows = [
        TimerRow(1, 2, 3, "command", NINE),
        TimerRow(1, 2, 3, "o'due %s", NINE + timedelta(microseconds=1), '{"a":"100 %"}'),
    ]

    with connection.cursor() as cursor:
        due.insert(cursor, rows)
        found = due.take_due(cursor, NINE + timedelta(hours=1), 10)

    assert [row._replace(id=None) for row in found] == rows
    assert found[0].key == (1, 2, 3, "command")


def test_the_same_timer_is_set_once(set_timer: Any):
    set_timer(1)

    with pytest.raises(IntegrityError, match="timers_timer_once"):
        set_timer(1, minutes=5)


def test_a_fired_timer_leaves_no_row(set_timer: Any):
    set_timer(1)

    with connection.cursor() as cursor:
        (row,) = due.take_due(cursor, NINE, 10)
        assert due.remove(cursor, [row.id]) == 1
        assert due.remove(cursor, [row.id]) == 0
        assert due.remove(cursor, []) == 0

    assert not Timer.objects.exists()


def test_cancelling_removes_exactly_the_timers_that_are_named(set_timer: Any):
    rows = [set_timer(case_id) for case_id in (1, 2, 3)]
    set_timer(1, purpose="overdue")

    with connection.cursor() as cursor:
        assert due.cancel(cursor, [rows[0].key, rows[2].key]) == 2
        assert due.cancel(cursor, [rows[0].key]) == 0  # twice is no error
        assert due.cancel(cursor, []) == 0

    left = Timer.objects.values_list("case_id", "purpose")
    assert set(left) == {(2, "command"), (1, "overdue")}


def test_thousands_are_set_and_cancelled_in_a_few_statements(
    db: None, django_assert_num_queries: Any
):
    rows = [TimerRow(n, 1, 1, "command", NINE + timedelta(days=9999)) for n in range(2500)]

    with django_assert_num_queries(3), connection.cursor() as cursor:
        due.insert(cursor, rows)
    with django_assert_num_queries(3), connection.cursor() as cursor:
        assert due.cancel(cursor, [row.key for row in rows]) == 2500


def test_the_next_due_time_is_the_first_that_is_still_to_come(set_timer: Any):
    assert due.next_due(connection, after=NINE) is None

    for case_id, minutes in [(1, 0), (2, 20), (3, 10)]:
        set_timer(case_id, minutes=minutes)

    assert due.next_due(connection, after=NINE) == NINE + timedelta(minutes=10)


def test_finding_what_is_due_reads_the_index(db: None):
    rows = [
        TimerRow(n, 1, 1, "command", NINE + timedelta(minutes=n * 7919 % 5000)) for n in range(5000)
    ]

    with connection.cursor() as cursor:
        due.insert(cursor, rows)
        cursor.execute("ANALYZE timers_timer")
        cursor.execute(
            "EXPLAIN SELECT * FROM timers_timer WHERE due_at <= %s "
            "ORDER BY due_at, id LIMIT 500 FOR UPDATE SKIP LOCKED",
            [NINE + timedelta(minutes=4000)],
        )
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert "Index Scan using timers_timer_due" in plan
    assert "Sort" not in plan
