"""An act's turn: one case, locked, with clear words when it cannot be had."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.translation import gettext as _
from psycopg.errors import LockNotAvailable

from cases import dates
from cases.absence import stands_in_for
from cases.actors import Actor
from cases.errors import CaseBusy, CaseClosed, CaseErased, Invalid, NoSuchCase
from cases.models import Person
from processes.engine.run import Run
from processes.engine.turn import Turn
from processes.work import crashpoint

WAIT_MS = 5000  # for a case that another act holds


def _stand_in(person: Person, run: Run) -> tuple[str, str]:
    """History names a substitute together with the caseworker for whom they act."""
    owner_id = run.row["owner_id"]
    if owner_id != person.pk and any(one.pk == owner_id for one in stands_in_for(person)):
        return f"person:{person.pk}", f"person:{owner_id}"
    return "", ""


def _locked(turn: Turn, case_ids: list[int], *, run_code: bool = True) -> list[Run]:
    """Lock these cases; they come in the order that was asked for."""
    turn.cursor.execute(f"SET LOCAL lock_timeout = {WAIT_MS}")
    try:
        runs = {run.case_id: run for run in turn.lock(case_ids, wait=True, run_code=run_code)}
    except Exception as error:
        if isinstance(error.__cause__, LockNotAvailable):
            raise CaseBusy(
                "Somebody else, or Longcase itself, is changing this case right now. Nothing was "
                "changed; try again in a moment."
            ) from error
        raise
    for case_id in case_ids:
        if case_id not in runs:
            raise NoSuchCase(f"There is no case with number {case_id}.")
    for run in runs.values():
        if run.row["erased_at"] is not None:
            day = {"case": run.reference, "day": dates.day(run.row["erased_at"])}
            raise CaseErased(_("%(case)s was erased on %(day)s and takes nothing more.") % day)
    return [runs[case_id] for case_id in case_ids]


def _act_as(run: Run, actor: Actor) -> None:
    run.cause = actor.on_behalf or actor.code
    if actor.person is not None and not actor.on_behalf:
        run.stand_in = _stand_in(actor.person, run)


def require_open(run: Run) -> None:
    if run.is_closed:
        raise CaseClosed(
            f"{run.reference} was closed on {dates.day(run.row['closed_at'])} with outcome "
            f"“{run.row['outcome']}” and takes nothing more."
        )


def require_seen(run: Run, seen: int) -> None:
    """What somebody says they have seen of a case has happened. Raises Invalid."""
    if not 0 <= seen <= run.head_number:
        said = f"{run.reference} has {run.head_number} events; open it again and send what you saw."
        raise Invalid(said, {"seen": said})


@contextmanager
def acting_on_both(
    case_id: int, other_id: int, *, actor: Actor
) -> Iterator[tuple[Turn, tuple[Run, Run]]]:
    """Lock two cases, open or closed, for one act on both. Raises NoSuchCase, CaseBusy."""
    with Turn() as turn:
        first, second = _locked(turn, [case_id, other_id])
        for run in (first, second):
            _act_as(run, actor)
        yield turn, (first, second)


@contextmanager
def acting_on(
    case_id: int, *, actor: Actor, closed: bool = False, run_code: bool = True
) -> Iterator[tuple[Turn, Run]]:
    """Lock a case for one act; a repair of its code does not run it first. Raises NoSuchCase,
    CaseBusy, and CaseClosed unless `closed`."""
    with Turn() as turn:
        (run,) = _locked(turn, [case_id], run_code=run_code)
        if not closed:
            require_open(run)
        _act_as(run, actor)
        yield turn, run
        crashpoint.reach("act.recorded")
    crashpoint.reach("act.committed")
