"""The anchor of the day: made once, in one commit with its ways out, whoever dies meanwhile.

The timer service looks whether it is due and calls a worker; so does a worker that finds something
still to be sent. All that remains to do stands in rows.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db import close_old_connections, transaction
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from audit import anchors, signing
from audit.models import Anchor
from processes.proof import outlets
from timers import clock

log = logging.getLogger("longcase.proof")

SLICE_SECONDS = 60.0  # of sending; then the next message goes on
LATE = timedelta(hours=30)  # after the last anchor, somebody should look


def is_due() -> bool:
    """Whether this installation signs anchors, and the day has none yet."""
    if not settings.LONGCASE_ANCHOR_KEYS:
        return False
    if localtime(clock.now()).hour < settings.LONGCASE_ANCHOR_HOUR:
        return False
    newest = anchors.newest()
    return newest is None or newest.day < today()


def today() -> date:
    return localtime(clock.now()).date()


def make(*, without_old_key: bool = False, again: bool = False) -> Anchor | None:
    """Make the anchor of the day, and line it up to be sent; None if the day has one and it is not
    to be made `again`. Raises NoAnchorKey."""
    with transaction.atomic():
        made = anchors.make(
            day=today(),
            now=clock.now(),
            keys=signing.signing_keys(),
            without_old_key=without_old_key,
            once_a_day=not again,
        )
        if made is not None:
            outlets.line_up(made)
    if made is not None:
        log.info("anchored", extra={"anchor": made.number})
    return made


def publish_due() -> int:
    """A sweep: call a worker if the day's anchor is to be made, or one is to be sent."""
    outlets.line_up_newest()
    if not (is_due() or outlets.is_any_due()):
        return 0
    publish()
    return 1


def publish() -> None:
    try:
        work_on_anchors.apply_async(queue="long", retry=False)
    except Exception as error:  # any broker's own errors
        log.warning("broker_unavailable", extra={"error": type(error).__name__})


# The first anchor of a million cases takes a minute; a second worker leaves it to the first.
@shared_task(
    name="processes.proof.anchoring", ignore_result=True, time_limit=1800, soft_time_limit=1700
)
def work_on_anchors() -> None:
    """Make the anchor of the day, and send what is due."""
    close_old_connections()
    clock.refresh_if_stale()
    work()


def work(*, seconds: float = SLICE_SECONDS) -> None:
    if is_due():
        try:
            make()
        except signing.NoAnchorKey as error:
            log.error("no_anchor", extra={"why": str(error)})
    until = clock.monotonic() + seconds
    while clock.monotonic() < until and outlets.send_next():
        pass


def trouble() -> str:
    """Why anchors are not made as they should be, in a sentence; empty if they are."""
    newest = anchors.newest()
    keys = signing.signing_keys()
    if not keys:
        return _(
            "No anchors are made: this installation has no signing key (LONGCASE_ANCHOR_KEYS)."
        )
    if newest is not None and anchors.key_of(newest) not in {key.public for key in keys}:
        return _(
            "No anchors are made: the last one was signed by a key that is not here. Add it after "
            "the new one, so that both sign the next anchor."
        )
    if newest is not None and clock.now() - newest.made_at > LATE:
        return _("The last anchor is more than a day old. The timer service and a worker make it.")
    return ""


def public_keys() -> list[dict[str, Any]]:
    """The public keys that signed anchors, and the one that signs now; the newest first."""
    found: dict[str, dict[str, Any]] = {}
    for number, day, signatures in Anchor.objects.order_by("number").values_list(
        "number", "day", "signatures"
    ):
        first, *others = [one["key"] for one in signatures]
        told = found.setdefault(
            first,
            {
                "key": first,
                "first_anchor": number,
                "first_day": day,
                "confirmed_by": others[0] if others else "",
            },
        )
        told["last_anchor"], told["last_day"] = number, day
    keys: Sequence[signing.SigningKey] = signing.signing_keys()
    for key in keys[:1]:
        found.setdefault(key.public, {"key": key.public, "first_anchor": None})["signs"] = True
    return list(reversed(list(found.values())))


def keys_file() -> str:
    """The public keys as a file that the verifier reads."""
    lines = ["# Public keys (Ed25519) that sign the anchors of this installation, newest first."]
    lines += [one["key"] for one in public_keys()]
    return "\n".join(lines) + "\n"
