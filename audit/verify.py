"""Does history still say what was recorded? Names the first event of a case that is wrong.

The chain shows any change that its maker did not carry through to the head of the case, kept on
the case's own row. Who can rewrite that as well leaves no trace here; anchors show it, those in
the database (audit/against.py) and those that were written elsewhere (audit/elsewhere.py).
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from django.db import connection, transaction

from audit import moments, scan
from audit.chain import GENESIS, link
from audit.record import COLUMNS

# case, number, type, data text, actor, on behalf, happened, recorded, hash: link()'s own order
Row = tuple[Any, ...]
_NUMBER, _HASH = 1, 8

Sort = Literal["gap", "changed", "swapped", "inserted", "cut_tail", "rewritten", "gone"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The first wrong event of a case: what is wrong with it, in a word and in a sentence."""

    case_id: int
    number: int
    sort: Sort
    words: str
    upto: int = 0  # where it may be a later one: the last that it may be


def verify_case(case_id: int, head_number: int, head_hash: bytes) -> Finding | None:
    """What is wrong with the history of one case, or None. Reads one consistent state."""
    with connection.cursor() as cursor:
        moments.read_fast(cursor)
        cursor.execute(
            f"SELECT {COLUMNS} FROM audit_event WHERE case_id = %s ORDER BY number", [case_id]
        )
        rows = iter(cursor.fetchall())
    return _first_wrong(rows, case_id=case_id, head_number=head_number, head_hash=bytes(head_hash))


def verify_chains(
    heads: Iterable[tuple[int, int, bytes]], *, above: int = 0, upto: int | None = None
) -> Iterator[Finding]:
    """What is wrong in all of history, at most one finding a case, streaming.

    `heads` gives (case, number, hash) of every case in ascending order of case; with `above` and
    `upto`, of each whose number lies above the one and not above the other. Read them and consume
    this inside snapshot(), or work that goes on meanwhile looks like tampering.
    """
    found = scan.chains(above=above, upto=upto)
    chain = next(found, None)
    last_id = above
    for case_id, head_number, head_hash in heads:
        if case_id <= last_id:
            raise ValueError(f"Heads come in ascending order; {case_id} came after {last_id}.")
        last_id = case_id
        while chain and chain.case_id < case_id:
            yield _without_case(chain.case_id)
            chain = next(found, None)
        is_there = chain is not None and chain.case_id == case_id
        ends = (chain.number, chain.hash) if chain and is_there else (0, GENESIS)
        if not (chain and is_there and chain.is_sound) or ends != (head_number, bytes(head_hash)):
            finding = verify_case(case_id, head_number, head_hash)
            if finding:
                yield finding
        if is_there:
            chain = next(found, None)
    while chain:
        yield _without_case(chain.case_id)
        chain = next(found, None)


def verify_tails(
    heads: Mapping[int, tuple[int, bytes]], ends: Mapping[int, tuple[int, bytes]]
) -> Iterator[Finding]:
    """What is wrong in the histories of these cases behind the ends, (number, hash), that they are
    known to have had before; at most one finding a case. `heads` are their ends now."""
    found = {chain.case_id: chain for chain in scan.tails(ends)}
    for case_id in sorted(heads):
        chain, head = found.get(case_id), heads[case_id]
        now = (chain.number, chain.hash) if chain else ends.get(case_id, (0, GENESIS))
        if (chain and not chain.is_sound) or now != head:
            finding = verify_case(case_id, *head)
            if finding:
                yield finding


@contextmanager
def snapshot() -> Iterator[None]:
    """One unchanging, read-only view of the database for as long as it is open."""
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SELECT 1")  # the view is that of the first query, so of now
        yield


def _first_wrong(
    rows: Iterator[Row], *, case_id: int, head_number: int, head_hash: bytes
) -> Finding | None:
    previous, number = GENESIS, 0
    for row in rows:
        number += 1
        if row[_NUMBER] != number or link(previous, *row[:_HASH]) != row[_HASH]:
            return _diagnosis(
                previous, number, [row, *rows], head_number=head_number, head_hash=head_hash
            )
        previous = row[_HASH]
    if number > head_number:
        return _after_head(case_id, head_number)
    if number < head_number:
        return Finding(
            case_id,
            number + 1,
            "cut_tail",
            f"Event {number + 1} is missing, and so is all after it up to {head_number}.",
        )
    if previous != head_hash:
        return Finding(
            case_id,
            number,
            "rewritten",
            f"Event {number} ends a sound chain, but not the one that the case's head seals: "
            "events were replaced with their hashes, or the head was.",
        )
    return None


def _diagnosis(
    previous: bytes, number: int, rest: list[Row], *, head_number: int, head_hash: bytes
) -> Finding:
    """Why the first of `rest` is not the event `number` that follows the hash `previous`."""
    wrong = rest[0]
    case_id = wrong[0]
    if number > head_number:
        return _after_head(case_id, head_number)
    if wrong[_NUMBER] != number:
        missing = f"Event {number} is missing; the next one is {wrong[_NUMBER]}."
        return Finding(case_id, number, "gap", missing)
    for place, row in enumerate(rest[1:], start=1):
        sealed = _as_number(row, previous, number)
        if sealed not in (row[_HASH], wrong[_HASH]):
            continue
        # The true event stands at this row. Does the wrong one belong where this row stands?
        before = sealed if place == 1 else rest[place - 1][_HASH]
        if _as_number(wrong, before, row[_NUMBER]) in (row[_HASH], wrong[_HASH]):
            swapped = f"Events {number} and {row[_NUMBER]} have changed places."
            return Finding(case_id, number, "swapped", swapped)
        if sealed == row[_HASH]:
            inserted = f"Event {number} was put in; the true one now has number {row[_NUMBER]}."
            return Finding(case_id, number, "inserted", inserted)
    if rest[-1][_HASH] == head_hash and rest[-1][_NUMBER] < head_number:
        gone = f"Event {number} is missing; those after it were given lower numbers."
        return Finding(case_id, number, "gap", gone)
    changed = f"Event {number} is not what was recorded: its hash does not fit its content."
    return Finding(case_id, number, "changed", changed)


def _as_number(row: Row, previous: bytes, number: int) -> bytes:
    """The hash that the content of a row has as event `number` after `previous`."""
    return link(previous, row[0], number, *row[2:_HASH])


def _after_head(case_id: int, head_number: int) -> Finding:
    number = head_number + 1
    after = f"Event {number} comes after the end of the case's history, which is {head_number}."
    return Finding(case_id, number, "inserted", after)


def _without_case(case_id: int) -> Finding:
    return Finding(case_id, 1, "inserted", f"There is history of case {case_id}, but no such case.")
