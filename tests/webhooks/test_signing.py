"""Signatures after Standard Webhooks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from processes.webhooks import signing

# As published with the libraries of Standard Webhooks.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ID, AT = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330
BODY = b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
NOW = datetime.fromtimestamp(AT, UTC)


def given(**changed: str) -> dict[str, str]:
    return {
        "webhook-id": ID,
        "webhook-timestamp": str(AT),
        "webhook-signature": SIGNATURE,
        **{name.replace("_", "-"): value for name, value in changed.items()},
    }


def test_the_published_signature_is_ours() -> None:
    secret = signing.read(SECRET)
    assert signing.sign(id=ID, at=AT, body=BODY, secret=secret) == SIGNATURE
    assert signing.headers(id=ID, at=NOW, body=BODY, secrets=[secret]) == given()
    assert signing.verify(given(), BODY, secrets=[secret], now=NOW) == ID
    assert signing.spell(secret) == SECRET


def test_one_of_several_signatures_and_secrets_is_enough() -> None:
    secret, other = signing.read(SECRET), b"other"
    both = signing.headers(id=ID, at=NOW, body=BODY, secrets=[other, secret])
    assert len(both["webhook-signature"].split()) == 2
    for known in ([secret], [other], [b"third", secret]):
        assert signing.verify(both, BODY, secrets=known, now=NOW) == ID


@pytest.mark.parametrize(
    ("headers", "body", "minutes"),
    [
        (given(), BODY + b" ", 0),
        (given(webhook_id="msg_other"), BODY, 0),
        (given(webhook_timestamp=str(AT + 1)), BODY, 0),
        (given(webhook_timestamp=""), BODY, 0),
        (given(webhook_timestamp="soon"), BODY, 0),
        (given(webhook_signature="v1,AAAA"), BODY, 0),
        (given(webhook_signature="v2," + SIGNATURE[3:]), BODY, 0),
        (given(webhook_signature=""), BODY, 0),
        (given(), BODY, 6),
        (given(), BODY, -6),
    ],
)
def test_what_is_altered_old_or_ahead_is_refused(
    headers: dict[str, str], body: bytes, minutes: int
) -> None:
    now = NOW + timedelta(minutes=minutes)
    with pytest.raises(signing.SignatureWrong):
        signing.verify(headers, body, secrets=[signing.read(SECRET)], now=now)
