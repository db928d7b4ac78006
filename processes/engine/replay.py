"""The replay inspector: a case as it stood after any of its events. It writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.read import events_numbered, events_of, first_number, last_number
from audit.record import Recorded
from cases.models import Case
from processes.engine import erased
from processes.engine.errors import ReplayMismatch
from processes.engine.folding import Folding, Stood, fold_all
from processes.engine.run import Run
from processes.engine.runner import Runner
from processes.engine.stopping import describe
from processes.engine.visits import parked_from, replay_visit, version_of
from processes.kinds import Kind, kind_of


class NoSuchEvent(LookupError):
    """The case has no event of that number."""


@dataclass(slots=True)
class Moment:
    """One event of a case, and how the case stood just before it and after it."""

    event: Recorded
    previous: Recorded | None
    before: Stood | None  # None at the first event
    after: Stood
    visit: list[Recorded]  # the events since the step was entered, its entry first


def as_it_stood(case: Case, number: int | None = None) -> Stood:
    """The case after event `number`, with the line where its code stood; after its last one unless
    given. Of earlier visits' tasks it tells nothing. Raises NoSuchEvent."""
    moment = moment_of(case, case.head_number if number is None else number)
    look_at_code(case, moment)
    return moment.after


def moment_of(case: Case, number: int) -> Moment:
    """An event of the case, with the states around it, folded from the nearest checkpoint.
    Raises NoSuchEvent."""
    visit = visit_upto(case, number)
    if not visit or visit[-1].number != number:
        raise NoSuchEvent(
            f"{case.reference} has no event {number}; its events are 1 to {case.head_number}."
        )
    earlier = visit[:-1] or (visit_upto(case, number - 1) if number > 1 else [])
    folding, before = None, None
    if earlier:
        folding = _folded(case, earlier)
        before = folding.stood()
    if folding is not None and len(visit) > 1:
        folding.take(visit[-1])
    else:
        folding = _folded(case, visit)
    return Moment(
        event=visit[-1],
        previous=earlier[-1] if earlier else None,
        before=before,
        after=folding.stood(),
        visit=visit,
    )


def visit_upto(case: Case, number: int) -> list[Recorded]:
    """The events up to this one since the step in which it stands was entered, its entry first;
    from the first event on where no step was entered yet."""
    if 0 < case.entered_number <= number:
        entered: int | None = case.entered_number
    else:
        entered = last_number(case.pk, "step.entered", upto=number)
    return events_of(case.pk, after=(entered or 1) - 1, upto=number)


def _folded(case: Case, events: Sequence[Recorded]) -> Folding:
    first = events[0]
    if first.type == "step.entered":
        undoing = events_numbered(case.pk, first.data.get("undoing", ()))
        folding = Folding.from_checkpoint(case.reference, first, undoing)
    else:
        folding = Folding(case.reference)
        folding.take(first)
    for event in events[1:]:
        folding.take(event)
    return folding


def look_at_code(case: Case, moment: Moment) -> None:
    """Run the step's code up to this moment, and tell where it stood, or why that cannot be."""
    stood, visit, kind = moment.after, moment.visit, kind_of(case.kind)
    if stood.closed:
        stood.lack, stood.note = "closed", "The case is closed."
    elif visit[0].type != "step.entered":
        stood.lack, stood.note = "unentered", "No step was entered yet."
    elif not stood.code_digest:
        stood.lack, stood.note = "codeless", "This step has no code: it waits for staff."
    if stood.lack:
        return
    code = kind.code_of(stood.step, version_of(visit))
    if code is None:
        stood.note = f"The code of this step, version {version_of(visit)}, is gone."
        stood.lack = "gone"
        return
    stood.code_changed = code.digest != stood.code_digest
    try:
        runner = replayed(kind, case, visit, later=_marks_after(case, stood.number))
        if runner.error is not None:
            _lacks(stood, "failed", describe(runner.error), erased.why(code, visit))
        stood.pauses = runner.pauses()
        runner.close()
    except ReplayMismatch as mismatch:
        _lacks(stood, "differs", str(mismatch), erased.why(code, visit))
    except Exception as error:
        _lacks(stood, "failed", describe(error), erased.why(code, visit))


def _lacks(stood: Stood, lack: str, note: str, gone: str) -> None:
    """Why there is no line; where something of the visit was erased, that is why."""
    stood.lack = "erased" if gone else lack
    stood.note = f"{gone} ({note})" if gone else note


def _marks_after(case: Case, number: int) -> list[Recorded]:
    """What the same visit recorded of changed code after this event."""
    if number >= case.head_number:
        return []
    following = first_number(case.pk, "step.entered", after=number)
    return events_of(case.pk, after=number, upto=following, types=["code.changed"])


def replayed(
    kind: Kind,
    case: Case,
    visit: Sequence[Recorded],
    *,
    version: int | None = None,
    later: Sequence[Recorded] = (),
) -> Runner:
    """Run a step's code against the events of one visit, its entry first: the version that the
    visit has, or another. Raises ReplayMismatch, and LookupError for code that is gone."""
    entered = visit[0]
    step = entered.data["step"]
    version = version or version_of(visit)
    code = kind.code_of(step, version)
    if code is None:
        raise LookupError(f"The code of step “{step}”, version {version}, is gone.")
    row = {f.attname: getattr(case, f.attname) for f in Case._meta.concrete_fields}
    run = Run(row={**row, "step": step, "closed_at": None}, kind=kind)
    run.entered = entered
    return replay_visit(
        code,
        entered,
        visit[1:],
        build=run.build_as_entered,
        live_from=parked_from(visit),
        later=later,
    )


def fold_case(case: Case, events: Sequence[Recorded]) -> Stood:
    """What its events, from the first on, say of a case, without running any code."""
    return fold_all(case.reference, events)
