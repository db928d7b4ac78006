"""What each case is found by, kept with the events that say so.

A projection like the others: it equals what the case's row, facts and documents say, `verify`
compares it, and `rebuildsearch` writes it anew. A kind that is found by its references alone costs
a turn nothing; any other one statement when a case is opened, its searchable facts, its team or
its documents change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from django.db import connection, transaction

from audit import codec
from audit.literals import literal, text
from cases.models import Case, Document, SearchEntry
from cases.spelling import correctable, line_of
from processes.engine.run import Run
from processes.kinds import Kind, kind_of, kinds

VALUE_MOST = 300  # characters of one fact or name of a file
DOCUMENTS_MOST = 200  # the newest ones
BATCH = 1000

Told = list[list[str]]  # [what, value], in the order in which they count


class Entry(NamedTuple):
    case_id: int
    team_id: int | None
    told: Told
    text: str


def entry_of(
    kind: Kind, row: dict[str, Any], facts: dict[str, Any], documents: Iterable[tuple[str, str]]
) -> Entry:
    """What a case is found by. `documents` are (name, file name), the oldest first."""
    told: Told = [["title", row["title"]], ["reference", row["reference"]]]
    for name in kind.found_by or ():
        value = facts.get(name)
        if value not in (None, ""):
            told.append([f"fact.{name}", str(value)[:VALUE_MOST]])
    if row["source_key"]:
        told.append([f"source.{row['source']}", row["source_key"]])
    for name, filename in list(documents)[-DOCUMENTS_MOST:]:
        told.append([f"document.{name}", filename[:VALUE_MOST]])
    lines = [line_of(value) for _what, value in told]
    return Entry(row["id"], row["team_id"], told, "\n".join(lines))


# -- within a turn


def changed(runs: Iterable[Run]) -> list[Entry]:
    """The new entries of those cases whose searchable side this turn touched."""
    found = [run for run in runs if run.kind.found_by is not None and _is_touched(run)]
    if not found:
        return []
    old = [run.case_id for run in found if not run.is_opened]
    documents = documents_of(old) if old else {}
    return [entry_of(run.kind, run.row, run.facts, documents.get(run.case_id, ())) for run in found]


def _is_touched(run: Run) -> bool:
    if run.is_opened or run.row["team_id"] != run.locked["team_id"]:
        return True
    if any(event.type == "document.received" for event in run.writes.events):
        return True
    if not run.facts_changed:
        return False
    case, stored = run.case, run.stored_facts
    return any(getattr(case, name) != stored.get(name) for name in run.kind.found_by or ())


def documents_of(case_ids: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
    found: dict[int, list[tuple[str, str]]] = {}
    rows = Document.objects.filter(case_id__in=case_ids).order_by("pk")
    for case_id, name, filename in rows.values_list("case_id", "name", "filename"):
        found.setdefault(case_id, []).append((name, filename))
    return found


def write(cursor: Any, entries: Sequence[Entry]) -> None:
    """Keep these entries, and the words that are new with them, in one statement."""
    if not entries:
        return
    rows = ",".join(
        f"({one.case_id:d},{literal(one.team_id)},{text(codec.encode(one.told))},{text(one.text)})"
        for one in entries
    )
    keep = (
        "INSERT INTO cases_searchentry AS old (case_id, team_id, told, text) "
        f"VALUES {rows} ON CONFLICT (case_id) DO UPDATE SET team_id = EXCLUDED.team_id, "
        "told = EXCLUDED.told, text = EXCLUDED.text"
    )
    words = sorted({word for one in entries for word in correctable(one.text)})
    if words:
        # No unique index: of two turns that bring the same new word, neither waits for the other.
        values = ",".join(f"({text(word)})" for word in words)
        keep = (
            f"WITH kept AS ({keep}) INSERT INTO cases_searchword (word) "
            f"SELECT new.word FROM (VALUES {values}) AS new (word) WHERE NOT EXISTS "
            "(SELECT 1 FROM cases_searchword AS known WHERE known.word = new.word)"
        )
    cursor.execute(keep)


# -- over all of it


class Stale(NamedTuple):
    """A case whose entry is not what it should be."""

    reference: str
    entry: Entry | None  # None: it should have none


def stale(cases: Sequence[Case]) -> Iterator[Stale]:
    """Those of these cases (of one kind, with their facts) whose entry is missing or wrong."""
    kept = SearchEntry.objects.in_bulk([case.pk for case in cases])
    documents = documents_of([case.pk for case in cases])
    for case in cases:
        kind = kind_of(case.kind)
        row = kept.get(case.pk)
        if kind.found_by is None:
            if row is not None:
                yield Stale(case.reference, None)
            continue
        stored = {f.attname: getattr(case, f.attname) for f in Case._meta.concrete_fields}
        facts = {name: getattr(case, name) for name in kind.fact_names}
        entry = entry_of(kind, stored, facts, documents.get(case.pk, ()))
        if row is None or (row.team_id, row.told, row.text) != entry[1:]:
            yield Stale(case.reference, entry)


def rebuild(*, write_it: bool = True) -> Iterator[str]:
    """Compare every case with its entry and, unless only asked to look, write what is wrong anew.
    Gives the reference of each case that was wrong. Locks a batch of cases at a time."""
    for kind in kinds().values():
        last = 0
        while True:
            with transaction.atomic():
                cases = kind.model.objects.filter(pk__gt=last).order_by("pk")
                if write_it:
                    cases = cases.select_for_update(no_key=True, of=("self",))
                batch = list(cases[:BATCH])
                if not batch:
                    break
                last = batch[-1].pk
                wrong = list(stale(batch))
                if write_it:
                    _mend(wrong)
            yield from (one.reference for one in wrong)


def _mend(wrong: Sequence[Stale]) -> None:
    with connection.cursor() as cursor:
        write(cursor, [one.entry for one in wrong if one.entry is not None])
    gone = [one.reference for one in wrong if one.entry is None]
    SearchEntry.objects.filter(case__reference__in=gone).delete()


def is_never_built() -> bool:
    """Whether there are cases and not one entry, as after an update from before there were any."""
    findable = [name for name, kind in kinds().items() if kind.found_by is not None]
    cases = Case.objects.filter(kind__in=findable)
    return cases.exists() and not SearchEntry.objects.exists()
