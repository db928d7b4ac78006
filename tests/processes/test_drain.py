"""What one shared commit of the drain takes in, and when the drain says that it sleeps."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from cases.models import Case, Message
from processes.engine import inbox
from processes.models import Worker
from processes.work.drain import Drain

pytestmark = pytest.mark.django_db(transaction=True)


def post(name: str, to: str, key: str, source: str = "shop", **data: Any) -> None:
    inbox.store(source=source, key=key, name=name, to=to, data=data, actor="service:shop")


def test_messages_that_come_with_the_opening_of_their_case_reach_it(engine: Any) -> None:
    # Given a shop that opens a case and at once sends what belongs to it, the later part first
    post("case.open", "trial", key="order:17", facts={"script": "loan"})
    post("review", "shop:order:17", key="17.review")
    post("documents", "shop:order:17", key="17.documents")

    # When all of it is taken in
    engine.advance(seconds=2)

    # Then nothing lies in the tray, and the case has used both
    assert set(Message.objects.values_list("state", flat=True)) == {"used"}
    case = Case.objects.get(source="shop", source_key="order:17")
    assert case.outcome == "done"


def test_a_message_for_a_case_that_another_worker_opens_now_waits_for_it(engine: Any) -> None:
    # Given the opening in the hands of another worker
    post("case.open", "trial", key="18", facts={"script": "loan"})
    post("review", "shop:18", key="18.review")
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN; SELECT id FROM cases_message WHERE key = '18' FOR UPDATE")

            # When this one looks, it leaves the message alone
            engine.settle()
            assert Message.objects.get(key="18.review").state == "new"
            cursor.execute("ROLLBACK")
    finally:
        other.close()

    # And once the case is there, the message reaches it
    engine.settle()
    assert Message.objects.get(key="18.review").state == "kept"


def test_a_drain_that_finds_nothing_says_so_once_and_writes_no_more() -> None:
    drain = Drain()
    drain._register()
    try:
        drain._sleep()
        assert Worker.objects.get(pk=drain.worker_id).is_idle

        # It looks once more after saying so, and stays idle when there is nothing
        assert drain.round([]) == (False, [])
        assert Worker.objects.get(pk=drain.worker_id).is_idle
        assert drain._told_idle
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock_all()")
