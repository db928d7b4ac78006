"""All that was erased, as JSON lines, to be kept apart from the backups: whoever restores an older
backup applies it, and what that backup brought back is erased again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from cases.errors import Refused
from cases.models import Case, Erasure
from processes.erasing import files
from processes.erasing.erase import Ground, erase_case

FIELDS = ("ground", "basis", "first_by", "second_by", "event_number", "events", "key_destroyed")


def lines() -> Iterator[str]:
    """The ledger, the oldest first: a certificate a line."""
    rows = Erasure.objects.select_related("case").order_by("pk")
    for one in rows.iterator(chunk_size=500):
        told: dict[str, Any] = {
            "certificate": one.number,
            "case": one.case.reference,
            "case_id": one.case_id,
            "erased_at": one.erased_at.isoformat(),
            **{name: getattr(one, name) for name in FIELDS},
            "kept_until": one.kept_until_date.isoformat() if one.kept_until_date else None,
            "counts": one.counts,
            "digests": one.digests,
        }
        yield json.dumps(told, ensure_ascii=False, sort_keys=True)


class Applied(NamedTuple):
    reference: str
    what: str  # erased, already, refused
    sentence: str


def apply(ledger: Iterable[str]) -> Iterator[Applied]:
    """Erase again what a ledger names and this database still shows. Safe to repeat. A case that is
    open here, or held, is told and left: people decide."""
    for number, line in enumerate(ledger, 1):
        if line.strip():
            yield _apply(number, line)
    files.delete_left()


def _apply(number: int, line: str) -> Applied:
    try:
        told = json.loads(line)
        reference, case_id = str(told["case"]), int(told["case_id"])
        ground = Ground(
            what="apply",
            first_by=str(told["first_by"]),
            second_by=str(told["second_by"]),
            basis=str(told["basis"]),
            number=str(told["certificate"]),
        )
    except (ValueError, KeyError, TypeError):
        return Applied(f"line {number}", "refused", "this is no line of a ledger")
    case = Case.objects.filter(pk=case_id, reference=reference).first()
    if case is None:
        return Applied(reference, "already", "is not in this database")
    if case.erased_at is not None:
        return Applied(reference, "already", "is erased")
    try:
        erase_case(case_id=case_id, ground=ground)
    except Refused as why:
        return Applied(reference, "refused", str(why))
    return Applied(reference, "erased", f"erased again, under certificate {ground.number}")
