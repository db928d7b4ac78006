"""The inbox: whatever comes from outside is stored first, then matched.

`store` is one statement, durable when it returns, and safe to repeat. `take` is what a worker does
with what is new: early messages are kept with their case, late and unknown ones stay in the tray.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings
from django.db import connection
from django_fsm import TransitionNotAllowed

from audit import codec, literals
from cases.errors import Invalid, NotNow, SameKeyOtherContent
from processes.engine.wake import WORK_CHANNEL
from timers import clock

if TYPE_CHECKING:
    from processes.engine.run import Run
    from processes.engine.turn import Turn

OPEN_CASE = "case.open"  # the message that opens a case; its `to` is the kind
MESSAGE_BYTES = 64 * 1024  # unless settings.LONGCASE_MESSAGE_BYTES says otherwise


class Stored(NamedTuple):
    """What became of a message at the door."""

    id: int
    is_new: bool
    state: str


class Waiting(NamedTuple):
    """A message as a worker takes it."""

    id: int
    source: str
    key: str
    name: str
    to: str
    data: str
    actor: str
    on_behalf: str
    case_id: int | None = None  # where the address is plain enough to be looked up at once


_STORE = """
    WITH stored AS (
        INSERT INTO cases_message
               (source, key, name, "to", data, digest, actor, on_behalf, state, why, received_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (source, key) DO NOTHING RETURNING id
    )
    SELECT (SELECT id FROM stored),
           (SELECT count(pg_notify(%s, '')) FROM stored
             WHERE EXISTS (SELECT 1 FROM processes_worker WHERE is_idle))
"""


def store(
    *,
    source: str,
    key: str,
    name: str,
    to: str,
    data: Any,
    actor: str,
    on_behalf: str = "",
    state: str = "new",
    why: str = "",
) -> Stored:
    """Keep a message. Raises Invalid (too large, NUL, no key) and SameKeyOtherContent.

    The same (source, key) with the same content is no second message.
    """
    text, digest = spell(source=source, key=key, name=name, to=to, data=data)
    with connection.cursor() as cursor:
        cursor.execute(
            _STORE,
            [
                source,
                key,
                name,
                to,
                text,
                digest,
                actor,
                on_behalf,
                state,
                why,
                clock.now(),
                WORK_CHANNEL,
            ],
        )
        new_id = cursor.fetchone()[0]
        if new_id is not None:
            return Stored(new_id, True, state)
        cursor.execute(
            "SELECT id, digest, state FROM cases_message WHERE source = %s AND key = %s",
            [source, key],
        )
        old_id, old_digest, old_state = cursor.fetchone()
    if old_digest != digest:
        raise SameKeyOtherContent(
            f"The key “{key}” of {source} was used before, for another message. Send a new "
            "message under a key of its own."
        )
    return Stored(old_id, False, old_state)


def spell(*, source: str, key: str, name: str, to: str, data: Any) -> tuple[str, str]:
    """A message's data as stored, and the digest of all that its key stands for."""
    for field, value, most in (("source", source, 80), ("key", key, 200), ("name", name, 80)):
        if not value or len(value) > most or "\0" in value:
            raise Invalid(
                f"A message needs a {field} of 1 to {most} characters, without NUL.",
                {field: f"1 to {most} characters"},
            )
    try:
        text = codec.encode(data if data is not None else {})
    except (TypeError, ValueError) as error:
        raise Invalid(f"The message was not taken: {error}", {"data": str(error)}) from error
    most = getattr(settings, "LONGCASE_MESSAGE_BYTES", MESSAGE_BYTES)
    if len(text) > most:
        raise Invalid(
            f"The message is larger than {most} bytes; send documents as documents.",
            {"data": f"at most {most} bytes"},
        )
    digest = hashlib.sha256("\0".join((name, to, text)).encode()).hexdigest()
    return text, digest


def claim_new(cursor: Any, limit: int) -> list[Waiting]:
    """Lock messages that nobody has looked at yet, in the order of their arrival."""
    cursor.execute(_CLAIM.format(limit=limit))
    return [Waiting(*row) for row in cursor.fetchall()]


_CLAIM = """
    SELECT m.*, c.id FROM (
           SELECT id, source, key, name, "to", data, actor, on_behalf FROM cases_message
            WHERE state = 'new' ORDER BY id LIMIT {limit:d} FOR UPDATE SKIP LOCKED
           ) AS m
      LEFT JOIN LATERAL (
           SELECT id FROM cases_case WHERE reference = m.to
            UNION ALL
           SELECT id FROM cases_case
            WHERE source = split_part(m.to, ':', 1) AND source_key <> ''
              AND source_key = substr(m.to, strpos(m.to, ':') + 1)
            LIMIT 1
           ) AS c ON m.name <> 'case.open'
     ORDER BY m.id
"""


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 18


def resolve(cursor: Any, messages: Sequence[Waiting]) -> dict[int, int]:
    """Which case each message is for: message id → case id, those found only."""
    found = {m.id: m.case_id for m in messages if m.case_id is not None}
    for m in messages:
        if m.to.startswith("id:") and _is_id(m.to[3:]):
            found[m.id] = int(m.to[3:])
    rest = [m for m in messages if m.id not in found and m.name != OPEN_CASE]
    known = _known(cursor, {m.to for m in rest})
    found.update({m.id: known[m.to] for m in rest if m.to in known})
    return found


def _known(cursor: Any, addresses: set[str]) -> dict[str, int]:
    """The cases that have these references, or that their opener calls `source:key`."""
    if not addresses:
        return {}
    pairs = _source_keys(addresses) or [("", "")]
    references = ",".join([literals.text(a) for a in addresses if ":" not in a]) or "NULL"
    wanted = ",".join([f"({literals.text(s)},{literals.text(k)})" for s, k in pairs])
    # LATERAL keeps Postgres on the index, whatever its statistics say.
    cursor.execute(
        f"SELECT reference, id FROM cases_case WHERE reference IN ({references}) UNION ALL "
        f"SELECT wanted.source || ':' || wanted.key, c.id FROM (VALUES {wanted}) "
        "AS wanted (source, key) CROSS JOIN LATERAL (SELECT id FROM cases_case "
        "WHERE source = wanted.source AND source_key = wanted.key AND source_key <> '' LIMIT 1"
        ") AS c"
    )
    return dict(cursor.fetchall())


def being_opened(cursor: Any, addresses: Iterable[str]) -> set[str]:
    """Those of these addresses whose case another worker is opening, or has just opened."""
    pairs = _source_keys(addresses)
    if not pairs:
        return set()
    cursor.execute(
        "SELECT source || ':' || key FROM cases_message WHERE name = %s "
        f"AND state IN ('new', 'used') AND (source, key) IN "
        f"({', '.join(['(%s, %s)'] * len(pairs))})",
        [OPEN_CASE, *[part for pair in pairs for part in pair]],
    )
    return {row[0] for row in cursor.fetchall()}


def _source_keys(addresses: Iterable[str]) -> list[tuple[str, str]]:
    """The pairs that an address `source:key` may mean: either part may hold a colon."""
    return [
        (address[:at], address[at + 1 :])
        for address in addresses
        for at, letter in enumerate(address)
        if letter == ":"
    ]


def take(turn: Turn, run: Run, message: Waiting) -> str:
    """Give a message to its locked case. Returns its state: used, kept, late, or
    unmatched when its kind takes no such message."""
    data = codec.decode(message.data)
    if message.name == "subcase.closed":
        return _take_subcase(turn, run, message, data)
    if message.name == "parent.left":
        return _take_parent_left(turn, run, message)
    if run.is_closed:
        turn.record(
            run,
            "message.late",
            {"name": message.name, "source": message.source, "key": message.key},
            actor=message.actor,
            on_behalf=message.on_behalf,
        )
        run.writes.messages.append(
            (
                message.id,
                "late",
                run.case_id,
                f"{run.reference} was closed with outcome “{run.row['outcome']}”.",
                turn.now,
            )
        )
        return "late"
    try:
        data = fitting(run, message.name, data)
    except (Invalid, NotNow) as refusal:
        run.writes.messages.append((message.id, "unmatched", run.case_id, str(refusal), turn.now))
        return "unmatched"
    what = {"name": message.name, "source": message.source, "key": message.key, "data": data}
    command = _awaiting(run, message.name)
    if command is None or run.is_parked:
        turn.record(run, "message.kept", what, actor=message.actor, on_behalf=message.on_behalf)
        run.writes.messages.append((message.id, "kept", run.case_id, "", turn.now))
        turn.kept.setdefault((run.case_id, message.name), []).append(
            {
                "id": message.id,
                "name": message.name,
                "source": message.source,
                "key": message.key,
                "data": message.data,
                "actor": message.actor,
                "on_behalf": message.on_behalf,
            }
        )
        return "kept"
    run.writes.messages.append((message.id, "used", run.case_id, "", turn.now))
    turn.feed(
        run,
        "message.received",
        {"command": command, **what},
        actor=message.actor,
        on_behalf=message.on_behalf,
    )
    return "used"


def fitting(run: Run, name: str, data: Any) -> Any:
    """The data of a message as its open case takes it now. Raises Invalid (a name or shape that
    the kind does not take) and NotNow (an answer to something that was not put before anybody)."""
    if run.kind.messages:
        data = run.kind.check_message(name, data)
    if name in run.kind.answers and _awaiting(run, name) is None:
        raise NotNow(
            f"{run.reference} does not wait for “{name}” now. An answer is taken only while the "
            "case waits for it: read its waits, then send the answer again."
        )
    return data


def _awaiting(run: Run, name: str) -> int | None:
    """The command that waits for a message of this name."""
    for number, asked in sorted(run.open.items()):
        if asked.type == "message.awaited" and asked.data["name"] == name:
            return number
    return None


def is_for_this_visit(run: Run, message: dict[str, Any]) -> bool:
    """Whether a kept message may be used now: an answer is to what stood when it came."""
    if message["name"] not in run.kind.answers:
        return True
    whose = (message["source"], message["key"])
    return any(
        one.type == "message.kept" and (one.data["source"], one.data["key"]) == whose
        for one in run.events
    )


def _take_subcase(turn: Turn, run: Run, message: Waiting, data: dict[str, Any]) -> str:
    run.writes.messages.append((message.id, "used", run.case_id, "", turn.now))
    asked = run.open.get(data["command"])
    if run.visit == data["visit"] and asked is not None and asked.type == "subcase.opened":
        turn.feed(
            run,
            "subcase.closed",
            {name: data[name] for name in ("command", "reference", "outcome", "facts")},
            actor=message.actor,
            on_behalf=message.on_behalf,
        )
    return "used"


def _take_parent_left(turn: Turn, run: Run, message: Waiting) -> str:
    """The parent no longer waits: the child ends with it, or goes on, as its kind says."""
    run.writes.messages.append((message.id, "used", run.case_id, "", turn.now))
    if run.is_closed:
        return "used"
    stays = "This kind goes on without the case that opened it."
    if run.kind.ends_with_parent:
        try:
            turn.take(
                run,
                run.kind.withdraw,
                {"reason": "The case that asked for this one no longer waits for it."},
                actor=message.actor,
                on_behalf=message.on_behalf,
            )
            return "used"
        except TransitionNotAllowed:
            stays = "It can no longer be withdrawn from where it stands, so it goes on."
    turn.record(
        run, "parent.left", {"stays": stays}, actor=message.actor, on_behalf=message.on_behalf
    )
    return "used"
