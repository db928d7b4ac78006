"""A case with a very long history: it went round the same steps of its process again and again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from audit.read import events_of
from audit.record import Draft, Recorded, chain, write
from cases.models import Case
from processes.acts.cases import get_case
from timers import clock


def lengthen(case: Case, *, events: int) -> Case:
    """Let this open case go once more through what it last went through between two entries of its
    step, until it has so many events. Each event is chained, each visit replays by itself; rows
    beside the case's own are not made for it."""
    with transaction.atomic():
        head: Any = Case.objects.select_for_update().get(pk=case.pk)
        head.sealer = None  # what is copied is invented
        known = events_of(case.pk)
        entries = [place for place, one in enumerate(known) if one.type == "step.entered"]
        same = [place for place in entries if known[place].data["step"] == head.step]
        if len(same) < 2:
            raise ValueError(f"{case.reference} was never twice on “{head.step}”.")
        loop, tail = known[same[-2] : same[-1]], known[same[-1] :]
        rounds = max((events - len(known) - len(tail)) // len(loop), 1)
        scale = _scale(loop, since=known[-1].recorded_at, rounds=rounds + 1)
        visit, written = known[same[-1]].data["visit"], list[Recorded]()
        at = known[-1].recorded_at
        for some in [*[loop] * rounds, tail]:
            visit, made = _again(head, some, visit=visit, at=at, scale=scale)
            written += made
            at = made[-1].recorded_at
        with connection.cursor() as cursor:
            write(cursor, written)
        entered = next(one for one in reversed(written) if one.type == "step.entered")
        Case.objects.filter(pk=case.pk).update(
            head_number=head.head_number,
            head_hash=head.head_hash,
            visit=visit,
            entered_number=entered.number,
            entered_at=entered.recorded_at,
        )
    return get_case(case.pk)


def _scale(loop: Sequence[Recorded], *, since: datetime, rounds: int) -> float:
    """How far time must be compressed for so many rounds to end today."""
    took = max((loop[-1].recorded_at - loop[0].recorded_at).total_seconds(), 1.0)
    return max((clock.now() - since).total_seconds(), 1.0) / (took * rounds)


def _again(
    head: Any, some: Sequence[Recorded], *, visit: int, at: datetime, scale: float
) -> tuple[int, list[Recorded]]:
    """These events once more, numbered and chained at the end of the history."""
    first, begin, made = some[0].data["visit"], some[0].recorded_at, list[Recorded]()
    shift = visit + 1 - first
    for one in some:
        data = dict(one.data)
        if "visit" in data:
            data["visit"] += shift
        if one.type == "step.entered":
            visit = data["visit"]
        moment = at + timedelta(seconds=scale * (one.recorded_at - begin).total_seconds())
        draft = Draft(
            head=head,
            type=one.type,
            data=data,
            actor=one.actor,
            on_behalf=one.on_behalf,
            recorded_at=moment,
        )
        made.append(chain(draft))
    return visit, made
