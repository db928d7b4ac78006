"""Does history still end, and pass, where the anchors say that it did?

Whoever rewrites a history with its hashes and its head leaves the chain sound. The anchors tell
where each case stood, day by day; they are signed, and each names the one before. So the newest
signature covers all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple

from django.db import connection

from audit import anchors, readseals, signing
from audit.codec import utc_text
from audit.models import Anchor, ReadSeal
from audit.verify import Finding

FINDINGS = 1000  # cases that are named; the rest are counted
ROWS_AT_ONCE = 5000
# What reading an anchor raises that nobody wrote so.
NONSENSE = (LookupError, TypeError, ValueError, AttributeError)


class Fault(NamedTuple):
    """What is wrong with an anchor, in a sentence."""

    anchor: int
    words: str


class Held(NamedTuple):
    """Where an anchor says that a case ended."""

    case_id: int
    number: int
    hash: bytes
    anchor: int


def name_of(number: int, day: Any) -> str:
    return f"anchor {number} of {day}"


# -- the anchors themselves


def check_anchors(*, keys: Collection[str], heads: bool = True) -> Iterator[Fault]:
    """What is wrong with the anchors in the database. `keys` are public keys that are ours, by one
    of which the newest is to be signed; without any, no key is wrong. `heads`: compare the heads
    and pages beside them too."""
    before: Anchor | None = None
    roots = _roots()
    for anchor in Anchor.objects.order_by("number").iterator(chunk_size=500):
        try:
            yield from _check_one(anchor, before, next(roots, (0, ""))[1])
            if heads:
                yield from _check_heads(anchor)
            anchors.key_of(anchor)
        except NONSENSE:
            yield Fault(anchor.number, "Its row holds what is no anchor.")
            return  # what follows is signed as following it
        before = anchor
    if before is None:
        return
    if keys and anchors.key_of(before) not in keys:
        words = f"It is signed by {anchors.key_of(before)[:16]}…, which is no key of ours."
        yield Fault(before.number, words)
    if heads:
        yield from _check_pages(before.number)


def _check_one(anchor: Anchor, before: Anchor | None, root: str) -> Iterator[Fault]:
    said, number = anchors.said_in(anchor), anchor.number
    expected = before.number + 1 if before else 1
    if number != expected:
        yield Fault(expected, f"It is missing; the next one is {number}.")
    elif said["previous"] != (bytes(before.hash).hex() if before else bytes(32).hex()):
        yield Fault(number, "It does not follow from the one before it.")
    if said["number"] != number or bytes(anchor.hash) != sha256(anchor.text.encode()).digest():
        yield Fault(number, "Its row does not say what was signed.")
    beside = (anchor.day.isoformat(), utc_text(anchor.made_at), anchor.position)
    if beside != (said["day"], said["made_at"], said["feed"]):
        yield Fault(number, "Its row has another day, moment or place in the feed than was signed.")
    signatures = {one["key"]: one["signature"] for one in anchor.signatures}
    for key in {said["key"], *signatures}:
        signature = signatures.get(key, "")
        if not signing.is_signed(anchor.text.encode(), public=key, signature=signature):
            yield Fault(number, f"It is not signed by {key[:16]}…, as it says.")
    if root != said["root"]:
        yield Fault(number, "The pages that are kept do not lead to the root that was signed.")


def _roots() -> Iterator[tuple[int, str]]:
    """The root of each anchor, from the pages that are kept."""
    pages: dict[int, anchors.Page] = {}
    numbers = list(Anchor.objects.order_by("number").values_list("number", flat=True))
    with connection.chunked_cursor() as cursor:
        cursor.execute(
            "SELECT anchor, page, cases, events, root FROM audit_anchored_page "
            "ORDER BY anchor, page"
        )
        rows = groupby(_fetched(cursor), key=lambda row: row[0])
        changed = next(rows, None)
        for number in numbers:
            while changed and changed[0] <= number:
                pages.update((row[1], anchors.Page(*row[1:])) for row in changed[1])
                changed = next(rows, None)
            root = anchors.tree_of([pages[page] for page in sorted(pages)]).root
            yield number, root.hex()


def _fetched(cursor: Any) -> Iterator[tuple[Any, ...]]:
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        yield from rows


def _check_heads(anchor: Anchor) -> Iterator[Fault]:
    digest, count = sha256(), 0
    for text in anchors.moved_texts(anchor.number):
        digest.update(text.encode() + b"\n")
        count += 1
    said = anchors.said_in(anchor)
    if (digest.hexdigest(), count) != (said["heads"], said["moved"]):
        yield Fault(anchor.number, "The heads that are kept with it are not those it was made of.")


def _check_pages(number: int) -> Iterator[Fault]:
    """Whether the newest pages are those of the newest heads."""
    kept = {page.page: page for page in anchors.pages_at(number)}
    seen = set()
    for heads in anchors.all_heads_at(number):
        page, _tree = anchors.page_of(heads)
        seen.add(page.page)
        if kept.get(page.page) != page:
            yield Fault(number, f"Page {page.page} of its trees is not that of the heads.")
    for left in sorted(set(kept) - seen):
        yield Fault(number, f"Page {left} of its trees has no heads.")


def check_reads(*, rows: bool = True) -> Iterator[str]:
    """What is wrong with the read log, in sentences: by its own seals, and by the anchors that hold
    one. Without `rows`, whether the seals that anchors hold are there alone."""
    for anchor in Anchor.objects.order_by("number").iterator(chunk_size=500):
        try:
            number, sealed = anchors.said_in(anchor).get("reads", (0, ""))
        except NONSENSE:
            continue  # said of the anchor
        if not number:
            continue
        there = ReadSeal.objects.filter(number=number).values_list("hash", flat=True).first()
        if there is None or bytes(there).hex() != sealed:
            name = name_of(anchor.number, anchor.day)
            yield f"seal {number} of the read log, which {name} holds, is not there as it was."
            break
    if rows:
        for finding in readseals.verify():
            yield finding.words


# -- history against them


def against_own(*, cases: Iterable[int] | None = None) -> Iterator[Finding]:
    """The first wrong event of each case whose history is not where the anchors in the database
    saw it; of some cases only where these are named."""
    only, values = ("", []) if cases is None else ("AND h.case_id = ANY(%s) ", [list(cases)])
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT h.case_id FROM audit_anchored_head AS h LEFT JOIN audit_event AS e "
            "ON e.case_id = h.case_id AND e.number = h.number "
            f"WHERE e.hash IS DISTINCT FROM h.hash {only}ORDER BY 1 LIMIT {FINDINGS:d}",
            values,
        )
        wrong = [case_id for (case_id,) in cursor.fetchall()]
    if wrong:
        yield from findings_of(wrong, held_of(wrong), days=_days())


def held_of(cases: Sequence[int]) -> list[Held]:
    """Where the anchors in the database saw these cases end."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT case_id, number, hash, anchor FROM audit_anchored_head "
            "WHERE case_id = ANY(%s) ORDER BY case_id, number, anchor",
            [list(cases)],
        )
        return [Held(case, number, bytes(h), anchor) for case, number, h, anchor in cursor]


def held_and_fits(case_id: int) -> tuple[list[Held], bool]:
    """Where the anchors in the database saw this case end, and whether its events are still there
    as they saw them; in one query."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT h.number, h.hash, h.anchor, e.hash IS NOT DISTINCT FROM h.hash "
            "FROM audit_anchored_head AS h LEFT JOIN audit_event AS e "
            "ON e.case_id = h.case_id AND e.number = h.number "
            "WHERE h.case_id = %s ORDER BY h.number, h.anchor",
            [case_id],
        )
        rows = cursor.fetchall()
    held = [Held(case_id, number, bytes(hash), anchor) for number, hash, anchor, _fits in rows]
    return held, all(row[3] for row in rows)


def _days() -> dict[int, Any]:
    return dict(Anchor.objects.values_list("number", "day"))


def wrong_among(held: Sequence[Held]) -> list[int]:
    """The cases among these whose event of that number has another hash, or is not there."""
    if not held:
        return []
    rows = ",".join([f"({h.case_id:d},{h.number:d},'\\x{h.hash.hex()}'::bytea)" for h in held])
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT DISTINCT h.id FROM (VALUES {rows}) AS h (id, number, hash) LEFT JOIN "
            "audit_event AS e ON e.case_id = h.id AND e.number = h.number "
            "WHERE e.hash IS DISTINCT FROM h.hash ORDER BY 1"
        )
        return [case_id for (case_id,) in cursor.fetchall()]


def findings_of(
    cases: Iterable[int], held: Iterable[Held], *, days: Mapping[int, Any]
) -> Iterator[Finding]:
    """The first wrong event of each of these cases, by where anchors saw them end."""
    by_case: dict[int, list[Held]] = {case_id: [] for case_id in cases}
    for one in held:
        if one.case_id in by_case:
            by_case[one.case_id].append(one)
    for case_id, ends in by_case.items():
        finding = _first_wrong(case_id, sorted(ends, key=lambda h: (h.number, h.anchor)), days)
        if finding:
            yield finding


def _first_wrong(case_id: int, ends: list[Held], days: Mapping[int, Any]) -> Finding | None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT number, hash FROM audit_event WHERE case_id = %s AND number = ANY(%s)",
            [case_id, [end.number for end in ends]],
        )
        there = {number: bytes(hash) for number, hash in cursor.fetchall()}
        cursor.execute("SELECT max(number) FROM audit_event WHERE case_id = %s", [case_id])
        last = cursor.fetchone()[0] or 0
    sound = 0
    if not last:
        end = ends[-1]
        name = name_of(end.anchor, days.get(end.anchor, "another day"))
        return Finding(case_id, 1, "gone", f"No event of it is left; {name} holds {end.number}.")
    for end in ends:
        name = name_of(end.anchor, days.get(end.anchor, "another day"))
        if last < end.number:
            words = f"Event {last + 1} is missing, and so is all after it up to {end.number}, "
            return Finding(case_id, last + 1, "cut_tail", f"{words}which {name} holds.", end.number)
        if there.get(end.number) != end.hash:
            which = f"Event {end.number} is"
            if sound + 1 < end.number:
                which = f"Of events {sound + 1} to {end.number}, the first or a later one is"
            words = f"{which} not what was recorded: at {name}, event {end.number} had another hash"
            words += f"; events up to {sound} are as they were." if sound else "."
            return Finding(case_id, sound + 1, "rewritten", words, end.number)
        sound = end.number
    return None
