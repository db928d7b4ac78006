"""Anchors: once a day, where every case's history ends, in one signed line.

The heads of the cases are leaves of Merkle trees, one for each page of 1,024 case numbers; the
pages' roots are the leaves of the tree whose root the anchor holds, with counts, the moment, the
last seal of the read log and the hash of the anchor before. Only what moved since that one is read
and kept, so an anchor costs what the day's work does, and a path from a case to any anchor is found
without the others.
`docs/proof.md` has the formats to the byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from hashlib import sha256
from typing import Any, NamedTuple

from django.db import connection, transaction

from audit import feed, readseals
from audit.codec import utc_text
from audit.merkle import Tree, leaf
from audit.models import Anchor
from audit.signing import NoAnchorKey, SigningKey

FORMAT = "longcase anchor 1"
PAGE_BITS = 10  # case numbers to a page: 1,024
PAGES_AT_ONCE = 64  # whose heads are in memory together
_LOCK = 0x4C41  # the class of the lock of whoever makes an anchor


class Head(NamedTuple):
    """Where a case's history ended."""

    case_id: int
    number: int
    hash: bytes


class Page(NamedTuple):
    """The tree over the heads of one page of case numbers."""

    page: int
    cases: int
    events: int
    root: bytes


def head_text(head: Head) -> str:
    """The leaf of a case, as text."""
    return f'["case",{head.case_id},{head.number},"{bytes(head.hash).hex()}"]'


def page_text(page: Page) -> str:
    """The leaf of a page, as text."""
    return f'["page",{page.page},{page.cases},{page.events},"{bytes(page.root).hex()}"]'


def page_of(heads: Sequence[Head]) -> tuple[Page, Tree]:
    """The page of these heads, which are all that it has, by case number."""
    tree = Tree([leaf(head_text(head).encode()) for head in heads])
    events = sum([head.number for head in heads])
    return Page(heads[0].case_id >> PAGE_BITS, len(heads), events, tree.root), tree


def tree_of(pages: Sequence[Page]) -> Tree:
    return Tree([leaf(page_text(page).encode()) for page in pages])


# -- making one


def make(
    *,
    day: date,
    now: datetime,
    keys: Sequence[SigningKey],
    without_old_key: bool = False,
    once_a_day: bool = False,
) -> Anchor | None:
    """Anchor where all histories end now. All of it is one commit, or nothing of it. None where
    it was to be made `once_a_day`, and this day or a later one has its anchor, or is getting it.

    Raises NoAnchorKey: there is no key, or the last anchor was signed by one that is not here and
    `without_old_key` does not say that it is lost.
    """
    if not keys:
        raise NoAnchorKey("No anchor can be signed: LONGCASE_ANCHOR_KEYS holds no key.")
    feed.number()
    readseals.seal()
    with transaction.atomic(), connection.cursor() as cursor:
        if once_a_day:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s, 1)", [_LOCK])
            if not cursor.fetchone()[0]:
                return None  # another is at it
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 1)", [_LOCK])
        before = newest()
        if once_a_day and before is not None and before.day >= day:
            return None
        signers = _signers(keys, before, without_old_key=without_old_key)
        number = before.number + 1 if before else 1
        position, sealed = feed.end().position, readseals.last()
        moved = _keep_moved(cursor, number, after=before.position if before else 0, upto=position)
        _keep_pages(cursor, number)
        pages = pages_at(number)
        said = {
            "format": FORMAT,
            "number": number,
            "day": day.isoformat(),
            "made_at": utc_text(now),
            "cases": sum([page.cases for page in pages]),
            "events": sum([page.events for page in pages]),
            "pages": len(pages),
            "root": tree_of(pages).root.hex(),
            "moved": moved,
            "heads": _digest_of_heads(number),
            "feed": position,
            "reads": [sealed[0], sealed[1].hex()],
            "previous": bytes(before.hash).hex() if before else bytes(32).hex(),
            "key": signers[0].public,
        }
        if before is not None and key_of(before) != signers[0].public:
            said["key_before"] = key_of(before)
        text = json.dumps(said, sort_keys=True, separators=(",", ":"))
        signatures = [{"key": k.public, "signature": k.sign(text.encode())} for k in signers]
        return Anchor.objects.create(
            number=number,
            day=day,
            made_at=now,
            text=text,
            hash=sha256(text.encode()).digest(),
            signatures=signatures,
            position=position,
        )


def said_in(anchor: Anchor) -> dict[str, Any]:
    """What an anchor says."""
    found: dict[str, Any] = json.loads(anchor.text)
    return found


def key_of(anchor: Anchor) -> str:
    return str(said_in(anchor)["key"])


def _signers(
    keys: Sequence[SigningKey], before: Anchor | None, *, without_old_key: bool
) -> list[SigningKey]:
    first = keys[0]
    if before is None or key_of(before) == first.public:
        return [first]
    old = next((key for key in keys if key.public == key_of(before)), None)
    if old is not None:
        return [first, old]
    if without_old_key:
        return [first]
    raise NoAnchorKey(
        f"Anchor {before.number} was signed by {key_of(before)[:16]}…, which LONGCASE_ANCHOR_KEYS "
        "does not hold. Add it after the new key, so that both sign the next anchor; if it is "
        "lost, run manage.py anchor --without-old-key, and tell those who check anchors."
    )


def _keep_moved(cursor: Any, number: int, *, after: int, upto: int) -> int:
    """Keep the heads of the cases that moved since the anchor before; how many."""
    cursor.execute(
        "INSERT INTO audit_anchored_head (case_id, anchor, number, hash) "
        "SELECT e.case_id, %s, e.number, e.hash FROM (SELECT case_id, max(last) AS last "
        "FROM audit_feed WHERE position > %s AND position <= %s GROUP BY case_id) AS f "
        "JOIN audit_event AS e ON e.case_id = f.case_id AND e.number = f.last "
        "ORDER BY e.case_id",
        [number, after, upto],
    )
    return int(cursor.rowcount)


def _keep_pages(cursor: Any, number: int) -> None:
    """Keep the pages with heads that moved at this anchor."""
    cursor.execute(
        f"SELECT DISTINCT case_id >> {PAGE_BITS} FROM audit_anchored_head WHERE anchor = %s "
        "ORDER BY 1",
        [number],
    )
    changed = [page for (page,) in cursor.fetchall()]
    for start in range(0, len(changed), PAGES_AT_ONCE):
        rows = []
        for heads in _heads_of_pages(cursor, changed[start : start + PAGES_AT_ONCE], number):
            page, _tree = page_of(heads)
            rows.append(f"({page.page:d},{number:d},{page.cases:d},{page.events:d},")
            rows[-1] += f"'\\x{page.root.hex()}')"
        cursor.execute(
            "INSERT INTO audit_anchored_page (page, anchor, cases, events, root) VALUES "
            + ",".join(rows)
        )


def _heads_of_pages(cursor: Any, pages: Sequence[int], anchor: int) -> Iterator[list[Head]]:
    """The heads of each of these pages at an anchor, by case."""
    # One range of the index for each page, and the newest row of each case in it.
    wanted = ",".join([f"({page:d})" for page in pages])
    cursor.execute(
        "SELECT h.* FROM (VALUES " + wanted + ") AS wanted (page) CROSS JOIN LATERAL ("
        "SELECT DISTINCT ON (case_id) case_id, number, hash FROM audit_anchored_head "
        f"WHERE case_id >= wanted.page << {PAGE_BITS} "
        f"AND case_id < (wanted.page + 1) << {PAGE_BITS} "
        "AND anchor <= %s ORDER BY case_id, anchor DESC) AS h",
        [anchor],
    )
    heads: list[Head] = []
    for row in cursor.fetchall():
        head = Head(*row)
        if heads and heads[-1].case_id >> PAGE_BITS != head.case_id >> PAGE_BITS:
            yield heads
            heads = []
        heads.append(head)
    if heads:
        yield heads


def _digest_of_heads(number: int) -> str:
    found = sha256()
    for text in moved_texts(number):
        found.update(text.encode() + b"\n")
    return found.hexdigest()


# -- reading what they hold


def moved_texts(number: int) -> Iterator[str]:
    """The leaves of the cases that moved at this anchor, by case: the lines of its heads file."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(
            "SELECT case_id, number, hash FROM audit_anchored_head WHERE anchor = %s "
            "ORDER BY case_id",
            [number],
        )
        while rows := cursor.fetchmany(5000):
            for row in rows:
                yield head_text(Head(*row))


def pages_at(number: int) -> list[Page]:
    """All pages as they were at this anchor."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT ON (page) page, cases, events, root FROM audit_anchored_page "
            "WHERE anchor <= %s ORDER BY page, anchor DESC",
            [number],
        )
        return [Page(*row) for row in cursor.fetchall()]


def heads_at(page: int, number: int) -> list[Head]:
    """The heads of one page as they were at this anchor."""
    with connection.cursor() as cursor:
        return next(_heads_of_pages(cursor, [page], number), [])


def ends_at(position: int, cases: Sequence[int]) -> dict[int, tuple[int, bytes]]:
    """Where the last anchor up to this position of the feed saw each of these cases end: (number,
    hash). A case that it does not hold is not in the answer."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT ON (case_id) case_id, number, hash FROM audit_anchored_head "
            "WHERE case_id = ANY(%s) AND anchor <= "
            "(SELECT max(number) FROM audit_anchor WHERE position <= %s) "
            "ORDER BY case_id, anchor DESC",
            [list(cases), position],
        )
        return {case_id: (number, bytes(hash)) for case_id, number, hash in cursor.fetchall()}


def all_heads_at(number: int) -> Iterator[list[Head]]:
    """The heads of all cases as they were at this anchor, page by page."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT ON (case_id) case_id, number, hash FROM audit_anchored_head "
            "WHERE anchor <= %s ORDER BY case_id, anchor DESC",
            [number],
        )
        heads: list[Head] = []
        while rows := cursor.fetchmany(5000):
            for row in rows:
                if heads and heads[-1].case_id >> PAGE_BITS != row[0] >> PAGE_BITS:
                    yield heads
                    heads = []
                heads.append(Head(*row))
        if heads:
            yield heads


def anchors_of(case_id: int) -> list[int]:
    """The anchors at which the history of this case had moved, and the newest of all."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT anchor FROM audit_anchored_head WHERE case_id = %s UNION "
            "SELECT max(number) FROM audit_anchor HAVING max(number) IS NOT NULL ORDER BY 1",
            [case_id],
        )
        return [number for (number,) in cursor.fetchall()]


def newest() -> Anchor | None:
    return Anchor.objects.order_by("-number").first()
