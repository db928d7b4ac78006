"""The order of all events: without gaps, each once, also where commits come late."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from audit import feed, record
from audit.feed import BEGINNING, Place
from audit.models import FeedRow, Unnumbered
from tests.audit.conftest import NINE, History


def told(after: Place = BEGINNING, **only: Any) -> list[tuple[int, int]]:
    """(case, number) of all events behind a place."""
    rows = feed.rows_after(after, 1000)
    return [(one.event.case_id, one.event.number) for one in feed.events_in(rows, 1000, **only)]


def test_what_is_written_is_numbered_once_in_order(write_history: Callable[..., Any]) -> None:
    write_history(1, events=3)
    write_history(2, events=2)
    assert told() == []
    assert feed.number() == 5 and feed.number() == 0
    assert told() == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]
    assert list(FeedRow.objects.order_by("position").values_list("position", flat=True)) == [
        1,
        2,
        3,
        4,
        5,
    ]
    assert told(Place(3, 3)) == [(2, 1), (2, 2)] and told(feed.end()) == []


def test_one_commit_takes_one_row_a_case(db: None) -> None:
    one, other = History(1), History(2)
    drafts = [
        record.Draft(head=head, type=type, data={}, actor="engine", recorded_at=NINE)
        for head, type in ((one, "a.b"), (one, "a_b"), (other, "a.c"), (one, "a.b"))
    ]
    with connection.cursor() as cursor:
        record.write(cursor, [record.chain(draft) for draft in drafts])
    rows = list(Unnumbered.objects.order_by("id").values_list("case_id", "first", "last"))
    assert rows == [(1, 1, 2), (2, 1, 1), (1, 3, 3)]
    feed.number()
    # A place may lie within a row
    assert told(Place(1, 1)) == [(1, 2), (2, 1), (1, 3)]
    assert told(types=["a_b"]) == [(1, 2)]
    assert told(types=["a.*"]) == [(1, 1), (2, 1), (1, 3)]
    with connection.cursor() as cursor:
        assert feed.missing(cursor) == []


@pytest.mark.django_db(transaction=True)
def test_what_commits_late_comes_behind_what_was_read_before() -> None:
    # Given a commit that takes its time
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        with closing(connection), transaction.atomic():
            History(1).add("slow.one")
            begun.set()
            go_on.wait(20)

    writer = threading.Thread(target=slow)
    writer.start()
    begun.wait(20)
    # When others commit meanwhile, and are read
    History(2).add("quick.one")
    feed.number()
    assert told() == [(2, 1)]
    place = feed.end()
    go_on.set()
    writer.join(20)
    # Then it follows
    feed.number()
    assert told(place) == [(1, 1)] and told() == [(2, 1), (1, 1)]


@pytest.mark.django_db(transaction=True)
def test_two_number_at_once_and_one_does_it() -> None:
    for case in range(1, 200):
        History(case).add("one.two")
    counts: list[int] = []

    def number() -> None:
        with closing(connection):
            counts.append(feed.number())

    threads = [threading.Thread(target=number) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(20)
    feed.number()
    assert sorted(FeedRow.objects.values_list("position", flat=True)) == list(range(1, 200))
    assert len(set(told())) == 199


def test_a_place_is_known_by_its_mark(write_history: Callable[..., Any]) -> None:
    write_history(1, events=3)
    feed.number()
    (first, *_rest) = feed.events_in(feed.rows_after(BEGINNING, 10), 10)
    assert feed.mark_at(first.place) == feed.mark_of(first.event.hash)
    assert feed.mark_at(BEGINNING) == "" and feed.mark_at(Place(4, 1)) is None
    assert feed.mark_at(Place(1, 2)) is None  # not an event of that row


def test_a_moment_is_found_with_what_may_have_overlapped(db: None) -> None:
    history = History(1)
    for hours in range(20):
        record.record(history, "one.two", actor="engine", recorded_at=NINE + timedelta(hours=hours))
    feed.number()
    assert told(feed.place_since(NINE + timedelta(hours=17)))[0] == (1, 18)
    assert told(feed.place_since(NINE))[0] == (1, 1)
    assert feed.place_since(NINE + timedelta(days=9)) == feed.end()


@pytest.mark.parametrize("what", ["UPDATE audit_feed SET last = 9", "DELETE FROM audit_feed"])
def test_the_order_stays_as_it_was_told(write_history: Callable[..., Any], what: str) -> None:
    write_history(1, events=1)
    feed.number()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        connection.cursor().execute(what)


def test_an_event_that_the_feed_lacks_is_found(
    write_history: Callable[..., Any], tamper: Callable[..., None]
) -> None:
    write_history(1, events=4)
    feed.number()
    tamper("DELETE FROM audit_feed WHERE position = 2")
    with connection.cursor() as cursor:
        assert feed.missing(cursor) == [(1, 4, 3)]
