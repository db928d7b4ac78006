"""Events sent to webhooks: all of them, in order, each receiver by itself."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from audit.models import Event
from cases.models import Case
from processes.acts import webhooks as acts
from processes.models import Webhook, WebhookAttempt
from processes.webhooks import delivering, notices, signing


@pytest.fixture
def hooked(program: Any, receivers: Any) -> Callable[..., tuple[Any, Webhook]]:
    """A receiver, and the webhook that sends to it."""
    calls = program("read:trial", "messages:trial", name="portal")

    def make(**more: Any) -> tuple[Any, Webhook]:
        receiver = receivers()
        hook = acts.make_webhook(
            client=calls.client, url=receiver.url, actor=actor_of(calls), **more
        )
        return receiver, hook

    make.calls = calls  # type: ignore[attr-defined]
    return make


def actor_of(calls: Any) -> Any:
    from cases.actors import Actor

    return Actor.of_client(calls.client)


def ids_of(*, after: int = 0) -> list[str]:
    """The ids of all events, in the order of the feed."""
    from audit import feed

    feed.number()
    rows = feed.rows_after(feed.BEGINNING, 10_000)
    found = feed.events_in(rows, 10_000)
    return [f"evt_{one.event.case_id}_{one.event.number}" for one in found][after:]


def let_pass(engine: Any, **span: float) -> None:
    engine.advance(**span)
    delivering.deliver_due()


def test_events_come_as_signed_cloud_events_in_order(hooked: Any, desk: Any) -> None:
    receiver, hook = hooked(title="Portal")
    case = desk.open("hour")
    delivering.deliver_due()
    assert receiver.taken == ids_of()
    call = receiver.calls[0]
    event = call["event"]
    assert event["specversion"] == "1.0" and event["id"] == call["id"]
    assert event["source"].endswith("/api/v1") and event["type"] == "longcase.case.opened"
    assert event["subject"] == case.reference and event["data"]["number"] == 1
    assert call["headers"]["content-type"].startswith("application/cloudevents+json")
    (secret,) = acts.secrets_told(webhook_id=hook.pk, actor=actor_of(hooked.calls))
    from timers import clock

    assert (
        signing.verify(
            call["headers"], call["body"], secrets=[signing.read(secret)], now=clock.now()
        )
        == call["id"]
    )
    log = WebhookAttempt.objects.order_by("pk").first()
    assert (log.status, log.is_delivered, log.answer, log.case) == (
        200,
        True,
        "thanks",
        case.reference,
    )
    # Nothing is sent twice
    delivering.deliver_due()
    assert len(receiver.calls) == len(ids_of())


@pytest.mark.unsound("restricts it by hand")
def test_only_what_was_asked_for_and_may_be_read_is_sent(
    hooked: Any, desk: Any, people: Any
) -> None:
    receiver, _hook = hooked(types=["task.*"])
    loans, _other = hooked(kinds=["loan"])
    desk.open("review")
    hidden = desk.open("review")
    Case.objects.filter(pk=hidden.pk).update(restricted=True)
    delivering.deliver_due()
    assert [call["event"]["type"] for call in receiver.calls] == ["longcase.task.opened"]
    assert loans.calls == []
    # An account that is ended gets nothing
    desk.open("review")
    hooked.calls.client.is_active = False
    hooked.calls.client.save()
    assert delivering.deliver_due() == 0


def test_a_receiver_that_is_down_for_two_hours_gets_all_hundred_in_order(
    hooked: Any, desk: Any, engine: Any
) -> None:
    receiver, hook = hooked()
    steady, _other = hooked()
    case = desk.open("patience")
    delivering.deliver_due()
    before = len(receiver.taken)
    # Given two hours without an answer, then a while of 500
    receiver.behave = lambda _call: "drop"
    for minute in range(100):
        answer = hooked.calls.post("messages", {"to": case.reference, "name": "early"})
        assert answer.status_code == 202
        let_pass(engine, minutes=1.2)
        if minute == 80:
            receiver.behave = lambda _call: 500
    hook.refresh_from_db()
    assert receiver.taken == ids_of()[:before] and hook.tries > 5
    assert steady.taken == ids_of()  # nobody else waits
    log = WebhookAttempt.objects.filter(webhook=hook, is_delivered=False).order_by("-pk").first()
    assert log.status == 500 and log.answer == "thanks" and log.attempt == hook.tries
    # When it answers again
    receiver.behave = lambda _call: 200
    let_pass(engine, hours=5)
    assert receiver.taken == ids_of() and len(ids_of()) >= 100 + before


def test_a_week_of_trouble_loses_nothing_and_holds_up_nobody(
    hooked: Any, desk: Any, engine: Any
) -> None:
    chance = random.Random(7)
    bad, hook = hooked()
    steady, _other = hooked()
    case = desk.open("patience")

    def trouble(_call: Any) -> Any:
        return chance.choices([200, 500, "drop", 503, 302, "late"], weights=[40, 20, 20, 10, 9, 1])[
            0
        ]

    bad.behave = trouble
    for _ in range(7 * 8):
        for _ in range(chance.randint(0, 3)):
            hooked.calls.post("messages", {"to": case.reference, "name": "early"})
        let_pass(engine, hours=1.5)
        let_pass(engine, hours=1.5)
        assert steady.taken == ids_of()
    hook.refresh_from_db()
    assert hook.state == "active"
    # Each id came first in its order, although some came twice: an answer that came too late
    bad.behave = lambda _call: 200
    for _ in range(5):
        let_pass(engine, hours=5)
    first = list(dict.fromkeys(call["id"] for call in bad.calls))
    assert first == ids_of() and bad.taken == ids_of()
    numbers = [int(one["id"].rpartition("_")[2]) for one in bad.calls]
    assert numbers == sorted(numbers)  # a try again, and never an earlier one


def test_after_days_without_success_it_is_paused_and_people_are_told(
    hooked: Any, desk: Any, engine: Any, people: Any, mailoutbox: Any, settings: Any
) -> None:
    people.otto.email = "otto@example.org"
    people.otto.save()
    receiver, hook = hooked()
    desk.open("hour")
    receiver.behave = lambda _call: 503
    for _ in range(40):
        let_pass(engine, hours=4)
    hook.refresh_from_db()
    assert hook.state == "paused" and "5 days" in hook.why and "503" in hook.why
    tried = len(receiver.calls)
    notices.tell_paused()
    notices.tell_paused()
    (mail,) = mailoutbox
    assert mail.to == ["otto@example.org"] and f"/webhooks/{hook.pk}/" in mail.body
    let_pass(engine, days=2)
    assert len(receiver.calls) == tried
    # When it is resumed, all comes, in order
    receiver.behave = lambda _call: 200
    acts.resume_webhook(webhook_id=hook.pk, actor=actor_of(hooked.calls))
    delivering.deliver_due()
    assert receiver.taken == ids_of()


def test_one_that_is_gone_is_paused_at_once(hooked: Any, desk: Any) -> None:
    receiver, hook = hooked()
    desk.open("hour")
    receiver.behave = lambda _call: 410
    delivering.deliver_due()
    hook.refresh_from_db()
    assert hook.state == "paused" and len(receiver.calls) == 1


def test_the_receiver_may_ask_for_time(hooked: Any, desk: Any, engine: Any) -> None:
    receiver, hook = hooked()
    desk.open("hour")
    receiver.behave = lambda _call: 429
    receiver.headers = {"retry-after": "7200"}
    delivering.deliver_due()
    let_pass(engine, hours=1.9)
    assert len(receiver.calls) == 1
    receiver.behave = lambda _call: 200
    let_pass(engine, hours=0.2)
    assert receiver.taken == ids_of()
    now = hook.made_at
    for tries in range(1, 15):
        assert delivering.pause_after(tries, now=now) <= timedelta(hours=5)
    asked = delivering.pause_after(1, retry_after="999999999", now=now)
    assert asked == timedelta(days=1)
    # A receiver may also ask to be tried sooner than we would, though not at once
    soon = delivering.pause_after(9, retry_after="90", now=now)
    assert soon == timedelta(seconds=90)
    at_once = delivering.pause_after(9, retry_after="0", now=now)
    assert at_once == timedelta(seconds=5)
    assert delivering.pause_after(1, retry_after="nonsense", now=now) < timedelta(seconds=10)


def test_it_is_sent_again_from_a_place_under_the_same_ids(
    hooked: Any, desk: Any, engine: Any
) -> None:
    receiver, hook = hooked()
    desk.open("hour")
    delivering.deliver_due()
    sent = receiver.taken
    engine.advance(days=1)
    desk.open("hour")
    delivering.deliver_due()
    receiver.calls.clear()
    acts.replay_webhook(webhook_id=hook.pk, actor=actor_of(hooked.calls), after="beginning")
    delivering.deliver_due()
    assert receiver.taken == ids_of() and receiver.taken[: len(sent)] == sent
    receiver.calls.clear()
    since = Event.objects.order_by("-recorded_at").first().recorded_at
    acts.replay_webhook(webhook_id=hook.pk, actor=actor_of(hooked.calls), since=since)
    delivering.deliver_due()
    assert receiver.taken and set(receiver.taken).isdisjoint(sent)


def test_two_secrets_are_good_for_a_time(hooked: Any, desk: Any, engine: Any) -> None:
    receiver, hook = hooked()
    actor = actor_of(hooked.calls)
    (old,) = acts.secrets_told(webhook_id=hook.pk, actor=actor)
    acts.rotate_secret(webhook_id=hook.pk, actor=actor, overlap_hours=24)
    new, still = acts.secrets_told(webhook_id=hook.pk, actor=actor)
    assert still == old != new
    desk.open("hour")
    delivering.deliver_due()
    assert len(receiver.calls[0]["headers"]["webhook-signature"].split()) == 2
    engine.advance(hours=25)
    assert acts.secrets_told(webhook_id=hook.pk, actor=actor) == [new]


def test_a_test_is_sent_also_while_it_is_paused(hooked: Any, desk: Any) -> None:
    receiver, hook = hooked()
    actor = actor_of(hooked.calls)
    acts.pause_webhook(webhook_id=hook.pk, actor=actor)
    desk.open("hour")
    acts.test_webhook(webhook_id=hook.pk, actor=actor)
    delivering.deliver_due()
    assert [call["event"]["type"] for call in receiver.calls] == ["longcase.test"]
    assert WebhookAttempt.objects.get().type == "longcase.test"
    delivering.deliver_due()
    assert len(receiver.calls) == 1


def test_what_one_process_took_is_no_other_ones_until_it_dies(hooked: Any, desk: Any) -> None:
    from django.db import connection

    receiver, hook = hooked()
    desk.open("hour")
    ids_of()
    held = delivering.claim()
    assert held is not None and delivering.claim() is None
    # It dies before it has done anything: its claim runs out
    with connection.cursor() as cursor:
        cursor.execute("UPDATE processes_webhook SET lease_until = clock_timestamp()")
    other = delivering.claim()
    assert other is not None and other[1] != held[1]
    delivering.work(*held)  # was not dead after all: it finds that it holds nothing
    assert receiver.calls == []
    delivering.work(*other)
    assert receiver.taken == ids_of()
