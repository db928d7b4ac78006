"""Each case has a data key of its own, with which the personal values of its history are sealed.

A key is kept wrapped by a master key (audit/masters.py), so that neither the database nor a dump of
it can read what it seals. To destroy it is to erase: what it sealed reads as erased from then on,
here and in each copy of the history, and the chain still proves all that was recorded.

The row of case 0 is the installation's own: the secret under which persons get their marks.
"""

from __future__ import annotations

import hmac
import os
import threading
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.db import connection, transaction

from audit import masters
from audit.literals import moment, octets, word

KEPT_SECONDS = 60.0  # in the memory of a process: so long a destroyed key may still open there
KEPT_MOST = 8192
MARK_BYTES = 16
OURS = 0  # the installation's own row


class NoKey(LookupError):
    """A case has sealed values and no key: part of its data is missing."""


@dataclass(frozen=True, slots=True)
class Key:
    """The data key of a case, opened."""

    case_id: int
    cipher: AESGCM

    def __repr__(self) -> str:
        return f"<key of case {self.case_id}>"


@dataclass(frozen=True, slots=True)
class Destroyed:
    """A case whose key is gone, and with it all that it sealed."""

    case_id: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Made:
    """A new key, and the row to keep it in."""

    key: Key
    marks: tuple[bytes, ...]
    master: str
    wrapped: bytes
    made_at: datetime


# --- Making -----------------------------------------------------------------------------------


def make(case_ids: Mapping[int, Iterable[bytes]], *, made_at: datetime) -> list[Made]:
    """A key for each case, with the marks of its person. `insert` them in the transaction that
    records with them."""
    made = []
    for case_id, marks in case_ids.items():
        secret = AESGCM.generate_key(256)
        master, wrapped = masters.wrap(secret, case_id=case_id)
        key = Key(case_id, AESGCM(secret))
        made.append(Made(key, tuple(sorted(set(marks))), master, wrapped, made_at))
    return made


def insert(cursor: Any, made: Sequence[Made]) -> None:
    """Keep new keys, in one statement. Other transactions of this process know them after the
    commit: what is rolled back leaves no key behind that a later one could seal with."""
    if made:
        rows = ",".join(
            [
                f"({one.key.case_id:d},{_array(one.marks)},{word(one.master)},"
                f"{octets(one.wrapped)},{moment(one.made_at)})"
                for one in made
            ]
        )
        cursor.execute(
            f"INSERT INTO audit_casekey (case_id, persons, master, wrapped, made_at) VALUES {rows}"
        )
        uncommitted = [one.key for one in made]
        forget([key.case_id for key in uncommitted])
        _fresh.keys.update((key.case_id, key) for key in uncommitted)
        transaction.on_commit(partial(_committed, uncommitted))


class _Fresh(threading.local):
    """Keys that the transaction of this thread has made, and that no other may use yet."""

    def __init__(self) -> None:
        self.keys: dict[int, Key] = {}


_fresh = _Fresh()


def _committed(made: Sequence[Key]) -> None:
    for key in made:
        _fresh.keys.pop(key.case_id, None)
        remember(key)


def begin() -> None:
    """A transaction begins: what one before it made and did not commit is no more."""
    _fresh.keys.clear()


# --- Opening ----------------------------------------------------------------------------------

COLUMNS = "case_id, wrapped, master, destroyed_at"
_kept: dict[int, tuple[float, Key | Destroyed]] = {}
_lock = threading.Lock()


def opened(case_id: int) -> Key | Destroyed:
    """The key of a case, from memory where it was opened a moment ago. Raises NoKey."""
    found = known(case_id) or fetch([case_id]).get(case_id)
    if found is None:
        raise NoKey(
            f"Case {case_id} has sealed values, and the table of keys has no row for it. Was only "
            "a part of the database restored?"
        )
    return found


def known(case_id: int) -> Key | Destroyed | None:
    """The key of a case if this process has it at hand; it asks nobody."""
    found = _kept.get(case_id)
    if found is not None and found[0] >= _age():
        return found[1]
    return _fresh.keys.get(case_id)


def at_hand(case_ids: Iterable[int]) -> dict[int, Key | Destroyed]:
    """The keys of these cases that can be used without asking: those that are not destroyed."""
    return {case_id: key for case_id in case_ids if isinstance(key := known(case_id), Key)}


def fetch(case_ids: Collection[int]) -> dict[int, Key | Destroyed]:
    """The keys of many cases, in one query at most. Cases that have none are left out."""
    found = {case_id: key for case_id in case_ids if (key := known(case_id)) is not None}
    if missing := set(case_ids) - set(found):
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT {COLUMNS} FROM audit_casekey WHERE case_id = ANY(%s)", [list(missing)]
            )
            found.update((row[0], learn(*row)) for row in cursor.fetchall())
    return found


def learn(
    case_id: int, wrapped: Any, master: str, destroyed_at: datetime | None
) -> Key | Destroyed:
    """A row of the table, opened and kept at hand."""
    key: Key | Destroyed
    if wrapped is None or destroyed_at is not None:
        if destroyed_at is None:
            raise NoKey(f"The key of case {case_id} is gone, and nobody destroyed it.")
        key = Destroyed(case_id, destroyed_at)
    else:
        known_as = known(case_id)
        if isinstance(known_as, Key):
            return known_as
        key = Key(case_id, AESGCM(masters.unwrap(master, bytes(wrapped), case_id=case_id)))
    remember(key)
    return key


def remember(key: Key | Destroyed) -> None:
    """Keep a key at hand for a minute."""
    with _lock:
        _kept.pop(key.case_id, None)
        while len(_kept) >= KEPT_MOST:
            del _kept[next(iter(_kept))]
        _kept[key.case_id] = _age() + KEPT_SECONDS, key


def forget(case_ids: Iterable[int] | None = None) -> None:
    """Let go of keys that are at hand; of all unless named."""
    with _lock:
        if case_ids is None:
            _kept.clear()
            _fresh.keys.clear()
            _ours.clear()
            return
        for case_id in case_ids:
            _kept.pop(case_id, None)
            _fresh.keys.pop(case_id, None)


def _age() -> float:
    return time.monotonic()  # noqa: TID251 - how long this process kept something, whatever the clock


# --- Whose ------------------------------------------------------------------------------------


def mark(value: str) -> bytes:
    """The mark of a person by one fact that identifies them, in its normal spelling. The same
    value has the same mark in each case; without the installation's key it tells nothing."""
    return hmac.digest(_our_secret(), value.encode(), "sha256")[:MARK_BYTES]


def persons_cases(*marks: bytes) -> list[int]:
    """The cases that share one of these marks and whose keys are not destroyed."""
    if not marks:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT case_id FROM audit_casekey WHERE persons && %s::bytea[] ORDER BY case_id",
            [list(marks)],
        )
        return [row[0] for row in cursor.fetchall()]


def marks_of(case_id: int) -> list[bytes]:
    """The marks of the person that a case is about; none of one that nothing identifies."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT persons FROM audit_casekey WHERE case_id = %s", [case_id])
        row = cursor.fetchone()
    return [bytes(one) for one in row[0]] if row else []


def move_marks(cursor: Any, case_id: int, marks: Iterable[bytes]) -> None:
    """What identifies the person of a case was corrected."""
    cursor.execute(
        f"UPDATE audit_casekey SET persons = {_array(sorted(set(marks)))} "
        f"WHERE case_id = {case_id:d} AND destroyed_at IS NULL"
    )


def _array(marks: Iterable[bytes]) -> str:
    return "ARRAY[" + ",".join(map(octets, marks)) + "]::bytea[]"


_ours: dict[str, bytes] = {}


def _our_secret() -> bytes:
    secret = _ours.get("secret")
    if secret is not None:
        return secret
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT wrapped, master FROM audit_casekey WHERE case_id = {OURS}")
        row = cursor.fetchone()
        if row is None:
            secret = os.urandom(masters.KEY_BYTES)
            master, wrapped = masters.wrap(secret, case_id=OURS)
            cursor.execute(
                "INSERT INTO audit_casekey (case_id, persons, master, wrapped, made_at) "
                f"VALUES ({OURS}, '{{}}', %s, %s, now()) ON CONFLICT DO NOTHING",
                [master, wrapped],
            )
            cursor.execute(f"SELECT wrapped, master FROM audit_casekey WHERE case_id = {OURS}")
            row = cursor.fetchone()
    secret = masters.unwrap(row[1], bytes(row[0]), case_id=OURS)
    # Not before the commit: it may be of this very transaction, and gone with it.
    transaction.on_commit(partial(_ours.__setitem__, "secret", secret))
    return secret


# --- Destroying -------------------------------------------------------------------------------


def destroy(case_ids: Collection[int], at: datetime) -> list[int]:
    """Destroy the keys of these cases, for good, and the marks of whose they are. Returns those
    whose key was not destroyed before. Part of the caller's transaction, which holds the cases.

    A case without a key, from before there were any, gets the row of a destroyed one: what is
    recorded of it from then on holds nothing personal. Other processes may open its values for
    KEPT_SECONDS more. The bytes of the old row are in the files of the database until it is
    vacuumed, and in backups: wrapped by a master key, which can be replaced and destroyed.
    """
    if OURS in case_ids:
        raise ValueError("The installation's own key belongs to no case and cannot be destroyed.")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO audit_casekey AS one (case_id, persons, master, wrapped, made_at, "
            "destroyed_at) SELECT id, '{}', '', NULL, %(at)s, %(at)s FROM unnest(%(ids)s::bigint[])"
            " AS id ON CONFLICT (case_id) DO UPDATE SET wrapped = NULL, persons = '{}', "
            "destroyed_at = %(at)s WHERE one.destroyed_at IS NULL RETURNING case_id",
            {"ids": sorted(set(case_ids)), "at": at},
        )
        gone = sorted(row[0] for row in cursor.fetchall())
        forget(gone)
        transaction.on_commit(partial(forget, gone))  # read again meanwhile, as it was before
    return gone


def destroyed(case_ids: Collection[int]) -> dict[int, datetime]:
    """When the keys of these cases were destroyed, of those that were."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT case_id, destroyed_at FROM audit_casekey "
            "WHERE case_id = ANY(%s) AND destroyed_at IS NOT NULL",
            [list(case_ids)],
        )
        return dict(cursor.fetchall())


def rewrap(limit: int = 1000) -> int:
    """Wrap so many keys anew that another than the current master key wraps; how many it were."""
    current = masters.current()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT case_id, master, wrapped FROM audit_casekey WHERE master <> %s AND wrapped IS "
            "NOT NULL ORDER BY case_id LIMIT %s FOR UPDATE SKIP LOCKED",
            [current, limit],
        )
        rows = cursor.fetchall()
        for case_id, master, wrapped in rows:
            secret = masters.unwrap(master, bytes(wrapped), case_id=case_id)
            name, anew = masters.wrap(secret, case_id=case_id)
            cursor.execute(
                "UPDATE audit_casekey SET master = %s, wrapped = %s WHERE case_id = %s",
                [name, anew, case_id],
            )
    return len(rows)


def counts() -> dict[str, int]:
    """How many keys each master key wraps; "" counts those that are destroyed."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT CASE WHEN wrapped IS NULL THEN '' ELSE master END, count(*) "
            "FROM audit_casekey GROUP BY 1 ORDER BY 1"
        )
        return dict(cursor.fetchall())
