"""Making the file of an export: a part of its cases at a time, then all parts together.

Each part is in storage before its row is committed, and the row says how far the export is. Work
that is killed goes on behind the last row; a part without a row is swept away at the end.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import takewhile

from django.db import IntegrityError, connection, transaction
from django.utils import translation
from django.utils.translation import gettext as _

from cases.models import Case, Export, ExportCase, ExportPart
from processes.exports import formats
from processes.exports.formats import Asked
from processes.exports.gathering import Gathered, gathered, ids_of
from processes.exports.keeping import NewPart, StoredPart, Summed, keep_file
from timers import clock

CASES_A_PART = 200
EVENTS_A_PART = 20_000  # about; a longer history is a part by itself


@contextmanager
def snapshot() -> Iterator[None]:
    """One unchanging view of the database, so that rows and histories of a part fit together."""
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def asked_of(export: Export) -> Asked:
    """What an export is to be, as formats read it."""
    who = export.person or export.client
    kinds = Case.objects.filter(pk__in=ExportCase.objects.filter(export=export).values("case"))

    def members(ids: Iterable[int]) -> dict[int, str]:
        rows = ExportCase.objects.filter(export=export, case__in=list(ids))
        return dict(rows.values_list("case", "case__reference"))

    return Asked(
        number=export.pk,
        kinds=tuple(sorted(set(kinds.order_by().values_list("kind", flat=True).distinct()))),
        count=export.count,
        made_at=export.made_at,
        reason=export.reason,
        by=str(who),
        told=export.told,
        members=members,
        **export.options,
    )


def make_part(export: Export, asked: Asked) -> bool:
    """Write the next cases of an export; False when all are written."""
    form = formats.formats()[export.form]
    last = ExportPart.objects.filter(export=export).order_by("-last").first()
    pairs = ids_of(export.pk, after=last.last if last else 0, most=CASES_A_PART)
    if not pairs:
        return False
    pairs = _few(pairs)
    figures = {"cases": 0, "events": 0}
    variants: set[str] = set()

    def counted(cases: Iterable[Gathered]) -> Iterator[Gathered]:
        for one in cases:
            figures["cases"] += 1
            figures["events"] += len(one.events)
            variants.add(one.variant)
            yield one

    with NewPart() as part, translation.override(export.language or None):
        with snapshot():
            cases = gathered([pk for _place, pk in pairs], staff=asked.staff())
            notes = form.gather(counted(cases), part.plain, asked)
        path = part.keep(export, {**notes, **figures, "variants": sorted(variants)})
    try:
        ExportPart.objects.create(export=export, first=pairs[0][0], last=pairs[-1][0], path=path)
    except IntegrityError:
        return True  # another has written the same cases meanwhile
    return True


def _few(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """As many of these cases as have a bearable number of events together; at least one."""
    rows = Case.objects.filter(pk__in=[pk for _place, pk in pairs])
    events = dict(rows.values_list("pk", "head_number"))
    left = EVENTS_A_PART

    def fits(pair: tuple[int, int]) -> bool:
        nonlocal left
        left -= events.get(pair[1], 0)
        return left > 0

    return list(takewhile(fits, pairs)) or pairs[:1]


def make_file(export: Export, asked: Asked) -> dict[str, object]:
    """Put all parts together in one file, in storage; what its row is to say of it."""
    form = formats.formats()[export.form]
    rows = ExportPart.objects.filter(export=export).order_by("first")
    parts = [StoredPart(one) for one in rows]
    with tempfile.TemporaryFile(prefix="longcase-export-") as file:
        with translation.override(export.language or None):
            form.finish(parts, file, asked)
        size, digest = Summed(file).told()
        path = keep_file(export, file)
    variants: set[str] = set()
    for part in parts:
        variants.update(part.notes["variants"])
    ending, _media = formats.file_of(form, export.count)
    return {
        "path": path,
        "size": size,
        "digest": digest,
        "filename": f"{_name_of(export)}.{ending}",
        "events": sum(part.notes["events"] for part in parts),
        "variants": len(variants),
    }


def _name_of(export: Export) -> str:
    """What the file is called when it is saved."""
    if export.count == 1:
        first = ExportCase.objects.filter(export=export).select_related("case").first()
        return first.case.reference if first else f"longcase-export-{export.pk}"
    day = clock.now().date().isoformat()
    return _("longcase-export-%(n)s-%(day)s") % {"n": export.pk, "day": day}
