"""Signatures after Standard Webhooks (symmetric, v1), of what we send and of what is sent to us.

webhook-id         names the message; the same when it is sent again
webhook-timestamp  seconds since 1970, when this try was signed
webhook-signature  "v1,BASE64" of HMAC-SHA256 over "ID.TIMESTAMP.BODY"; several, by blanks,
                   while a secret is being changed
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable, Mapping
from datetime import datetime

from django.utils.crypto import salted_hmac

PREFIX = "whsec_"
TOLERANCE_SECONDS = 300


class SignatureWrong(Exception):
    """It is not signed with the secret, was altered, or is too old. Says which, never how near."""


def derived(purpose: str, salt: str) -> bytes:
    """A secret of this installation for one purpose; another salt gives another."""
    return salted_hmac(f"longcase.{purpose}", salt, algorithm="sha256").digest()


def spell(secret: bytes) -> str:
    return PREFIX + base64.b64encode(secret).decode()


def read(text: str) -> bytes:
    """The bytes of a secret as it is handed out. Raises ValueError."""
    try:
        return base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except binascii.Error as error:
        raise ValueError("This is no secret of webhooks.") from error


def sign(*, id: str, at: int, body: bytes, secret: bytes) -> str:
    signed = hmac.new(secret, f"{id}.{at}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"


def headers(*, id: str, at: datetime, body: bytes, secrets: Iterable[bytes]) -> dict[str, str]:
    """The three headers of a message."""
    seconds = int(at.timestamp())
    signed = [sign(id=id, at=seconds, body=body, secret=secret) for secret in secrets]
    return {
        "webhook-id": id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(signed),
    }


def verify(
    given: Mapping[str, str], body: bytes, *, secrets: Iterable[bytes], now: datetime
) -> str:
    """The id of a message that was signed with one of these secrets, in the last or next five
    minutes. Raises SignatureWrong."""
    id, said = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    signatures = given.get("webhook-signature", "").split()
    if not id or not said or not signatures:
        raise SignatureWrong("webhook-id, webhook-timestamp and webhook-signature must be there.")
    if not (said.isascii() and said.isdecimal() and len(said) < 12):
        raise SignatureWrong("webhook-timestamp is seconds since 1970.")
    if abs(now.timestamp() - int(said)) > TOLERANCE_SECONDS:
        raise SignatureWrong("webhook-timestamp is more than five minutes from now.")
    right = False
    for secret in secrets:
        wanted = sign(id=id, at=int(said), body=body, secret=secret)
        for one in signatures[:10]:
            right |= hmac.compare_digest(one.encode(), wanted.encode())
    if not right:
        raise SignatureWrong("No signature fits the secret and the content.")
    return id
