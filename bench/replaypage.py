"""What the pages of the past cost for a case with a very long history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import connection, transaction

from audit.record import Draft, chain, write
from bench.installation import Installation
from bench.longhistory import lengthen
from bench.pages import measured
from cases.models import Case, Person
from processes.acts.cases import get_case
from timers import clock


def replay_pages(installed: Installation, *, events: int) -> Iterator[str]:
    """One case that went round its steps until it has so many events, and one that has as many in
    a single step, which no checkpoint shortens."""
    auditor = Person.objects.filter(groups__name="auditor")[0]
    round_case = lengthen(_twice_on_its_step(), events=events)
    noted_case = _noted(round_case, events=events)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE audit_event")
    yield f"replay pages  {'':42} p50 ms  p95 ms  CPU ms  queries"
    for case, sort in ((round_case, "many steps"), (noted_case, "one step")):
        here, half = f"{case.get_absolute_url()}history/", case.head_number // 2
        for what, address in (
            (f"event {half} of {case.head_number}", f"{here}{half}/"),
            ("the same, all events", f"{here}{half}/?show=all"),
            ("the same, corrected", f"{here}{half}/?as=corrected"),
            (f"event {case.head_number}", f"{here}{case.head_number}/"),
            ("history, the story", here),
            ("history, all, in the middle", f"{here}?show=all&upto={half}"),
            ("history, of one step", f"{here}?show=all&step={case.step}"),
            ("history, a word nobody wrote", f"{here}?text=qqx"),
            ("two moments", f"{here}compare/?a=10&b={half}"),
        ):
            yield measured(installed, f"{sort}: {what}", auditor, lambda there=address: there)


def _twice_on_its_step() -> Case:
    """An open loan of the demo that was sent back to the step where it stands."""
    for case in Case.objects.filter(kind="loan", closed_at=None, visit__gt=5).order_by("-visit"):
        return case
    raise ValueError("The demo has no open loan that was sent back.")


def _noted(other: Case, *, events: int) -> Case:
    """Another open loan, with so many events since it entered its step."""
    found = Case.objects.filter(kind="loan", closed_at=None, step=other.step).exclude(pk=other.pk)
    with transaction.atomic():
        head: Any = Case.objects.select_for_update().get(pk=found.order_by("pk")[0].pk)
        head.sealer = None
        draft = {"head": head, "actor": "engine", "recorded_at": clock.now()}
        notes = [
            chain(Draft(type="note.added", data={"text": f"Note {n}"}, **draft))
            for n in range(events - head.head_number)
        ]
        with connection.cursor() as cursor:
            write(cursor, notes)
        Case.objects.filter(pk=head.pk).update(
            head_number=head.head_number, head_hash=head.head_hash
        )
    return get_case(head.pk)
