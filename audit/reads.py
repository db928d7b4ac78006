"""The read log: who was shown what. The only writer of `audit_read`.

While an answer is made, whoever finds a case or a document notes it here (`about`, `also`); the
face that answers writes one row before the answer leaves (`write`). A row that cannot be written
is an error, and nothing is shown.

A row holds ids, digests and marks. What people type into a search box is kept as keyed marks:
whoever has the word can ask whether it was looked for, nobody can read it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import connection

from audit.literals import moment, octets, text, word

IDS_PER_ROW = 1000  # cases that one row names; an answer that shows more takes several
COLUMNS = (
    "at, actor, on_behalf, through, what, item, outcome, case_id, case_number, case_ids, purpose, "
    "digest, marks"
)
LARGEST_ID = 2**63 - 1


@dataclass(slots=True)
class Reading:
    """What is being shown, as far as it is known yet."""

    actor: str = ""
    on_behalf: str = ""
    case_id: int | None = None
    case_number: int | None = None
    purpose: str = ""
    digest: bytes | None = None  # of a file, which is not read for its row
    case_ids: dict[int, None] = field(default_factory=dict)  # in their order


_current: ContextVar[Reading | None] = ContextVar("reading", default=None)


@contextmanager
def collecting() -> Iterator[Reading]:
    """While this lasts, what is noted by `about` and `also` gathers here."""
    reading = Reading()
    token = _current.set(reading)
    try:
        yield reading
    finally:
        _current.reset(token)


def about(case_id: int, number: int | None = None, *, on_behalf: str = "") -> None:
    """The answer is about this case, whose last event has this number. The first one noted is what
    it is about; later ones are among what it shows besides."""
    reading = _current.get()
    if reading is None:
        return
    if reading.case_id in (None, case_id):
        reading.case_id = case_id
        reading.case_number = number if number is not None else reading.case_number
        reading.on_behalf = reading.on_behalf or on_behalf
    else:
        reading.case_ids[case_id] = None


def also(case_ids: Iterable[int]) -> None:
    """The answer shows these cases too: by name, or whatever of them."""
    reading = _current.get()
    if reading is not None:
        reading.case_ids.update(dict.fromkeys(case_ids))


def by(actor: str) -> None:
    """Who is shown it, where it is nobody who signed in."""
    reading = _current.get()
    if reading is not None:
        reading.actor = actor


def for_purpose(purpose: str) -> None:
    """The purpose for which a restricted case was opened."""
    reading = _current.get()
    if reading is not None:
        reading.purpose = purpose


def of_file(digest: str) -> None:
    """The answer is a file with this SHA-256, in hexadecimal digits."""
    reading = _current.get()
    if reading is not None:
        reading.digest = bytes.fromhex(digest) if len(digest) == 64 else None


def digest_of(body: bytes) -> bytes:
    """The digest of an answer: SHA-256 over its very bytes, before they are packed for the way."""
    return hashlib.sha256(body).digest()


def marks_of(words: Iterable[str]) -> list[UUID]:
    """The marks of search words, each folded by the caller in the same way for good.

    HMAC-SHA-256, cut to 128 bits, under a key of the installation: see LONGCASE_READ_LOG_KEY.
    """
    key = hashlib.sha256(b"read log, search words\0" + settings.LONGCASE_READ_LOG_KEY.encode())
    return [
        UUID(bytes=hmac.digest(key.digest(), one.encode(), "sha256")[:16])
        for one in dict.fromkeys(words)
    ]


def write(
    reading: Reading,
    *,
    at: datetime,
    through: str,
    what: str,
    item: str = "",
    outcome: str = "shown",
    marks: Sequence[UUID] = (),
) -> None:
    """Write what was noted, in one statement, within the caller's transaction if there is one."""
    others = [one for one in reading.case_ids if one != reading.case_id]
    parts: list[list[int]] = [
        others[start : start + IDS_PER_ROW] for start in range(0, len(others), IDS_PER_ROW)
    ]
    head = (
        f"({moment(at)},{text(reading.actor)},{text(reading.on_behalf)},{word(through)},"
        f"{word(what)},{text(item)},{word(outcome)},{_or_null(reading.case_id)},"
        f"{_or_null(reading.case_number)},"
    )
    digest = "NULL" if reading.digest is None else octets(reading.digest)
    marked = f"'{{{','.join(map(str, marks))}}}'::uuid[]" if marks else "NULL::uuid[]"
    tail = f",{word(reading.purpose)},{digest}::bytea,{marked})"
    values = ",".join(f"{head}{_ids(part)}{tail}" for part in parts or [[]])
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO audit_read ({COLUMNS}) VALUES {values}")


def _or_null(value: int | None) -> str:
    return "NULL" if value is None or value > LARGEST_ID else f"{value:d}"


def _ids(case_ids: Sequence[int]) -> str:
    if not case_ids:
        return "NULL::bigint[]"
    return f"'{{{','.join(f'{one:d}' for one in case_ids)}}}'::bigint[]"


def head() -> tuple[int, bytes]:
    """Where the log ends: the number and the hash of its last seal, after sealing what was written
    since. (0, 32 zero bytes) before the first. For the anchors of a day."""
    from audit import readseals

    readseals.seal()
    return readseals.last()
