"""Activities: attempts, leases, refusals, and one recorded result."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.db import connection, transaction

from cases.actors import Actor
from cases.errors import Invalid, NotAllowed
from cases.models import Case
from processes.acts.incidents import (
    NoAnswerInCode,
    NothingToRetry,
    give_up_activity,
    retry_incident,
)
from processes.engine.turn import Turn
from processes.models import Activity, Incident
from processes.work import claims, intake, sweeps
from processes.work.attempts import run_attempt
from processes.work.results import Done
from tests.processes.conftest import SERVICE, Trials, at_once, effects
from tests.trial import activities
from tests.trial.world import World
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


def claim_all(worker_id: int) -> list[Any]:
    with transaction.atomic(), connection.cursor() as cursor:
        return claims.claim_short(cursor, worker_id=worker_id, limit=100)


def record(done: Done) -> None:
    with Turn() as turn:
        runs = {run.case_id: run for run in turn.lock([done.claim.case_id], wait=True)}
        intake.record_results(turn, runs, [done])


def open_unsettled(script: str) -> Case:
    from processes.acts.cases import open_case

    return open_case(kind="trial", facts={"script": script}, title=script, actor=SERVICE)


# -- one result, one key


def test_each_attempt_carries_the_same_key(trials: Trials) -> None:
    activities.trouble[:] = [ConnectionError("down"), ConnectionError("down")]
    case = trials.open("unhandled")
    trials.engine.advance(minutes=5)
    assert trials.fresh(case).result == "fine"
    assert activities.effects == [("risky", f"{case.pk}.1.1")]
    assert trials.last(case, "activity.completed").data["attempt"] == 3
    assert trials.count(case, "activity.attempt_failed") == 2


def test_a_worker_whose_lease_ran_out_cannot_record(trials: Trials) -> None:
    # Given an activity that a worker holds and does, but does not record in time
    case = open_unsettled("unhandled")
    worker = trials.engine.worker.pk
    (late,) = claim_all(worker)
    late_done = run_attempt(late)
    trials.engine.turned.advance(minutes=2)
    assert sweeps.free_lost_claims() == 1

    # When another has it, the first one's result is turned away
    (current,) = claim_all(worker)
    assert current.attempt == 2
    record(late_done)
    assert "activity.completed" not in trials.types(case)

    # And the second one's is recorded, once
    record(run_attempt(current))
    record(run_attempt(current))
    record(late_done)
    assert trials.count(case, "activity.completed") == 1
    assert trials.fresh(case).result == "fine"


def test_a_lost_attempt_and_the_one_after_it_in_one_commit_are_one_result(
    trials: Trials,
) -> None:
    """A worker that hung brings both: what it did before it lost its lease, and then again."""
    case = open_unsettled("together_slowly")
    (lost,) = claim_all(trials.engine.worker.pk)
    first = run_attempt(lost)
    trials.engine.turned.advance(minutes=2)
    sweeps.free_lost_claims()
    (current,) = claim_all(trials.engine.worker.pk)
    second = run_attempt(current)
    with Turn() as turn:
        runs = {run.case_id: run for run in turn.lock([case.pk], wait=True)}
        intake.record_results(turn, runs, [first, second, second])
    assert trials.count(case, "activity.completed") == 1
    assert trials.last(case, "activity.completed").data["attempt"] == 2
    trials.send(case, "go")


def test_a_claim_of_a_worker_whose_connection_died_is_free_at_once(trials: Trials) -> None:
    case = open_unsettled("unhandled")
    dead = at_once([lambda: claims.register("short").pk])[0]  # its connection ends with it
    claim_all(dead)
    assert Activity.objects.get().worker_id == dead
    assert sweeps.free_lost_claims() == 1
    trials.settle()
    assert trials.fresh(case).result == "fine"
    assert trials.count(case, "activity.attempt_lost") == 1


def test_an_activity_that_loses_each_worker_is_failed_with_that_reason(trials: Trials) -> None:
    """Attempts are counted where a dying process cannot lose them, and never without end."""
    case = open_unsettled("unhandled")
    for _ in range(3):
        claim_all(trials.engine.worker.pk)
        Activity.objects.filter(worker_id__isnull=True).update(
            worker_id=trials.engine.worker.pk, lease_until=clock.now()
        )
        trials.engine.turned.advance(minutes=2)
        assert sweeps.free_lost_claims() == 1
    assert sweeps.free_lost_claims() == 0
    assert "The worker was lost 3 times" in Incident.objects.get().came
    assert trials.fresh(case).stopped_at is not None


def test_an_activity_that_lost_two_workers_gets_a_process_of_its_own(trials: Trials) -> None:
    open_unsettled("unhandled")
    for _ in range(2):
        claim_all(trials.engine.worker.pk)
        trials.engine.turned.advance(minutes=2)
        sweeps.free_lost_claims()
    assert Activity.objects.get().lane == "long"


def test_a_renewed_claim_is_not_taken_over(trials: Trials) -> None:
    open_unsettled("unhandled")
    (claim,) = claim_all(trials.engine.worker.pk)
    for _ in range(6):
        trials.engine.turned.advance(seconds=50)
        assert claims.renew(claim, lease_seconds=60, progress=None)
        assert sweeps.free_lost_claims() == 0
    record(run_attempt(claim))


# -- errors that will never heal, and errors that may


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_refusal_is_final_at_once_and_tells_the_services_reason(
    trials: Trials, world: World, status: int
) -> None:
    world.answers[:] = [status] * 5
    case = trials.open("fetch", result=world.address)
    assert len(world.calls) == 1
    incident = Incident.objects.get()
    assert f"answer {status}" in incident.came
    trials.engine.advance(hours=2)
    assert len(world.calls) == 1
    assert trials.fresh(case).waits[0]["kind"] == "incident"


@pytest.mark.parametrize("status", [500, 503, 0])
def test_trouble_is_tried_again_with_growing_gaps_up_to_the_limit(
    trials: Trials, world: World, status: int
) -> None:
    world.answers[:] = [status] * 9
    case = trials.open("fetch", result=world.address)
    failed = trials.last(case, "activity.attempt_failed")
    assert failed.data["next_at"] > clock.now()

    trials.engine.advance(hours=2)
    assert len(world.calls) == 4
    attempts = [e for e in trials.events(case) if e.type == "activity.attempt_failed"]
    gaps = [(e.data["next_at"] - e.recorded_at).total_seconds() for e in attempts]
    assert len(gaps) == 3 and gaps[0] < gaps[1] < gaps[2]
    assert len({key for key, _ in world.calls}) == 1
    assert Incident.objects.get().kind == "activity"


def test_what_heals_in_between_succeeds(trials: Trials, world: World) -> None:
    world.answers[:] = [503, 0, 200]
    case = trials.open("fetch", result=world.address)
    trials.engine.advance(hours=1)
    assert trials.fresh(case).result == "paid"


def test_an_error_that_the_code_expects_reaches_it(trials: Trials) -> None:
    activities.trouble[:] = [activities.Refused("no such person")]
    case = trials.open("handled")
    assert trials.fresh(case).outcome_reason == "Refused: no such person"
    assert not Incident.objects.exists()


def test_a_result_that_cannot_be_recorded_is_the_activitys_own_fault(trials: Trials) -> None:
    trials.open("unrecorded")
    trials.engine.advance(hours=1)
    assert Incident.objects.get().kind == "activity"


# -- the payment that was made while its answer got lost


def test_a_payment_whose_answer_was_lost_is_made_once(
    trials: Trials, world: World, people: Any
) -> None:
    # Given a service that books and then drops the connection, for each attempt
    world.answers[:] = [-1, -1, -1, -1]
    case = trials.open("fetch", result=world.address, amount="5000.00")
    trials.engine.advance(hours=2)
    assert trials.fresh(case).stopped_at is not None

    # When an operator tries again by hand
    incident = Incident.objects.get()
    retry_incident(incident_id=incident.pk, actor=Actor.of(people.otto))
    trials.settle()

    # Then one payment was booked, under one key, and the case has its reference
    assert trials.fresh(case).result == "paid"
    assert list(world.booked.values()) == ["5000.00"]
    assert len(world.calls) == 5 and len({key for key, _ in world.calls}) == 1
    assert trials.count(case, "activity.completed") == 1


# -- the operator's retry


def test_retry_pressed_twice_makes_one_new_attempt_with_a_fresh_allowance(
    trials: Trials, people: Any
) -> None:
    activities.trouble[:] = [ConnectionError("down")] * 3
    case = trials.open("unhandled")
    trials.engine.advance(hours=1)
    incident = Incident.objects.get()

    def press() -> Any:
        try:
            return retry_incident(incident_id=incident.pk, actor=Actor.of(people.otto))
        except NothingToRetry as refusal:
            return refusal

    answers = at_once([press, press])
    assert sorted(isinstance(answer, NothingToRetry) for answer in answers) == [False, True]
    row = Activity.objects.get()
    assert (row.failures, row.losses, row.state) == (0, 0, "due")
    trials.settle()
    assert trials.fresh(case).result == "fine"
    assert trials.count(case, "activity.retried") == 1
    assert effects() == ["risky"]

    # And on what is done already it is refused
    assert isinstance(press(), NothingToRetry)


def test_only_operators_and_supervisors_repair(trials: Trials, people: Any) -> None:
    from cases.errors import NotAllowed

    activities.trouble[:] = [activities.Refused("no")]
    trials.open("unhandled")
    incident = Incident.objects.get()
    for person in (people.sanne, people.ada, people.eve):
        with pytest.raises(NotAllowed):
            retry_incident(incident_id=incident.pk, actor=Actor.of(person))


def test_an_operator_gives_up_and_the_code_gets_the_failure(trials: Trials, people: Any) -> None:
    activities.trouble[:] = [activities.Refused("no")]
    case = trials.open("patient_call")
    incident = Incident.objects.get()
    before = trials.types(case)
    with pytest.raises(NoAnswerInCode, match="“Call”"):  # it would stand still for good
        give_up_activity(
            incident_id=incident.pk, reason="the service is gone", actor=Actor.of(people.otto)
        )
    assert trials.types(case) == before
    assert Incident.objects.get(closed_at=None).pk == incident.pk


def test_a_hopeless_activity_is_given_up_and_the_code_sees_it(trials: Trials, people: Any) -> None:
    activities.trouble[:] = [activities.Refused("no")]
    case = trials.open("answered_side")
    incident = Incident.objects.get()
    otto = Actor.of(people.otto)
    with pytest.raises(Invalid):
        give_up_activity(incident_id=incident.pk, reason=" ", actor=otto)
    with pytest.raises(NotAllowed):
        give_up_activity(incident_id=incident.pk, reason="gone", actor=Actor.of(people.sanne))
    give_up_activity(incident_id=incident.pk, reason="the service is gone", actor=otto)
    assert trials.fresh(case).stopped_at is None
    with pytest.raises(NothingToRetry):
        give_up_activity(incident_id=incident.pk, reason="the service is gone", actor=otto)
    trials.send(case, "go")
    assert trials.fresh(case).result == "the service is gone"


def test_an_undoing_is_given_up_for_good(trials: Trials, people: Any) -> None:
    case = trials.open("saga")
    activities.undo_trouble[:] = [activities.Refused("no")]
    trials.withdraw(case)
    incident = Incident.objects.get(closed_at=None)
    give_up_activity(incident_id=incident.pk, reason="done by phone", actor=Actor.of(people.petra))
    after = trials.fresh(case)
    assert (after.step, after.stopped_at) == ("withdrawn", None)


def test_a_deadline_passes_a_stopped_activity_and_its_incident_is_over(trials: Trials) -> None:
    activities.trouble[:] = [activities.Refused("no")]
    case = trials.open("patient_call")
    assert trials.fresh(case).stopped_at is not None
    trials.engine.advance(days=2)
    after = trials.fresh(case)
    assert after.stopped_at is None and [w["name"] for w in after.waits] == ["go"]
    trials.send(case, "go")
    assert trials.fresh(case).result == "late"


# -- what is not committed is not seen


def test_work_is_seen_by_workers_only_after_the_commit(trials: Trials) -> None:
    with transaction.atomic():
        case = open_unsettled("together")
        seen = at_once([lambda: Activity.objects.count(), lambda: Case.objects.count()])
        assert seen == [0, 0]
    trials.settle()
    assert trials.fresh(case).result == "a,b,c"


def test_an_act_that_fails_at_its_end_leaves_nothing(trials: Trials) -> None:
    with pytest.raises(RuntimeError):
        with transaction.atomic():
            open_unsettled("together")
            raise RuntimeError("after all")
    trials.settle()
    assert not Case.objects.exists() and not Activity.objects.exists()
    assert effects() == []


# -- the long lane


def test_a_long_activity_is_done_and_recorded(trials: Trials) -> None:
    case = trials.open("long")
    assert trials.fresh(case).result == "long"


def test_a_withdrawn_case_stops_its_running_activity_at_the_next_report(trials: Trials) -> None:
    # Given an activity of ten outside calls whose case is withdrawn after the third
    def after(number: int) -> None:
        if number == 3:
            at_once([lambda: trials_without_engine.withdraw(Case.objects.get())])

    trials_without_engine = Trials()
    activities.after_call[:] = [after]
    try:
        case = trials.open("ten_calls_reported")
    finally:
        activities.after_call.clear()

    # Then no further call was made, and the case is closed at once
    assert effects() == ["call 1", "call 2", "call 3"]
    assert trials.fresh(case).step == "withdrawn"
    assert "activity.completed" not in trials.types(case)


def test_progress_is_shown_while_it_runs(trials: Trials) -> None:
    seen: list[Any] = []
    activities.after_call[:] = [lambda n: seen.append(Activity.objects.get().progress)]
    try:
        case = trials.open("ten_calls_reported")
    finally:
        activities.after_call.clear()
    assert trials.fresh(case).result == "10"
    assert seen[3] == {"done": 3}


# -- one failing case in a batch


def test_results_of_one_batch_do_not_touch_each_other(trials: Trials, poison: None) -> None:
    """One case asks for a row that the database refuses; the shared commit fails for all."""
    bad = open_unsettled("poisonous")
    good = [open_unsettled("together") for _ in range(5)]
    trials.settle()
    assert [trials.fresh(case).result for case in good] == ["a,b,c"] * 5
    assert trials.fresh(bad).stopped_at is not None
    assert trials.count(bad, "activity.completed") == 1
    assert sorted(effects()) == sorted(["before", *"abc" * 5])


def test_retries_have_jitter_and_a_bound() -> None:
    from tests.trial.activities import call

    assert {call.retry_seconds(1) for _ in range(20)} != {call.retry_seconds(1)}
    assert max(call.retry_seconds(30) for _ in range(50)) <= 3600 * 1.25
    assert timedelta(seconds=call.retry_seconds(1)) < timedelta(seconds=13)


def test_httpx_is_the_clients_own(world: World) -> None:
    """The stand-in itself: it books once a key."""
    world.answers[:] = [200, 200]
    for _ in range(2):
        httpx.post(world.address, json={"amount": "1.00"}, headers={"Idempotency-Key": "k"})
    assert world.booked == {"k": "1.00"}
