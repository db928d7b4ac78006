"""The only writer of history. Everything else in Longcase reads it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.db import connection

from audit import codec, sealing
from audit.chain import link
from audit.literals import moment, octets, text, word

COLUMNS = "case_id, number, type, data, actor, on_behalf, happened_at, recorded_at, hash"
ROWS_PER_INSERT = 1000


class Head(Protocol):
    """Where the history of a case ends: a locked case row, most of the time."""

    @property
    def case_id(self) -> int: ...

    @property
    def sealer(self) -> sealing.Sealer | None: ...  # None: nothing of it is sealed

    head_number: int  # 0 before the first event
    head_hash: bytes  # chain.GENESIS before the first event


@dataclass(slots=True, kw_only=True)
class Draft:
    """An event that has no number yet."""

    head: Head
    type: str
    data: dict[str, Any]
    actor: str  # person:7, engine, service:appraiser, party:applicant
    recorded_at: datetime
    on_behalf: str = ""
    happened_at: datetime | None = None  # when it differs from recorded_at


class Recorded:
    """One event as it stands in history. Its data is decoded when first asked for.

    Also right after writing, `data` is what a later reader will get, never the caller's own object.
    """

    __slots__ = (
        "_data",
        "_open",
        "_structure",
        "actor",
        "case_id",
        "data_text",
        "happened_at",
        "hash",
        "number",
        "on_behalf",
        "recorded_at",
        "type",
    )

    def __init__(
        self,
        case_id: int,
        number: int,
        type: str,
        data_text: str,
        actor: str,
        on_behalf: str,
        happened_at: datetime,
        recorded_at: datetime,
        hash: bytes,
    ) -> None:
        self.case_id = case_id
        self.number = number
        self.type = type
        self.data_text = data_text
        self.actor = actor
        self.on_behalf = on_behalf
        self.happened_at = happened_at
        self.recorded_at = recorded_at
        self.hash = hash
        self._data: dict[str, Any] | None = None
        self._structure: dict[str, Any] | None = None
        self._open: tuple[str, list[str] | None] | None = None  # of one just written

    @property
    def data(self) -> dict[str, Any]:
        if self._data is None:
            if self._open is not None:
                self._data = sealing.fill(*self._open)
            else:
                self._data = sealing.decode(self.data_text, self.case_id, self.number)
        return self._data

    @property
    def structure(self) -> dict[str, Any]:
        """The data, whose personal values may be missing: for whoever asks for none of them. To
        open a box takes five times as long as to read what stands beside it."""
        if self._data is not None or self._open is not None:
            return self.data
        if self._structure is None:
            self._structure = sealing.structure(self.data_text)
        return self._structure

    @property
    def erased_at(self) -> datetime | None:
        """When what is personal in it was erased, where it was."""
        return sealing.erased_at(self.data_text, self.case_id)

    def __repr__(self) -> str:  # no data: representations end in logs
        return f"<event {self.case_id}/{self.number} {self.type}>"


def chain(draft: Draft) -> Recorded:
    """Give a draft its number and hash, and move its head forward, in memory.

    The caller holds the case's row lock, writes what this returns and saves the head in the same
    transaction. After a rollback the head in memory is ahead of the database: load it afresh.
    """
    head = draft.head
    number = head.head_number + 1
    unsealed = None
    if head.sealer is None:
        data_text = codec.encode(draft.data)
    else:
        data_text, unsealed = sealing.encode(
            draft.data, head.sealer, type=draft.type, number=number
        )
    recorded_at = draft.recorded_at
    happened_at = draft.happened_at or recorded_at
    sealed = link(
        head.head_hash,
        head.case_id,
        number,
        draft.type,
        data_text,
        draft.actor,
        draft.on_behalf,
        happened_at,
        recorded_at,
    )
    head.head_number = number
    head.head_hash = sealed
    recorded = Recorded(
        head.case_id,
        number,
        draft.type,
        data_text,
        draft.actor,
        draft.on_behalf,
        happened_at,
        recorded_at,
        sealed,
    )
    recorded._open = unsealed
    return recorded


def write(cursor: Any, recorded: Sequence[Recorded]) -> None:
    """Insert events, in one statement for each 1,000, through a Django or psycopg cursor.

    The same statement tells the feed of them, so that none can be left out.
    """
    for start in range(0, len(recorded), ROWS_PER_INSERT):
        rows = recorded[start : start + ROWS_PER_INSERT]
        cursor.execute(
            f"WITH written AS (INSERT INTO audit_event ({COLUMNS}) VALUES "
            + ",".join(map(_values, rows))
            + ") INSERT INTO audit_unnumbered (case_id, first, last) VALUES "
            + ",".join(_ranges(rows))
        )


def record(
    head: Head,
    type: str,
    /,
    *,
    actor: str,
    recorded_at: datetime,
    on_behalf: str = "",
    happened_at: datetime | None = None,
    **data: Any,
) -> Recorded:
    """Record one event of a case whose row the caller has locked, and move its head."""
    recorded = chain(
        Draft(
            head=head,
            type=type,
            data=data,
            actor=actor,
            recorded_at=recorded_at,
            on_behalf=on_behalf,
            happened_at=happened_at,
        )
    )
    with connection.cursor() as cursor:
        write(cursor, [recorded])
    return recorded


def _values(row: Recorded) -> str:
    """A row of VALUES."""
    recorded = moment(row.recorded_at)
    happened = recorded if row.happened_at is row.recorded_at else moment(row.happened_at)
    return (
        f"({row.case_id:d},{row.number:d},{word(row.type)},{text(row.data_text)},{word(row.actor)},"
        f"{word(row.on_behalf)},{happened},{recorded},{octets(row.hash)})"
    )


def _ranges(rows: Sequence[Recorded]) -> list[str]:
    """A row of VALUES for each run of events of one case."""
    found: list[str] = []
    first = rows[0]
    for last, after in zip(rows, [*rows[1:], None], strict=True):
        if after is None or after.case_id != last.case_id or after.number != last.number + 1:
            found.append(f"({first.case_id:d},{first.number:d},{last.number:d})")
            if after is not None:
                first = after
    return found
