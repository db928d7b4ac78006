import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, connection

from audit import read, record
from audit.chain import GENESIS
from audit.models import Event
from tests.audit.conftest import NINE, History


def test_events_are_numbered_from_one_and_each_seals_the_one_before(write_history: Any):
    history = write_history(events=3)

    events = read.events_of(1)
    assert [event.number for event in events] == [1, 2, 3]
    assert history.head == (1, 3, events[-1].hash)


def test_anyone_can_compute_the_hash_again(db: None):
    # Given an event with all that could go wrong in a spelling
    history = History(7)
    history.add("case.received", amount=Decimal("1.00"))
    event = record.record(
        history,
        'odd "type" \\ %s',
        actor="person:7",
        on_behalf="party:o'neill é",
        recorded_at=datetime(2027, 1, 4, 9, tzinfo=UTC),
        happened_at=datetime(2027, 1, 3, 9, 0, 0, 1, tzinfo=UTC),
        note='it\'s 100 % "quoted" \\ é',
    )

    # When somebody follows the documentation with the stored row
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT type, data, actor, on_behalf FROM audit_event WHERE case_id = 7 AND number = 2"
        )
        type, data, actor, on_behalf = cursor.fetchone()
    line = json.dumps(
        [
            7,
            2,
            type,
            json.loads(data),
            actor,
            on_behalf,
            "2027-01-03T09:00:00.000001Z",
            "2027-01-04T09:00:00.000000Z",
        ],
        ensure_ascii=False,
        separators=(",", ":"),
    )

    # Then both agree
    first = read.events_of(7)[0]
    assert event.hash == sha256(first.hash + line.encode()).digest()
    assert (event.type, event.on_behalf) == ('odd "type" \\ %s', "party:o'neill é")


def test_the_database_alone_can_compute_the_hash_too(write_history: Any):
    write_history(events=2)

    with connection.cursor() as cursor:
        cursor.execute(
            r"""
            SELECT hash = sha256(
                       lag(hash, 1, decode(repeat('00', 32), 'hex')) OVER (ORDER BY number)
                       || convert_to(format('[%%s,%%s,%%s,%%s,%%s,%%s,"%%s","%%s"]',
                              case_id, number, to_json(type), data, to_json(actor),
                              to_json(on_behalf), spelled.happened, spelled.recorded), 'UTF8'))
              FROM audit_event,
                   LATERAL (SELECT
                       to_char(happened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                       to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
                   ) AS spelled (happened, recorded)
             WHERE case_id = %s ORDER BY number
            """,
            [1],
        )
        assert cursor.fetchall() == [(True,), (True,)]


def test_data_right_after_writing_is_what_a_later_reader_gets(db: None):
    papers = ["id"]
    recorded = History(1).add("documents.asked", papers=papers, pair=(1, 2))
    papers.append("payslip")

    assert recorded.data == read.events_of(1)[0].data == {"papers": ["id"], "pair": [1, 2]}


def test_many_events_of_many_cases_are_written_at_once(
    db: None, django_assert_num_queries: Any, monkeypatch: Any
):
    monkeypatch.setattr(record, "ROWS_PER_INSERT", 10)
    heads = [History(case_id) for case_id in (1, 2, 3)]
    drafts = [
        record.Draft(
            head=head, type="step.entered", data={"n": n}, actor="engine", recorded_at=NINE
        )
        for n in range(5)
        for head in heads
    ]

    with django_assert_num_queries(2), connection.cursor() as cursor:
        record.write(cursor, [record.chain(draft) for draft in drafts])

    assert [head.head_number for head in heads] == [5, 5, 5]
    assert Event.objects.count() == 15


@pytest.mark.django_db(transaction=True)
def test_a_plain_psycopg_cursor_writes_and_reads_too():
    arguments = connection.get_connection_params()
    wanted = {key: arguments[key] for key in ("host", "port", "user", "dbname") if key in arguments}
    event = record.chain(
        record.Draft(
            head=History(1), type="100 %", data={"a": "%s"}, actor="engine", recorded_at=NINE
        )
    )
    with psycopg.connect(**wanted) as own, own.cursor() as cursor:
        record.write(cursor, [event])
        found = read.events_since(cursor, [(1, 1)])[1]

    assert [(one.type, one.data, one.hash) for one in found] == [("100 %", {"a": "%s"}, event.hash)]


def test_nobody_did_it_is_refused(db: None):
    with pytest.raises(IntegrityError, match="somebody_did_something"):
        record.record(History(1), "case.received", actor="", recorded_at=NINE)


def test_a_second_event_with_the_same_number_is_refused(db: None):
    History(1).add("case.received")

    with pytest.raises(IntegrityError):
        History(1).add("case.received")


# --- Reading -------------------------------------------------------------------------------


def test_a_part_of_a_history_is_read_by_number(write_history: Any):
    write_history(events=5)

    assert [event.number for event in read.events_of(1, after=2)] == [3, 4, 5]
    assert [event.number for event in read.events_of(1, after=1, upto=3)] == [2, 3]


def test_several_histories_are_read_in_one_query(
    write_history: Any, django_assert_num_queries: Any
):
    write_history(1, events=4)
    write_history(2, events=2)

    with django_assert_num_queries(1), connection.cursor() as cursor:
        found = read.events_since(cursor, [(2, 1), (1, 3), (9, 1)])

    numbers = {case_id: [event.number for event in events] for case_id, events in found.items()}
    assert numbers == {2: [1, 2], 1: [3, 4], 9: []}


def test_moments_come_back_in_utc_as_they_went_in(db: None):
    later = NINE + timedelta(microseconds=1)
    record.record(History(1), "noted", actor="engine", recorded_at=later, happened_at=NINE)

    (event,) = read.events_of(1)
    assert (event.happened_at, event.recorded_at) == (NINE, later)
    assert event.recorded_at.utcoffset() == timedelta()


def test_the_model_reads_data_when_first_looked_into(write_history: Any):
    write_history(events=1)

    event = Event.objects.get(pk=(1, 1))
    assert event.data["amount"] == 1000
    assert event.data.text == '{"amount":1000}'
    assert event.hash != GENESIS
