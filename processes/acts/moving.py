"""Moving cases to another version of their step's code, in batches, each case by itself."""

from __future__ import annotations

from collections.abc import Sequence

from cases import access
from cases.actors import Actor
from cases.errors import Invalid
from processes.engine import moving
from processes.engine.moving import Moved
from processes.engine.turn import Turn
from processes.kinds import Kind, kind_of

BATCH = 100  # cases in one commit


def require_version(*, kind: str, step: str, version: int) -> Kind:
    """The kind, which has this version of the step's code. Raises Invalid naming what there is,
    and NoSuchKind."""
    found = kind_of(kind)
    known = found.codes.get(step, {})
    if not known:
        steps = ", ".join(sorted(found.codes)) or "none"
        raise Invalid(
            f"Step “{step}” of {kind} has no code. Steps with code: {steps}.",
            {"step": f"one of {steps}"},
        )
    if version not in known:
        versions = ", ".join(str(one) for one in sorted(known))
        raise Invalid(
            f"Step “{step}” of {kind} has no version {version}. It has: {versions}.",
            {"to": f"one of {versions}"},
        )
    return found


def move_cases(
    *,
    case_ids: Sequence[int],
    kind: str,
    step: str,
    to: int,
    reason: str,
    actor: Actor,
) -> list[Moved]:
    """Move each of these cases to version `to` if its history fits it; the others stay as they
    are. Safe to repeat. Raises Invalid and NotAllowed before anything is changed."""
    require_version(kind=kind, step=step, version=to)
    require_reason(reason)
    access.require(actor, "look after code")
    found: list[Moved] = []
    for start in range(0, len(case_ids), BATCH):
        ids = sorted(case_ids[start : start + BATCH])
        try:
            found += _move(ids, step=step, to=to, reason=reason, actor=actor)
        except (
            Exception
        ):  # a commit that one case spoils: each by itself, so that it harms no other
            for case_id in ids:
                found += _move_alone(case_id, step=step, to=to, reason=reason, actor=actor)
    return found


def move_back(
    *, moves: Sequence[tuple[int, int, int, str]], reason: str, actor: Actor
) -> list[Moved]:
    """Undo moves: (case, visit, version before, step) of each. One that has left the step since,
    or whose history no longer fits the older version, stays as it is."""
    require_reason(reason)
    access.require(actor, "look after code")
    found: list[Moved] = []
    for case_id, visit, was, step in moves:
        found += _move_alone(case_id, step=step, to=was, reason=reason, actor=actor, visit=visit)
    return found


def require_reason(reason: str) -> None:
    if not reason.strip():
        raise Invalid("Say why; it stays with each case.", {"reason": "Needed."})


def _move(
    ids: Sequence[int],
    *,
    step: str,
    to: int,
    reason: str,
    actor: Actor,
    visit: int | None = None,
) -> list[Moved]:
    with Turn() as turn:
        return [
            moving.move(
                turn, run, step=step, to=to, reason=reason.strip(), actor=actor, visit=visit
            )
            for run in turn.lock(ids, wait=True, run_code=False)
        ]


def _move_alone(
    case_id: int, *, step: str, to: int, reason: str, actor: Actor, visit: int | None = None
) -> list[Moved]:
    try:
        return _move([case_id], step=step, to=to, reason=reason, actor=actor, visit=visit)
    except Exception as error:
        said = f"It stays as it is: {type(error).__name__}: {error}"[:1000]
        return [Moved(case_id, f"case {case_id}", moving.STAYS, said, 0, 0)]
