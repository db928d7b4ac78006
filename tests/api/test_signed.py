"""Signed messages: taken once, and only as they were signed, when they were signed."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client as Browser

from audit.models import Event
from cases.models import Message
from processes.acts.cases import get_case
from processes.webhooks import signing
from timers import clock


@pytest.fixture
def bank(program: Any) -> bytes:
    program("read:trial", "messages:trial", name="bank")
    said = StringIO()
    call_command("clients", "signing", "bank", stdout=said, stderr=StringIO())
    return signing.read(said.getvalue().strip())


def send(
    secret: bytes,
    body: dict[str, Any],
    *,
    id: str = "msg_1",
    shift: timedelta = timedelta(),
    name: str = "bank",
    altered: bytes = b"",
    **changed: str,
) -> Any:
    text = json.dumps(body).encode()
    headers = signing.headers(id=id, at=clock.now() + shift, body=text, secrets=[secret])
    headers |= {one.replace("_", "-"): value for one, value in changed.items()}
    headers = {one: value for one, value in headers.items() if value}
    return Browser().post(
        f"/api/v1/signed/{name}",
        text.replace(b"confirmed", altered) if altered else text,
        content_type="application/json",
        headers=headers,
    )


def test_a_replayed_payment_has_one_effect(bank: bytes, desk: Any, caplog: Any) -> None:
    case = desk.open("hour")
    body = {"to": case.reference, "name": "confirmed", "data": {"amount": "10.00"}}
    # Whatever is not as it was signed is refused and logged
    for refused in (
        send(bank, body, webhook_timestamp=""),
        send(bank, body, webhook_id=""),
        send(bank, body, webhook_signature=""),
        send(bank, body, shift=timedelta(minutes=-10)),
        send(bank, body, shift=timedelta(minutes=10)),
        send(bank, body, altered=b"confirmee"),
        send(bank, body, webhook_id="msg_2"),
        send(b"another secret", body),
        send(bank, body, name="nobody"),
    ):
        assert refused.status_code == 401, refused.content
        assert refused["Content-Type"] == "application/problem+json"
        assert refused["WWW-Authenticate"].startswith("Webhook-Signature")
    assert sum(one.message == "signature_refused" for one in caplog.records) == 9
    assert not Message.objects.exists() and get_case(case.pk).closed_at is None
    # Sent twice, the second a little later and signed anew
    first = send(bank, body)
    assert (first.status_code, first.json()["state"]) == (200, "used")
    again = send(bank, body, shift=timedelta(minutes=2))
    assert (again.status_code, again.json()["is_repeat"]) == (200, True)
    received = Event.objects.filter(case_id=case.pk, type="message.received")
    assert received.count() == 1 and received.get().actor == "service:bank"


def test_early_late_and_unmatched_ones_are_kept(bank: bytes, desk: Any) -> None:
    early, closed = desk.open("patience"), desk.open("hour")
    kept = send(bank, {"to": early.reference, "name": "second"}, id="a")
    assert (kept.status_code, kept.json()["state"]) == (202, "kept")
    send(bank, {"to": closed.reference, "name": "confirmed"}, id="b")
    late = send(bank, {"to": closed.reference, "name": "confirmed"}, id="c")
    assert (late.status_code, late.json()["state"]) == (202, "late")
    nowhere = send(bank, {"to": "TR-1999-000001", "name": "confirmed"}, id="d")
    assert (nowhere.status_code, nowhere.json()["state"]) == (202, "unmatched")
    assert set(Message.objects.values_list("key", "state")) == {
        ("a", "kept"),
        ("b", "used"),
        ("c", "late"),
        ("d", "unmatched"),
    }
    other = send(bank, {"to": early.reference, "name": "third"}, id="a")
    assert other.status_code == 409


def test_the_secret_changes_without_an_interruption(
    bank: bytes, desk: Any, engine: Any, settings: Any
) -> None:
    case = desk.open("patience")
    said = StringIO()
    call_command("clients", "signing", "bank", stdout=said, stderr=StringIO())
    new = signing.read(said.getvalue().strip())
    for number, secret in enumerate((bank, new)):
        assert send(secret, {"to": case.reference, "name": "x"}, id=str(number)).status_code == 202
    engine.advance(hours=25)
    assert send(bank, {"to": case.reference, "name": "x"}, id="late").status_code == 401
    assert send(new, {"to": case.reference, "name": "x"}, id="new").status_code == 202
    # Size and number are bounded
    settings.LONGCASE_API_BYTES = 100
    big = send(new, {"to": case.reference, "name": "x" * 200}, id="big")
    assert big.status_code == 413
    settings.LONGCASE_API_CALLS = 3
    many = [send(new, {"to": case.reference, "name": "x"}, id=f"m{n}") for n in range(5)]
    assert many[-1].status_code == 429 and many[-1]["Retry-After"]
