"""Is history intact, and do the rows still equal the fold of their events?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from django.db import connection
from django.db.models import QuerySet

from audit import against, anchors, elsewhere, feed, signing
from audit import keys as casekeys
from audit.models import Anchor
from audit.verify import Finding, snapshot, verify_case, verify_chains, verify_tails
from cases.models import Case
from processes.engine.rowcheck import Difference, differences_in, differences_of

__all__ = ["Difference", "Looked", "differences_of", "verify", "verify_heads", "verify_since"]


@dataclass(slots=True)
class Looked:
    """What a check has looked at, and in sentences what it has not."""

    cases: int = 0
    events: int = 0
    anchors: int = 0
    left: list[str] = field(default_factory=list)


def verify(
    *,
    references: Iterable[str] = (),
    rows: bool = True,
    folder: Path | None = None,
    keys: Collection[str] = (),
    looked: Looked | None = None,
) -> Iterator[Difference]:
    """Check the chains of all cases, or of some, that they pass where the anchors saw them, and
    that the rows equal the history. Reads one consistent state, so it may run beside work.

    `folder` has anchors that were written elsewhere; `keys` are further public keys of ours.
    """
    looked = looked or Looked()
    casekeys.forget()  # one at hand may have been destroyed since, by another process
    with snapshot():
        wanted = list(references)
        if wanted:
            yield from _verify_some(wanted, rows, looked)
            return
        found = list(anchors_differ(folder=folder, keys=keys, looked=looked))
        broken: set[int] = set()
        yield from _first_of_each(
            found, verify_chains(_heads(looked, Case.objects.order_by("pk"))), broken
        )
        yield from not_in_feed(broken)
        if rows:
            every = Case.objects.order_by("pk").iterator(chunk_size=500)
            yield from differences_in(case for case in every if case.pk not in broken)
        else:
            looked.left.append("rows were not compared with history")


def verify_since(
    position: int, *, rows: bool = True, keys: Collection[str] = (), looked: Looked | None = None
) -> Iterator[Difference]:
    """Check the cases that moved behind this position of the feed, from where the last anchor
    before it saw them; and all anchors."""
    looked = looked or Looked()
    with snapshot():
        found = list(anchors_differ(keys=keys, looked=looked, reads=False))
        moved = feed.cases_after(position)
        yield from verify_moved(moved, position, rows=rows, looked=looked, anchored=found)
        looked.left.append(not_since(looked))


def verify_moved(
    moved: Sequence[int],
    position: int,
    *,
    rows: bool = True,
    looked: Looked,
    anchored: Iterable[Difference | Finding] = (),
) -> Iterator[Difference]:
    """Check these cases behind what the last anchor up to this position of the feed saw of them.
    Call it within snapshot()."""
    ends = anchors.ends_at(position, moved)
    cases = Case.objects.filter(pk__in=moved)
    heads = {
        pk: (number, bytes(sealed))
        for pk, number, sealed in cases.values_list("pk", "head_number", "head_hash")
    }
    looked.cases += len(heads)
    looked.events += sum(n - ends.get(pk, (0, b""))[0] for pk, (n, _) in heads.items())
    broken: set[int] = set()
    yield from _first_of_each(anchored, verify_tails(heads, ends), broken)
    for case_id in sorted(set(moved) - set(heads) - broken):
        yield Difference(f"case {case_id}", 1, "There is history of it, but no such case.")
    if rows:
        every = cases.order_by("pk").iterator(chunk_size=500)
        yield from differences_in(case for case in every if case.pk not in broken)


def not_since(looked: Looked) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), coalesce(sum(head_number), 0) FROM cases_case")
        cases, events = cursor.fetchone()
    return (
        f"{cases - looked.cases} cases did not move since the last clean check, and "
        f"{events - looked.events} events lie before it: their content was not hashed again"
    )


def verify_heads(
    *, folder: Path | None = None, keys: Collection[str] = (), looked: Looked | None = None
) -> Iterator[Difference]:
    """Check anchors, and that each history ends as the case's row says; hashes no event."""
    looked = looked or Looked()
    with snapshot():
        found = list(anchors_differ(folder=folder, keys=keys, looked=looked, reads=False))
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM cases_case")
            looked.cases = cursor.fetchone()[0]
            cursor.execute(
                "SELECT c.id, c.head_number, c.head_hash FROM cases_case AS c LEFT JOIN "
                "audit_event AS e ON e.case_id = c.id AND e.number = c.head_number LEFT JOIN "
                "audit_event AS later ON later.case_id = c.id AND later.number = c.head_number + 1 "
                "WHERE c.head_number > 0 AND e.hash IS DISTINCT FROM c.head_hash "
                "OR later.number IS NOT NULL ORDER BY c.id"
            )
            wrong = cursor.fetchall()
        findings = (f for row in wrong if (f := verify_case(*row)) is not None)
        yield from _first_of_each(found, findings, set())
        looked.left.append(
            "events were not hashed, rows not compared with history: heads and anchors alone"
        )


def anchors_differ(
    *,
    folder: Path | None = None,
    keys: Collection[str] = (),
    looked: Looked | None = None,
    reads: bool = True,
) -> Iterator[Difference | Finding]:
    """What the anchors show, those of the database and those in a folder: what is wrong with them,
    and the first wrong event of each case that is not where they saw it; and with the read log,
    whose rows are hashed if `reads`."""
    ours = {key.public for key in signing.signing_keys()} | set(keys)
    for fault in against.check_anchors(keys=ours):
        yield Difference(f"anchor {fault.anchor}", 0, fault.words)
    for words in against.check_reads(rows=reads):
        yield Difference("read log", 0, words)
    yield from against.against_own()
    if folder is not None:
        for one in elsewhere.check(folder, keys=ours):
            if isinstance(one, Finding):
                yield one
            else:
                yield Difference(f"anchor {one.anchor}", 0, one.words)
    if looked is not None:
        looked.anchors = Anchor.objects.count()
        if not looked.anchors:
            looked.left.append("there is no anchor yet to compare history with")


def verify_range(
    above: int, upto: int | None, *, rows: bool = True, looked: Looked | None = None
) -> Iterator[Difference]:
    """Check the chains and rows of the cases with numbers above `above` and up to `upto`, in one
    consistent state: a slice of a check that takes long."""
    looked = looked or Looked()
    with snapshot():
        cases = Case.objects.filter(pk__gt=above).order_by("pk")
        cases = cases if upto is None else cases.filter(pk__lte=upto)
        heads = _heads(looked, cases)
        broken: set[int] = set()
        yield from _first_of_each([], verify_chains(heads, above=above, upto=upto), broken)
        if rows:
            every = cases.iterator(chunk_size=500)
            yield from differences_in(case for case in every if case.pk not in broken)


def _verify_some(references: list[str], rows: bool, looked: Looked) -> Iterator[Difference]:
    cases = list(Case.objects.filter(reference__in=references).order_by("pk"))
    own = list(against.against_own(cases=[case.pk for case in cases]))
    chains = (verify_case(c.pk, c.head_number, bytes(c.head_hash)) for c in cases)
    broken: set[int] = set()
    yield from _first_of_each(own, (one for one in chains if one), broken)
    for case in cases:
        looked.cases += 1
        looked.events += case.head_number
    if rows:
        yield from differences_in(case for case in cases if case.pk not in broken)


def _heads(looked: Looked, cases: QuerySet[Case]) -> Iterator[tuple[int, int, bytes]]:
    rows = cases.values_list("pk", "head_number", "head_hash")
    for pk, number, sealed in rows.iterator(chunk_size=5000):
        looked.cases += 1
        looked.events += number
        yield pk, number, bytes(sealed)


def _first_of_each(
    anchored: Iterable[Difference | Finding], chained: Iterable[Finding], broken: set[int]
) -> Iterator[Difference]:
    """One finding a case, the earlier of what its chain and the anchors show; by case. Faults of
    anchors come first. Puts the cases into `broken`."""
    first: dict[int, Finding] = {}
    for one in anchored:
        if isinstance(one, Difference):
            yield one
        elif one.case_id not in first or one.number < first[one.case_id].number:
            first[one.case_id] = one
    for finding in chained:
        known = first.get(finding.case_id)
        # The chain names the very event, where it is one of those that an anchor misses.
        if known is None or (finding.number <= known.upto and known.sort != "gone"):
            first[finding.case_id] = finding
    broken.update(first)
    names = dict(Case.objects.filter(pk__in=list(first)).values_list("pk", "reference"))
    for case_id in sorted(first):
        finding = first[case_id]
        yield Difference(names.get(case_id, f"case {case_id}"), finding.number, finding.words)


def not_in_feed(broken: Collection[int]) -> Iterator[Difference]:
    """Cases whose events are not in the feed, each once."""
    with connection.cursor() as cursor:
        found = [row for row in feed.missing(cursor) if row[0] not in broken]
    names = dict(
        Case.objects.filter(pk__in=[row[0] for row in found]).values_list("pk", "reference")
    )
    for case_id, events, told in found:
        reference = names.get(case_id, f"case {case_id}")
        yield Difference(reference, events, f"the feed has {told} of its {events} events")
