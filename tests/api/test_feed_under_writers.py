"""A reader follows the feed while eight writers commit slowly: it misses nothing, and sees nothing
twice. Ten seconds with the suite; LONGCASE_FEED_SECONDS=600 for as long as it takes."""

from __future__ import annotations

import os
import random
import threading
import time
from contextlib import closing
from typing import Any

import pytest
from django.db import connection, transaction

from audit.models import Event, FeedRow, Unnumbered
from cases.actors import service
from processes.acts.messages import deliver_message

SECONDS = float(os.environ.get("LONGCASE_FEED_SECONDS", "10"))
WRITERS, CASES = 8, 12


class Undone(Exception):
    pass


def write(cases: list[int], name: str, until: float) -> None:
    """Send messages to cases that take long to commit, a tenth of which never do."""
    chance = random.Random(name)
    number = 0
    with closing(connection):
        while time.monotonic() < until:
            number += 1
            try:
                with transaction.atomic():
                    # As calls do that keep their key: the number of the transaction is taken
                    # before it waits for its case.
                    connection.cursor().execute("SELECT pg_current_xact_id()")
                    for case_id in sorted(chance.sample(cases, chance.choice((1, 1, 2)))):
                        deliver_message(
                            case_id=case_id,
                            name="early",
                            data={"n": number},
                            source=name,
                            key=f"{number}-{case_id}",
                            actor=service(name),
                        )
                    time.sleep(chance.choice((0, 0, 0.01, 0.05, 0.3)))
                    if chance.random() < 0.1:
                        raise Undone
            except Undone:
                pass


def read(token: Any, after: str, done: threading.Event, found: list[Any]) -> None:
    """Follow the feed until all is written and nothing more comes."""
    with closing(connection):
        while True:
            was_done = done.is_set()
            page = token.get(f"events?after={after}&wait=1&limit=50").json()
            found += page["results"]
            after = page["next"]
            if was_done and not page["results"] and not page["more"]:
                return


@pytest.mark.django_db(transaction=True)
def test_a_reader_misses_nothing_and_sees_nothing_twice(
    program: Any, desk: Any, settings: Any
) -> None:
    settings.LONGCASE_API_CALLS = 10**6
    cases = [desk.open("patience").pk for _ in range(CASES)]
    calls = program("read:trial")
    done, end = threading.Event(), time.monotonic() + SECONDS
    found: list[list[Any]] = [[], []]
    readers = [
        threading.Thread(target=read, args=(type(calls)(calls.token), "", done, one))
        for one in found
    ]
    writers = [
        threading.Thread(target=write, args=(cases, f"writer-{n}", end)) for n in range(WRITERS)
    ]
    for one in (*readers, *writers):
        one.start()
    for one in writers:
        one.join(SECONDS + 60)
    done.set()
    for one in readers:
        one.join(60)
    # Then each reader has had every event once, those of a case in their order
    written = set(Event.objects.values_list("case_id", "number"))
    assert len(written) > CASES * 3 + 2 * SECONDS
    for events in found:
        had = [(one["case"]["id"], one["number"]) for one in events]
        assert len(had) == len(set(had)) == len(written) and set(had) == written
        for case_id in cases:
            numbers = [number for case, number in had if case == case_id]
            assert numbers == sorted(numbers)
    assert [one["id"] for one in found[0]] == [one["id"] for one in found[1]]
    positions = list(FeedRow.objects.order_by("position").values_list("position", flat=True))
    assert positions == list(range(1, len(positions) + 1)) and not Unnumbered.objects.exists()
