"""A worker that is killed while it sends: the same event comes again, under the same webhook-id."""

from __future__ import annotations

import time
from typing import Any

from audit.models import Event
from cases.actors import Actor, service
from processes.acts.cases import open_case
from processes.acts.webhooks import make_webhook


def test_killed_in_the_middle_of_a_call_nothing_is_lost(
    installation: Any, program: Any, receivers: Any
) -> None:
    installation.environ |= {
        "LONGCASE_WEBHOOK_NETWORKS": "127.0.0.0/8",
        "LONGCASE_WEBHOOK_SECONDS": "2",
    }
    receiver, other = receivers(), receivers()
    calls = program("read:trial")
    for one in (receiver, other):
        make_webhook(client=calls.client, url=one.url, actor=Actor.of_client(calls.client))
    # Given a worker that waits for a receiver to answer
    receiver.behave = lambda _call: "late"
    (worker,) = installation.start("short")
    case = open_case(kind="trial", facts={"script": "hour"}, title="x", actor=service("website"))
    installation.wait(lambda: receiver.calls, "the first call")
    worker.kill()
    worker.wait(10)
    time.sleep(0.2)
    first = receiver.calls[0]["id"]
    assert first == f"evt_{case.pk}_1"
    # When another one goes on
    receiver.behave = lambda _call: 200
    installation.start("short")
    wanted = [f"evt_{case.pk}_{n + 1}" for n in range(Event.objects.count())]
    installation.wait(lambda: receiver.taken == wanted, "all events")
    # Then the same came again first, and what the other got was not held up by it
    assert [call["id"] for call in receiver.calls[:2]] == [first, first]
    installation.wait(lambda: other.taken == wanted, "all events, elsewhere")
