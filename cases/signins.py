"""A brake on guessing passwords: after so many wrong ones, signing in rests for a while.

Counted in the database, for all servers, by the name that was typed, known or not, and by the
address it came from. A name is kept as a digest: people type passwords into the wrong field. What
is refused while it rests does not make the rest longer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Sum

from cases.models import CallCount
from timers import clock

WITHIN_MINUTES = 15
MOST_OF_NAME = 10
MOST_OF_ADDRESS = 50
_COUNT = """
    INSERT INTO cases_callcount (caller, minute, calls) VALUES (%s, %s, 1)
    ON CONFLICT (caller, minute) DO UPDATE SET calls = cases_callcount.calls + 1
"""


@dataclass(frozen=True, slots=True)
class Try:
    """One try to sign in, counted before the password is looked at."""

    name: str
    address: str
    minute: int


def begin(*, name: str, address: str) -> Try | None:
    """Count a try; None where there were too many wrong ones of late. Whoever tries at the same
    moment from many places gets no more tries than one after the other."""
    digest = hashlib.sha256(name.strip().casefold().encode(errors="replace")).hexdigest()[:40]
    minute = int(clock.now().timestamp() // 60)
    one = Try(f"sign-in-name:{digest}", f"sign-in-address:{_network(address)}"[:80], minute)
    with transaction.atomic(), connection.cursor() as cursor:
        for caller in (one.name, one.address):
            cursor.execute(_COUNT, [caller, minute])
        too_many = _tries(one.name, minute) > MOST_OF_NAME
        too_many = too_many or _tries(one.address, minute) > MOST_OF_ADDRESS
        if too_many:
            transaction.set_rollback(True)
    return None if too_many else one


def succeeded(one: Try) -> None:
    """The password was right: what was wrong before with this name counts no more."""
    CallCount.objects.filter(caller=one.name).delete()
    row = CallCount.objects.filter(caller=one.address, minute=one.minute, calls__gt=0)
    row.update(calls=F("calls") - 1)


def _tries(caller: str, minute: int) -> int:
    rows = CallCount.objects.filter(caller=caller, minute__gt=minute - WITHIN_MINUTES)
    return int(rows.aggregate(all=Sum("calls"))["all"] or 0)


def address_of(meta: Mapping[str, Any]) -> str:
    """Where a request comes from; behind a proxy, what that proxy saw."""
    address = str(meta.get("REMOTE_ADDR", ""))
    if settings.LONGCASE_BEHIND_PROXY:
        seen = str(meta.get("HTTP_X_FORWARDED_FOR", "")).rpartition(",")[2].strip()
        address = seen or address
    return address


def _network(address: str) -> str:
    """An IPv6 address as its network: one caller has many millions of addresses there."""
    try:
        known = ip_address(address)
    except ValueError:
        return address
    return str(ip_network(f"{known}/64", strict=False)) if known.version == 6 else str(known)
