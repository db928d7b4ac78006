"""Sending the events of the feed to webhooks: each in its order, at least once, with one name.

A webhook is claimed, and sent what is next until it has all, fails, or others should have a turn.
Its place moves on only when an answer of 2xx came. A process that dies takes nothing with it: its
claim runs out, and the next one sends the same event under the same webhook-id.
"""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from audit import feed as order
from audit import reads
from cases import access
from processes import feed
from processes.feed import Seen
from processes.models import Webhook, WebhookAttempt
from processes.plain import plain
from processes.webhooks import signing
from processes.webhooks.outgoing import Answer, Line
from timers import clock

log = logging.getLogger("longcase.webhooks")

AT_ONCE = 20  # events read from the feed together
SLICE_SECONDS = 10.0  # then another webhook has its turn
SLOW_MS = 3000  # from here on a webhook counts as one that may keep us waiting
DATA_BYTES = 256 * 1024  # of one event; what is larger comes without its data
# After so many failures in a row, how long until the next try; later ones as the last.
PAUSES = (5, 15, 60, 300, 900, 1800, 3600, 7200, 14400)
LONGEST_PAUSE = 24 * 3600  # that a Retry-After may ask for
ATTEMPTS_KEPT = timedelta(days=30)
TEST = "longcase.test"

_CLAIM = """
    UPDATE processes_webhook SET claimed_by = %s,
           lease_until = clock_timestamp() + make_interval(secs => %s),
           worked_at = clock_timestamp()
     WHERE id = (
           SELECT w.id FROM processes_webhook AS w JOIN cases_client AS c ON c.id = w.client_id
            WHERE (w.test_id <> '' AND w.state <> 'ended' OR w.state = 'active' AND c.is_active
                   AND (w.next_try_at IS NULL OR w.next_try_at <= %s)
                   AND (w.position, w.number) < (%s, %s))
              AND (w.lease_until IS NULL OR w.lease_until < clock_timestamp())
              AND (NOT %s OR w.tries = 0 AND w.last_ms < %s)
            ORDER BY w.worked_at NULLS FIRST, w.id LIMIT 1 FOR UPDATE OF w SKIP LOCKED)
    RETURNING id
"""
_STORE = """
    UPDATE processes_webhook SET position = %s, number = %s, tries = %s, failing_since = %s,
           next_try_at = %s, last_ms = %s, state = %s, why = %s, paused_at = %s, told_at = %s,
           lease_until = clock_timestamp() + make_interval(secs => %s)
     WHERE id = %s AND claimed_by = %s AND state = 'active'
"""


def timeout_seconds() -> float:
    return float(settings.LONGCASE_WEBHOOK_SECONDS)


def lease_seconds() -> float:
    """Longer than any one call takes."""
    return 2 * timeout_seconds() + 2


def claim(*, steady_only: bool = False) -> tuple[int, str] | None:
    """Take a webhook that has something to be sent, the one that waits longest; only one that
    neither fails nor is slow where that is asked. Returns its number and the claim."""
    end = order.end()
    name = uuid4().hex
    with connection.cursor() as cursor:
        cursor.execute(
            _CLAIM,
            [name, lease_seconds(), clock.now(), end.position, end.number, steady_only, SLOW_MS],
        )
        row = cursor.fetchone()
    return (row[0], name) if row else None


def deliver_due() -> int:
    """Send whatever is due, in this thread, until nothing is. Returns how many turns it took."""
    order.number()
    turns = 0
    while (held := claim()) is not None:
        work(*held)
        turns += 1
    return turns


def work(webhook_id: int, claimed_by: str) -> None:
    """One turn of a claimed webhook."""
    until = clock.monotonic() + SLICE_SECONDS
    try:
        hook = _held(webhook_id, claimed_by)
        if hook is None:
            return
        with Line(hook.url) as line:
            if hook.test_id:
                _send_test(hook, line)
            while hook is not None and _go_on(hook, line, until):
                hook = _held(webhook_id, claimed_by)
    finally:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE processes_webhook SET lease_until = NULL, claimed_by = '' "
                "WHERE id = %s AND claimed_by = %s",
                [webhook_id, claimed_by],
            )


def _held(webhook_id: int, claimed_by: str) -> Webhook | None:
    return (
        Webhook.objects.select_related("client", "client__team")
        .filter(pk=webhook_id, claimed_by=claimed_by)
        .first()
    )


def _go_on(hook: Webhook, line: Line, until: float) -> bool:
    """Send the next few events; whether there is more to do at once."""
    if hook.state != "active" or not hook.client.is_active or hook.url != line.url:
        return False
    if hook.next_try_at is not None and hook.next_try_at > clock.now():
        return False
    found = feed.read(
        cases=access.readable_cases(hook.client, kinds=hook.kinds),
        after=order.Place(hook.position, hook.number),
        limit=AT_ONCE,
        types=hook.types,
    )
    told = feed.told(found.events)
    for one, words in zip(found.events, told, strict=True):
        if not _send(hook, line, one, words) or clock.monotonic() > until:
            return False
    if found.place != (hook.position, hook.number):  # the rest is not for this account
        hook.position, hook.number = found.place
        if not _store(hook):
            return False
    return found.more


def _send(hook: Webhook, line: Line, one: Seen, words: dict[str, Any]) -> bool:
    """Send one event and keep what came of it; whether it arrived and the next may be sent."""
    body = json.dumps(envelope(one, words), ensure_ascii=False).encode()
    _log_read(hook, one, body)
    answer, ms = call(hook, line, id=one.id, body=body)
    hook.last_ms = ms
    is_done = 200 <= answer.status < 300
    _log(hook, one.id, one.event.type, one.case.reference, hook.tries + 1, answer, ms)
    if is_done:
        hook.position, hook.number = one.place
        hook.tries, hook.failing_since, hook.next_try_at = 0, None, None
    else:
        _failed(hook, answer)
    return _store(hook) and is_done


def _log_read(hook: Webhook, one: Seen, body: bytes) -> None:
    """Each attempt shows the event to somebody outside, whatever they answer."""
    reading = reads.Reading(actor=f"service:{hook.client.name}", case_id=one.case.pk)
    reading.case_number, reading.digest = one.event.number, reads.digest_of(body)
    reads.write(
        reading, at=clock.now(), through="webhook", what="webhook", item=f"webhook:{hook.pk}"
    )


def _failed(hook: Webhook, answer: Answer) -> None:
    now = clock.now()
    hook.tries += 1
    hook.failing_since = hook.failing_since or now
    hook.next_try_at = now + pause_after(hook.tries, retry_after=answer.retry_after, now=now)
    days = settings.LONGCASE_WEBHOOK_DAYS
    if answer.status == 410:
        pause(hook, _("The receiver says that it is gone (410)."))
    elif now - hook.failing_since >= timedelta(days=days):
        pause(
            hook,
            _("Nothing arrived for %(days)s days. The last answer: %(what)s.")
            % {"days": days, "what": answer.status or answer.error},
        )


def pause(hook: Webhook, why: str) -> None:
    """Send nothing more until somebody says so; what happens meanwhile is sent then."""
    hook.state, hook.why, hook.paused_at, hook.told_at = "paused", why[:400], clock.now(), None
    log.warning("webhook_paused", extra={"webhook": hook.pk})


def pause_after(tries: int, *, retry_after: str = "", now: datetime) -> timedelta:
    """Until the next try: as long as the receiver asks, from five seconds up to a day; else ever
    longer, a fifth more or less by chance, so that those who failed together do not come back
    together."""
    asked = None
    if retry_after.isascii() and retry_after.isdecimal():
        asked = float(retry_after[:9])
    elif retry_after:
        try:
            asked = (parsedate_to_datetime(retry_after) - now).total_seconds()
        except (ValueError, TypeError):
            asked = None
    if asked is not None:
        return timedelta(seconds=max(PAUSES[0], min(asked, LONGEST_PAUSE)))
    return timedelta(seconds=PAUSES[min(tries, len(PAUSES)) - 1] * random.uniform(0.8, 1.2))


def _send_test(hook: Webhook, line: Line) -> None:
    """Send a test, once, whatever the state: what came of it stands in the log."""
    body = json.dumps(
        {
            "specversion": "1.0",
            "id": hook.test_id,
            "source": source(),
            "type": TEST,
            "time": plain(clock.now()),
            "datacontenttype": "application/json",
            "data": {"webhook": hook.pk, "title": hook.title},
        }
    ).encode()
    answer, ms = call(hook, line, id=hook.test_id, body=body)
    _log(hook, hook.test_id, TEST, "", 1, answer, ms)
    Webhook.objects.filter(pk=hook.pk, test_id=hook.test_id).update(test_id="")


def envelope(one: Seen, words: dict[str, Any]) -> dict[str, Any]:
    """An event as a CloudEvent 1.0, in JSON."""
    data, is_cut = words, False
    if len(one.event.data_text) > DATA_BYTES:
        data, is_cut = {**words, "data": {}}, True
    return {
        "specversion": "1.0",
        "id": one.id,
        "source": source(),
        "type": f"longcase.{one.event.type}",
        "subject": one.case.reference,
        "time": plain(one.event.recorded_at),
        "datacontenttype": "application/json",
        "casekind": one.case.kind,
        "casenumber": one.event.number,
        "datacut": is_cut,
        "data": data,
    }


def source() -> str:
    return f"{settings.LONGCASE_PUBLIC_URL}/api/v1"


def call(hook: Webhook, line: Line, *, id: str, body: bytes) -> tuple[Answer, int]:
    headers = {
        "content-type": "application/cloudevents+json; charset=utf-8",
        "user-agent": "Longcase-Webhooks/1",
        **signing.headers(id=id, at=clock.now(), body=body, secrets=secrets_of(hook)),
    }
    began = clock.monotonic()
    answer = line.post(body=body, headers=headers, seconds=timeout_seconds())
    return answer, round((clock.monotonic() - began) * 1000)


def secrets_of(hook: Webhook) -> list[bytes]:
    """The secret, and the one before while that is still good."""
    found = [signing.derived("webhook", f"{hook.pk}.{hook.salt}")]
    if hook.salt_before and hook.before_until and hook.before_until > clock.now():
        found.append(signing.derived("webhook", f"{hook.pk}.{hook.salt_before}"))
    return found


def _store(hook: Webhook) -> bool:
    """Keep how far it is. False when it is ours no longer, or was paused or changed meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute(
            _STORE,
            [
                hook.position,
                hook.number,
                hook.tries,
                hook.failing_since,
                hook.next_try_at,
                hook.last_ms,
                hook.state,
                hook.why,
                hook.paused_at,
                hook.told_at,
                lease_seconds(),
                hook.pk,
                hook.claimed_by,
            ],
        )
        return cursor.rowcount == 1 and hook.state == "active"


def _log(
    hook: Webhook, id: str, type: str, case: str, attempt: int, answer: Answer, ms: int
) -> None:
    WebhookAttempt.objects.create(
        webhook=hook,
        event_id=id,
        type=type,
        case=case,
        attempt=attempt,
        at=clock.now(),
        ms=ms,
        status=answer.status,
        is_delivered=200 <= answer.status < 300,
        answer=answer.text,
        error=answer.error[:300],
    )


def forget_old() -> int:
    """Drop attempts that nobody looks at any more. Run by the timer service."""
    dropped, _rows = WebhookAttempt.objects.filter(at__lt=clock.now() - ATTEMPTS_KEPT).delete()
    return dropped


def behind(hooks: Sequence[Webhook]) -> dict[int, int]:
    """How many commits of the feed lie before each webhook: what it may still have to be sent."""
    end = order.end().position
    return {hook.pk: max(0, end - hook.position) for hook in hooks}
