"""Acts on a case as a whole: open, move, change facts, assign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django_fsm import TransitionNotAllowed

from audit.models import Event
from cases import access, dates
from cases.actors import Actor
from cases.errors import (
    CaseChanged,
    CaseHeld,
    Invalid,
    NotAllowed,
    SameKeyOtherContent,
    TransitionRefused,
)
from cases.fsm import Edge, edges
from cases.models import Case, Person, Team
from processes.acts.locking import acting_on, require_seen
from processes.engine import opening
from processes.engine.run import Run
from processes.engine.turn import Turn
from processes.kinds import kind_of


def open_case(
    *,
    kind: str,
    facts: dict[str, Any],
    title: str,
    actor: Actor,
    owner: Person | None = None,
    team: Team | None = None,
    source: str = "",
    source_key: str = "",
    restricted: bool = False,
    alike: Sequence[str] = (),
) -> Case:
    """Open a case and let it go on until it waits. Raises Invalid naming each fact, NoSuchKind.
    `alike` are references of cases that somebody saw and opened this one in spite of.

    The same (source, source_key) again gives the case that it opened first; for another kind it
    raises SameKeyOtherContent.
    """
    case, _is_new = open_once(
        kind=kind,
        facts=facts,
        title=title,
        actor=actor,
        owner=owner,
        team=team,
        source=source,
        source_key=source_key,
        restricted=restricted,
        alike=alike,
    )
    return case


def open_once(
    *,
    kind: str,
    facts: dict[str, Any],
    title: str,
    actor: Actor,
    owner: Person | None = None,
    team: Team | None = None,
    source: str = "",
    source_key: str = "",
    restricted: bool = False,
    job: int | None = None,
    alike: Sequence[str] = (),
) -> tuple[Case, bool]:
    """As open_case; also says whether the case is new. `job` is the job that it is a row of."""
    access.require(actor, "open case", kind=kind)
    if source_key:
        existing = Case.objects.filter(source=source, source_key=source_key).first()
        if existing is not None:
            return _same(existing, kind), False
    with Turn() as turn:
        if source_key:
            # Twins that come at once wait here for the first of them.
            turn.cursor.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"{source}:{source_key}"]
            )
            existing = Case.objects.filter(source=source, source_key=source_key).first()
            if existing is not None:
                return _same(existing, kind), False
        run = opening.begin(
            turn,
            kind_of(kind),
            facts=facts,
            title=title,
            actor=actor.code,
            on_behalf=actor.on_behalf,
            owner_id=owner.pk if owner else None,
            team_id=team.pk if team else (owner.team_id if owner else None),
            source=source,
            source_key=source_key,
            restricted=restricted,
            job=job,
            alike=alike,
        )
    return get_case(run.case_id), True


def _same(existing: Case, kind: str) -> Case:
    if existing.kind != kind:
        raise SameKeyOtherContent(
            f"The key “{existing.source_key}” of {existing.source} opened {existing.reference}, "
            f"which is of another kind ({existing.kind})."
        )
    return get_case(existing.pk)


def get_case(case_id: int) -> Case:
    """A case as its kind: with its facts and its transitions."""
    case = Case.objects.only("id", "kind", "step").get(pk=case_id)
    return kind_of(case.kind).model.objects.get(pk=case_id)


def staff_edges(case: Case, person: Person | None = None) -> list[Edge]:
    """The transitions that staff may take by hand from where the case stands."""
    if case.closed_at is not None:
        return []
    return [
        edge
        for edge in edges(kind_of(case.kind).model)
        if edge.staff
        and (case.step in edge.sources or "*" in edge.sources)
        and (person is None or not edge.role or edge.role in person.roles)
    ]


def move_case(*, case_id: int, name: str, data: dict[str, Any], actor: Actor) -> Case:
    """Take a transition by hand, such as withdraw. What the step waited for is cancelled.

    Raises TransitionRefused, NotAllowed, Invalid, CaseClosed.
    """
    with acting_on(case_id, actor=actor) as (turn, run):
        edge = next((e for e in edges(run.kind.model) if e.name == name and e.staff), None)
        if edge is None:
            raise TransitionRefused(f"A {run.kind.title} has no act “{name}” for staff.")
        if edge.role and actor.person is not None and edge.role not in actor.person.roles:
            raise NotAllowed(f"Only a person with the role {edge.role} may do this.")
        access.require(actor, "work on case", run.case)
        clean = _asked(edge, data)
        try:
            turn.take(run, name, clean, actor=actor.code, on_behalf=actor.on_behalf)
        except TransitionNotAllowed as error:
            raise TransitionRefused(
                f"{run.reference} is at “{run.kind.step_label(run.row['step'])}”; “{edge.label}” "
                f"is possible from {', '.join(run.kind.step_label(s) for s in edge.sources)}."
            ) from error
    return get_case(case_id)


def _asked(edge: Edge, data: dict[str, Any]) -> dict[str, Any]:
    missing = {
        name: f"Needed to {edge.label.lower()}."
        for name in edge.asks
        if not str(data.get(name, "")).strip()
    }
    extra = {name: "Not asked for here." for name in data if name not in edge.asks}
    if missing or extra:
        raise Invalid(
            f"“{edge.label}” was not done. "
            + "; ".join(f"{k}: {v}" for k, v in {**missing, **extra}.items()),
            {**missing, **extra},
        )
    return {name: data[name] for name in edge.asks}


def change_facts(
    *,
    case_id: int,
    changes: dict[str, Any],
    reason: str,
    actor: Actor,
    seen_number: int | None = None,
) -> Case:
    """Change facts, with the reason that history will tell. Raises Invalid naming each field.

    `seen_number` is the last event the person had before them: a change of the same facts since
    raises CaseChanged, and nothing is overwritten that nobody had seen.
    """
    if not reason.strip():
        raise Invalid("Say why the facts change; it stays with the case.", {"reason": "Needed."})
    with acting_on(case_id, actor=actor) as (turn, run):
        access.require(actor, "work on case", run.case)
        if seen_number is not None:
            require_seen(run, seen_number)
            _require_unseen_unchanged(run, changes, seen_number)
        found = _changes(run, changes)
        if found:
            for name, (_before, after) in found.items():
                setattr(run.case, name, after)
            run.facts_changed = True
            turn.feed(
                run,
                "facts.changed",
                {"changes": found, "reason": reason.strip()},
                actor=actor.code,
                on_behalf=actor.on_behalf,
            )
    return get_case(case_id)


def _require_unseen_unchanged(run: Run, changes: dict[str, Any], seen: int) -> None:
    """Nobody else has changed the same facts since event `seen`."""
    fields = {f.name: f.attname for f in run.kind.model.fact_fields()}
    wanted = {fields.get(name, name) for name in changes}
    since = Event.objects.filter(case_id=run.case_id, number__gt=seen, type="facts.changed")
    for event in since.order_by("-number"):
        if same := wanted & set(event.data["changes"]):
            named = ", ".join(sorted(run.kind.fact_label(name) for name in same))
            raise CaseChanged(
                f"{named}: changed by another person on {dates.moment(event.happened_at)}, after "
                "you opened this. What you typed is kept; look at what it says now, then send it "
                "again."
            )


def _changes(run: Run, changes: dict[str, Any]) -> dict[str, list[Any]]:
    fields = {f.name: f for f in run.kind.model.fact_fields()}
    wrong: dict[str, str] = {}
    found: dict[str, list[Any]] = {}
    for name, value in changes.items():
        if name not in fields:
            wrong[name] = f"A {run.kind.title} has no fact of this name."
            continue
        if name not in run.kind.correctable:
            wrong[name] = "The process found this; it is not corrected by hand."
            continue
        try:
            after = opening.cleaned(fields[name], value)
        except ValidationError as error:
            wrong[name] = " ".join(error.messages)
            continue
        before = getattr(run.case, fields[name].attname)
        if before != after:
            found[fields[name].attname] = [before, after]
    if not wrong and found:
        changed = {name: after for name, (_before, after) in found.items()}
        wrong = run.kind.check_facts({**run.facts, **changed})
    if wrong:
        raise Invalid(
            "Nothing was changed. " + "; ".join(f"{k}: {v}" for k, v in wrong.items()), wrong
        )
    return found


def assign_case(
    *,
    case_id: int,
    owner: Person | None,
    actor: Actor,
    reason: str = "",
    batch: int | None = None,
) -> Case:
    """Give a case to a caseworker, or to nobody. Raises Invalid for one who cannot take it.

    `batch` is the number of the act on many cases that it is part of.
    """
    require_caseworker(owner)
    with acting_on(case_id, actor=actor) as (turn, run):
        access.require(actor, "assign case", run.case)
        _assign(turn, run, owner=owner, actor=actor, reason=reason, batch=batch)
    return get_case(case_id)


def take_case(*, case_id: int, actor: Actor, batch: int | None = None) -> Case:
    """Take a case that nobody has. Raises CaseHeld for one that somebody took first, NotAllowed,
    Invalid, CaseClosed."""
    if actor.person is None:
        raise NotAllowed("Only a person can have a case.")
    require_caseworker(actor.person)
    with acting_on(case_id, actor=actor) as (turn, run):
        access.require(actor, "assign case", run.case)
        holder = run.row["owner_id"]
        if holder not in (None, actor.person.pk):
            raise CaseHeld(f"{Person.objects.get(pk=holder)} has {run.reference} already.")
        _assign(turn, run, owner=actor.person, actor=actor, reason="", batch=batch)
    return get_case(case_id)


def require_caseworker(owner: Person | None) -> None:
    """Whether this person can have cases. Raises Invalid."""
    if owner is not None and (not owner.is_active or access.CASEWORKER not in owner.roles):
        raise Invalid(
            f"{owner} cannot take cases: " + ("not a caseworker." if owner.is_active else "left."),
            {"owner": "Choose an active caseworker."},
        )


def _assign(
    turn: Turn, run: Run, *, owner: Person | None, actor: Actor, reason: str, batch: int | None
) -> None:
    before, team_before = run.row["owner_id"], run.row["team_id"]
    after = owner.pk if owner else None
    if before == after:
        return
    run.row["owner_id"] = after
    if owner is not None and owner.team_id is not None:
        run.row["team_id"] = owner.team_id
    data = {
        "owner": after,
        "before": before,
        "reason": reason,
        "team": run.row["team_id"],
        "team_before": team_before,
    }
    if batch is not None:
        data["batch"] = batch
    turn.record(run, "case.assigned", data, actor=actor.code, on_behalf=actor.on_behalf)
    turn.project(run)
