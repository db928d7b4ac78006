"""Operators' repairs. They are events too."""

from __future__ import annotations

from cases import access, dates
from cases.actors import Actor
from cases.errors import Invalid, Refused
from cases.words import plain
from processes.acts.locking import acting_on
from processes.engine import performing, stopping
from processes.models import Activity, Incident
from processes.work import sweeps


class NothingToRetry(Refused):
    """The incident is over, or the activity runs again already."""


def retry_incident(*, incident_id: int, actor: Actor) -> str:
    """Let a stopped case try again, with a fresh allowance of attempts. Returns what happened.

    Raises NothingToRetry when it goes on already, NotAllowed.
    """
    incident = Incident.objects.filter(pk=incident_id).select_related("case").first()
    if incident is None:
        raise NothingToRetry("There is no such incident.")
    access.require(actor, "repair case", incident.case)
    if incident.closed_at is not None:
        raise NothingToRetry(
            f"{incident.case} goes on since {dates.moment(incident.closed_at)}: nothing is left to "
            "try again."
        )
    if incident.kind == "activity":
        return _retry_activity(incident, actor)
    if sweeps.revive(incident.case_id, actor=actor.code):
        return f"{incident.case} goes on."
    again = Incident.objects.get(pk=incident_id)
    if again.closed_at is not None:
        return f"{incident.case} goes on."
    return f"{incident.case} failed again in the same way: {again.title}."


def _retry_activity(incident: Incident, actor: Actor) -> str:
    # What undoes a withdrawn case may need a repair after its end.
    with acting_on(incident.case_id, actor=actor, closed=True) as (turn, run):
        rows = list(
            Activity.objects.select_for_update().filter(case_id=incident.case_id, state="stopped")
        )
        if not rows or run.incident != "activity":
            raise NothingToRetry(f"{incident.case} runs again already.")
        for row in rows:
            row.state, row.due_at = "due", turn.now
            row.failures = row.losses = 0
            row.worker_id = row.published_at = None
            row.save()
            turn.record(
                run,
                "activity.retried",
                {"command": row.command, "name": row.name},
                actor=actor.code,
                on_behalf=actor.on_behalf,
            )
        stopping.close_incident(turn, run, how="retried", actor=actor.code)
        turn.project(run)
        performing.call_workers(rows)
    return f"{incident.case} tries again."


def retry_cause(*, cause: str, actor: Actor) -> list[tuple[str, str]]:
    """Try all cases again that one cause has stopped, of those that the actor may repair:
    (reference, what happened) for each."""
    found = Incident.objects.filter(cause=cause, closed_at=None).select_related("case")
    if actor.person is not None:
        found = found.filter(case__in=access.repairable_cases(actor.person))
    answers = []
    for incident in found.order_by("opened_at")[:1000]:
        try:
            answers.append(
                (str(incident.case), retry_incident(incident_id=incident.pk, actor=actor))
            )
        except Refused as refusal:
            answers.append((str(incident.case), str(refusal)))
    return answers


class NoAnswerInCode(Refused):
    """The step's code has no answer to the failure of this activity."""


def give_up_activity(*, incident_id: int, reason: str, actor: Actor, never: bool = False) -> str:
    """An operator decides that an activity will not succeed: the code gets its failure. Returns
    what happened.

    `never` says that the outside has confirmed that nothing came of it and nothing will, as after
    a refusal. Without it nobody knows, and code that must not do a thing twice goes no further.

    Raises NothingToRetry, NotAllowed, Invalid, and NoAnswerInCode where the failure would only
    stop the case for good.
    """
    incident = Incident.objects.filter(pk=incident_id).select_related("case").first()
    if incident is None:
        raise NothingToRetry("There is no such incident.")
    access.require(actor, "repair case", incident.case)
    if not reason.strip():
        raise Invalid(
            "Say why it is given up; it stays with the case as the error.", {"reason": "Needed."}
        )
    with acting_on(incident.case_id, actor=actor, closed=True) as (turn, run):
        if run.incident != "activity" or incident.command is None:
            raise NothingToRetry(f"{incident.case} does not stand at a failed activity.")
        stops = {event.data["command"]: event for event in stopping.still_stopped(run)}
        if incident.command not in stops:
            raise NothingToRetry(f"{incident.case} no longer waits for this activity.")
        asked = run.open[incident.command]
        stopping.close_incident(turn, run, how="given up", actor=actor.code)
        run.writes.dropped_activities.append(
            (run.case_id, asked.data.get("visit", run.visit), incident.command)
        )
        turn.feed(
            run,
            "activity.failed",
            {
                "command": incident.command,
                "name": asked.data["name"],
                "error": reason.strip(),
                "final": never,
                **({"visit": asked.data["visit"]} if incident.command < 0 else {}),
            },
            actor=actor.code,
            on_behalf=actor.on_behalf,
        )
        if run.is_parked:
            raise NoAnswerInCode(
                f"The step of {incident.case} has no answer to a failure of "
                f"“{plain(asked.data['name'])}”, so the case would stand still for good. Try it "
                "again once the cause is gone, or have its caseworker move the case by hand."
            )
        if not run.incident:
            stopping.stop_again(turn, run, stopping.still_stopped(run))
            turn.project(run)
    return f"{incident.case} goes on without it."
