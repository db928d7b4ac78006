"""Codes: the second thing, beside the address, that opens a customer's page.

A code is for the browser that asked for it, for ten minutes, for one use and five tries. A page
gives few codes an hour and a day, so that guessing leads nowhere: at the most 60 guesses a day at
a million codes. What is kept are fingerprints.
"""

from __future__ import annotations

import enum
import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils.crypto import constant_time_compare, salted_hmac

from cases.errors import Refused
from cases.models import CustomerPage, PageEntry
from processes.customer import channels
from timers import clock

MINUTES = 10
TRIES = 5
AN_HOUR, A_DAY = 5, 12  # codes for one page
IDLE = timedelta(minutes=30)
LONGEST = timedelta(hours=8)


class TooManyCodes(Refused):
    """This page has given all the codes it gives for now."""

    status = 429


class NotSent(Refused):
    """The code could not be sent."""

    status = 503


class Came(enum.Enum):
    """What became of a code."""

    IN = "in"
    WRONG = "wrong"
    OVER = "over"  # too late, used, or tried too often


@dataclass(frozen=True, slots=True)
class Entrance:
    """What became of it, and the new secret of the browser that came in."""

    came: Came
    secret: str = ""


def fingerprint(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _mark(secret: str, code: str) -> str:
    return salted_hmac(f"longcase.page_code:{secret}", code, algorithm="sha256").hexdigest()


def proof(secret: str) -> str:
    """What the forms of a browser carry, to show that they are its own."""
    return salted_hmac("longcase.page_form", secret, algorithm="sha256").hexdigest()[:32]


def ask_code(*, page: CustomerPage) -> str:
    """Send a code; returns the secret for the browser that asked. Raises TooManyCodes, NotSent."""
    secret = secrets.token_urlsafe(32)
    code = f"{secrets.randbelow(10**6):06}"
    now = clock.now()
    with transaction.atomic():
        CustomerPage.objects.select_for_update().get(pk=page.pk)
        asked = PageEntry.objects.filter(page=page)
        if (
            asked.filter(asked_at__gt=now - timedelta(hours=1)).count() >= AN_HOUR
            or asked.filter(asked_at__gt=now - timedelta(days=1)).count() >= A_DAY
        ):
            raise TooManyCodes("This page has given all its codes for now; try again later.")
        entry = PageEntry.objects.create(
            page=page,
            secret_digest=fingerprint(secret),
            code_digest=_mark(secret, code),
            code_until=now + timedelta(minutes=MINUTES),
            asked_at=now,
        )
    try:
        channels.send_code(page, code, minutes=MINUTES)
    except OSError as error:
        # It counts all the same: who cannot be reached is not to be tried without end.
        PageEntry.objects.filter(pk=entry.pk).update(code_digest="", ended_at=now)
        raise NotSent("The code could not be sent; try again in some minutes.") from error
    return secret


@transaction.atomic
def enter(*, page: CustomerPage, secret: str, code: str) -> Entrance:
    """Try a code. Each try counts, right or wrong; a right one is used up."""
    now = clock.now()
    entry = _entry(page, secret, lock=True)
    if entry is None or not entry.code_digest or entry.ended_at or now >= entry.code_until:
        return Entrance(Came.OVER)
    if entry.tries >= TRIES:
        return Entrance(Came.OVER)
    entry.tries += 1
    given = "".join(sign for sign in code if sign.isascii() and sign.isdigit())
    if not constant_time_compare(entry.code_digest, _mark(secret, given)):
        if entry.tries >= TRIES:
            entry.code_digest = ""
        entry.save(update_fields=["tries", "code_digest"])
        return Entrance(Came.OVER if entry.tries >= TRIES else Came.WRONG)
    # Another secret from here on, so that one which was laid into a browser before opens nothing.
    fresh = secrets.token_urlsafe(32)
    entry.code_digest, entry.secret_digest = "", fingerprint(fresh)
    entry.entered_at = entry.last_at = now
    entry.save()
    CustomerPage.objects.filter(pk=page.pk).update(entered_at=now)
    return Entrance(Came.IN, fresh)


def _entry(page: CustomerPage, secret: str, *, lock: bool = False) -> PageEntry | None:
    if not secret:
        return None
    rows = PageEntry.objects.select_for_update() if lock else PageEntry.objects
    return rows.filter(page=page, secret_digest=fingerprint(secret)).first()


def is_asked(page: CustomerPage, secret: str) -> bool:
    """Whether this browser waits for a code."""
    entry = _entry(page, secret)
    return entry is not None and bool(entry.code_digest) and clock.now() < entry.code_until


def is_in(page: CustomerPage, secret: str) -> bool:
    """Whether this browser came in and has not been idle for too long. Counts as a use."""
    now = clock.now()
    entry = _entry(page, secret)
    if entry is None or entry.entered_at is None or entry.ended_at or entry.last_at is None:
        return False
    if now - entry.last_at > IDLE or now - entry.entered_at > LONGEST:
        return False
    if now - entry.last_at > timedelta(minutes=1):
        PageEntry.objects.filter(pk=entry.pk).update(last_at=now)
    return True


def leave(page: CustomerPage, secret: str) -> None:
    """Close the page in this browser."""
    PageEntry.objects.filter(page=page, secret_digest=fingerprint(secret)).update(
        ended_at=clock.now()
    )


def forget_old() -> int:
    """Drop entries that open nothing any more. Run by the timer service."""
    dropped, _rows = PageEntry.objects.filter(asked_at__lt=clock.now() - timedelta(days=7)).delete()
    return dropped
