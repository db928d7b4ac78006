"""Restarting a step of a case from its checkpoint, by an operator or a supervisor."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from audit.read import events_of
from cases import access
from cases.actors import Actor
from cases.errors import CaseClosed, Invalid, Refused
from cases.models import Case
from processes.acts.locking import acting_on
from processes.acts.moving import require_reason
from processes.engine import leaving, restarting
from processes.engine.phrases import phrase
from processes.engine.restarting import Finished
from processes.engine.run import Run
from processes.kinds import kind_of


class CannotRestart(Refused):
    """The step has no code that could begin again."""


@dataclass(slots=True)
class Preview:
    """What a restart would do to a case."""

    version: int  # of the code that the new visit runs
    cancelled: list[str] = field(default_factory=list)  # what it waits for now
    done: list[Finished] = field(default_factory=list)  # undone, done again, or kept
    under_way: list[str] = field(default_factory=list)  # begun, and undone in case it took effect


def preview_restart(*, case: Case, actor: Actor) -> Preview:
    """Look, and change nothing. Raises NotAllowed, CaseClosed, CannotRestart."""
    access.require(actor, "repair case", case)
    if case.closed_at is not None:
        raise CaseClosed(f"{case.reference} is closed: there is no step to restart.")
    code = _require_code(case.kind, case.step, case.reference)
    events = events_of(case.pk, after=case.entered_number - 1)
    row = {f.attname: getattr(case, f.attname) for f in Case._meta.concrete_fields}
    run = Run(row=row, kind=kind_of(case.kind))
    run.entered, run.events = events[0], events[1:]
    for event in run.events:
        run.note(event)
    run.kept = restarting.not_used_yet(run.entered, run.events)
    return Preview(
        version=code,
        cancelled=[
            phrase(asked.type, asked.data) for number, asked in run.open.items() if number > 0
        ],
        done=restarting.finished(run),
        under_way=[call.name for call, _ in leaving.under_way_and_undoable(run)],
    )


def restart_step(
    *, case_id: int, reason: str, keep: Collection[int] = (), actor: Actor
) -> list[Finished]:
    """Begin a case's step anew from its checkpoint, on the newest code. What the visit waits for is
    cancelled; what its activities did is undone, but for those whose events are in `keep`.

    Returns what is being undone. Raises Invalid, NotAllowed, CaseClosed, CannotRestart.
    """
    require_reason(reason)
    with acting_on(case_id, actor=actor, run_code=False) as (turn, run):
        access.require(actor, "repair case", run.case)
        _require_code(run.kind.name, run.row["step"], run.reference)
        known = {one.number for one in restarting.finished(run)}
        if strangers := sorted(set(keep) - known):
            there = ", ".join(str(number) for number in sorted(known)) or "none"
            raise Invalid(
                f"Event {strangers[0]} is no finished activity of this visit. They are: {there}.",
                {"keep": f"of {there}"},
            )
        return restarting.restart(turn, run, reason=reason.strip(), keep=keep, actor=actor)


def _require_code(kind: str, step: str, reference: str) -> int:
    code = kind_of(kind).code_of(step)
    if code is None:
        raise CannotRestart(
            f"{reference} stands in “{step}”, which has no code to begin again: staff move it on."
        )
    return code.version
