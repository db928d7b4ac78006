"""Reviews: taken by one, decided once, on what was seen, by somebody who may."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.contrib.auth.models import Group

from cases import access
from cases.actors import Actor
from cases.errors import CaseChanged, Invalid, NotAllowed, TaskHeld, TaskNotOpen
from cases.models import Person, Task
from processes.acts import tasks
from processes.acts.accounts import change_person
from processes.acts.cases import assign_case, change_facts, open_case
from processes.acts.people import deactivate_person
from processes.engine.verify import verify
from tests.cases.conftest import Visitor
from tests.processes.conftest import SERVICE, Trials, at_once
from timers.models import Timer

pytestmark = pytest.mark.django_db(transaction=True)


def complete(task: Task, person: Person, outcome: str = "approve", **more: Any) -> Task:
    return tasks.complete_task(
        task_id=task.pk,
        outcome=outcome,
        reason=more.pop("reason", ""),
        actor=Actor.of(person),
        **more,
    )


# -- taking


def test_two_people_who_take_the_same_review_make_one_holder(trials: Trials, people: Any) -> None:
    cases = [trials.open("review") for _ in range(25)]
    for case in cases:
        task_id = trials.task(case).pk

        def take(person: Person, task_id: int = task_id) -> Any:
            try:
                return tasks.claim_task(task_id=task_id, actor=Actor.of(person))
            except TaskHeld as refusal:
                return refusal

        answers = at_once([lambda: take(people.milan), lambda: take(people.ayse)])
        holder = trials.task(case).holder
        refusals = [answer for answer in answers if isinstance(answer, TaskHeld)]
        assert len(refusals) == 1 and str(holder) in str(refusals[0])
        assert trials.count(case, "task.claimed") == 1
        other = people.ayse if holder == people.milan else people.milan
        assert not access.visible_tasks(other).filter(case=case).exists()


def test_the_loser_can_read_the_review_but_not_decide(trials: Trials, people: Any) -> None:
    case = trials.open("review")
    task = trials.claim(case, people.milan)
    assert Visitor(people.ayse).open(f"/tasks/{task.pk}/").status == 200
    with pytest.raises(TaskHeld, match="Milan"):
        complete(task, people.ayse)


def test_a_review_is_taken_before_it_is_decided(trials: Trials, people: Any) -> None:
    case = trials.open("review")
    with pytest.raises(NotAllowed, match="Take"):
        complete(trials.task(case), people.milan)


def test_a_task_is_released_and_taken_by_another(trials: Trials, people: Any) -> None:
    case = trials.open("review")
    task = trials.claim(case, people.milan)
    with pytest.raises(NotAllowed):
        tasks.release_task(task_id=task.pk, actor=Actor.of(people.ayse))
    tasks.release_task(task_id=task.pk, actor=Actor.of(people.milan), reason="on leave")
    assert trials.last(case, "task.released").data["reason"] == "on leave"
    trials.decide(case, people.ayse)
    assert trials.last(case, "task.completed").actor == f"person:{people.ayse.pk}"


def test_a_task_is_handed_over_with_a_reason_to_somebody_of_its_role(
    trials: Trials, people: Any
) -> None:
    case = trials.open("review")
    task = trials.claim(case, people.milan)
    petra = Actor.of(people.petra)
    with pytest.raises(NotAllowed, match="role"):
        tasks.hand_over_task(task_id=task.pk, to=people.sanne, actor=petra, reason="ill")
    with pytest.raises(Invalid):
        tasks.hand_over_task(task_id=task.pk, to=people.ayse, actor=petra, reason=" ")
    tasks.hand_over_task(task_id=task.pk, to=people.ayse, actor=petra, reason="ill")
    assert trials.task(case).holder == people.ayse


# -- deciding


@pytest.mark.parametrize("who", ["sanne", "ada", "otto", "eve", "petra"])
def test_only_the_role_takes_and_decides(trials: Trials, people: Any, who: str) -> None:
    case = trials.open("review")
    person = getattr(people, who)
    with pytest.raises(NotAllowed, match="underwriter"):
        trials.claim(case, person)
    with pytest.raises(NotAllowed):
        complete(trials.task(case), person)
    assert trials.fresh(case).is_open and trials.task(case).holder is None


def test_an_outcome_is_one_of_the_reviews_and_has_its_reason(trials: Trials, people: Any) -> None:
    case = trials.open("review")
    task = trials.claim(case, people.milan)
    with pytest.raises(Invalid, match="approve, decline"):
        complete(task, people.milan, "perhaps")
    with pytest.raises(Invalid, match="reason"):
        complete(task, people.milan, "decline")
    complete(task, people.milan, "decline", reason="no income")
    assert trials.fresh(case).outcome_reason == "no income"


def test_a_decision_is_made_once(trials: Trials, people: Any) -> None:
    case = trials.open("review")
    task = trials.claim(case, people.milan)

    def decide() -> Any:
        try:
            return complete(task, people.milan)
        except TaskNotOpen as refusal:
            return refusal

    answers = at_once([decide] * 4)
    assert sum(isinstance(answer, Task) for answer in answers) == 1
    assert trials.count(case, "task.completed") == 1
    told = next(answer for answer in answers if isinstance(answer, TaskNotOpen))
    assert "“approve” by Milan" in str(told)


# -- four eyes


def test_four_eyes_hold_at_claim_and_at_completion(trials: Trials, people: Any) -> None:
    case = trials.open("review")
    trials.decide(case, people.milan)
    with pytest.raises(NotAllowed, match="four eyes"):
        trials.claim(case, people.milan)

    # Even one who got the task by another way cannot complete it
    task = trials.task(case)
    Task.objects.filter(pk=task.pk).update(holder=people.milan)
    with pytest.raises(NotAllowed, match="four eyes"):
        complete(task, people.milan)
    Task.objects.filter(pk=task.pk).update(holder=None)

    trials.decide(case, people.ayse)
    assert trials.fresh(case).result == f"person:{people.milan.pk} person:{people.ayse.pk}"


def test_nobody_approves_their_own_request(trials: Trials, people: Any, aylin: Person) -> None:
    """Aylin is clerk and approver. She enters a loan; the step asks for another than the opener."""
    own = open_case(
        kind="trial",
        facts={"script": "own_request", "result": f"person:{aylin.pk}"},
        title="Own",
        actor=Actor.of(aylin),
    )
    others = [
        open_case(
            kind="trial",
            facts={"script": "own_request", "result": f"person:{people.sanne.pk}"},
            title="Other",
            actor=Actor.of(people.sanne),
        )
        for _ in range(3)
    ]
    trials.settle()
    refused, approved = [], []
    for case in [own, *others]:
        try:
            trials.decide(case, aylin)
            approved.append(case.pk)
        except NotAllowed as refusal:
            refused.append(str(refusal))
    assert approved == [case.pk for case in others]
    assert len(refused) == 1 and "own request" in refused[0]
    offered = [t for t in access.visible_tasks(aylin) if access.may(aylin, "claim task", t)]
    assert offered == []
    trials.decide(own, people.milan)


# -- what was seen


def test_an_approval_covers_what_was_seen(trials: Trials, people: Any) -> None:
    # Given a claim of 1,000.00 open on the approver's screen
    case = trials.open("review", amount=1000)
    task = trials.claim(case, people.milan)
    seen = trials.fresh(case).head_number

    # When the clerk changes it and adds a document
    change_facts(case_id=case.pk, changes={"amount": 9000}, reason="new offer", actor=SERVICE)
    trials.hand_in(case, "passport")

    # Then the approval is not taken, and says what changed
    with pytest.raises(CaseChanged, match="amount from 1000.00 to 9000.00; passport received"):
        complete(task, people.milan, seen_number=seen)
    assert trials.task(case).is_open

    # And once looked at again, the decision names what it covers
    now_seen = trials.fresh(case).head_number
    complete(task, people.milan, seen_number=now_seen)
    assert trials.last(case, "task.completed").data["covers"] == now_seen
    assert Task.objects.get(pk=task.pk).covers_number == now_seen


def test_a_note_of_another_is_no_change(desk: Any, trials: Trials) -> None:
    from processes.acts.notes import add_note

    case = desk.open("review")
    task = trials.claim(case, desk.people.milan)
    seen = trials.fresh(case).head_number
    add_note(case_id=case.pk, text="Rang them.", actor=Actor.of(desk.people.petra))
    complete(task, desk.people.milan, seen_number=seen)
    assert trials.count(case, "task.completed") == 1


# -- gone from the list


def test_done_means_gone_from_the_list_and_the_count(desk: Any, trials: Trials) -> None:
    cases = [desk.open("review", title=f"Farm {n}") for n in range(5)]
    milan = desk.people.milan
    task = desk.claim(cases[0], milan)
    assert access.visible_tasks(milan).count() == 5
    complete(task, milan)
    trials.settle()
    open_for_milan = [t for t in access.visible_tasks(milan) if access.may(milan, "claim task", t)]
    assert len(open_for_milan) == 4
    page = Visitor(milan).open(f"/tasks/{task.pk}/")
    assert page.status == 200 and "Milan" in page.html


# -- leaving


def test_what_a_reviewer_holds_returns_to_its_queue_when_they_leave(
    trials: Trials, people: Any
) -> None:
    # Given a person with six taken reviews, two handed to them, and one decided
    cases = [trials.open("review") for _ in range(6)]
    handed = [trials.open("review") for _ in range(2)]
    decided = trials.open("review")
    for case in cases:
        trials.claim(case, people.milan)
    for case in handed:
        task = trials.claim(case, people.ayse)
        tasks.hand_over_task(
            task_id=task.pk, to=people.milan, actor=Actor.of(people.petra), reason="away"
        )
    trials.decide(decided, people.milan)
    due = {t.pk: t.due_at for t in Task.objects.filter(state="open")}

    # When they leave
    petra = Actor.of(people.petra)
    assert deactivate_person(person=people.milan, actor=petra) == 8
    assert deactivate_person(person=people.milan, actor=petra) == 0

    # Then all are back, with an entry saying why; due dates and names of decisions stay
    assert not Task.objects.filter(holder=people.milan, state="open").exists()
    assert {t.pk: t.due_at for t in Task.objects.filter(state="open")} == due
    for case in cases + handed:
        released = trials.last(case, "task.released")
        assert "has left" in released.data["reason"] and released.actor == petra.code
    assert Task.objects.get(state="done").closed_by == f"person:{people.milan.pk}"

    # And nothing can be given to them any more
    people.milan.refresh_from_db()
    with pytest.raises(NotAllowed, match="no longer active"):
        trials.claim(cases[0], people.milan)
    task = trials.claim(cases[0], people.ayse)
    with pytest.raises(Invalid, match="has left"):
        tasks.hand_over_task(task_id=task.pk, to=people.milan, actor=petra, reason="back?")


def test_what_somebody_holds_and_may_no_longer_do_returns_to_its_queue(
    trials: Trials, people: Any
) -> None:
    # Given an underwriter with a review in hand
    case = trials.open("review")
    trials.claim(case, people.milan)
    told = {"person": people.milan, "first_name": "Milan", "last_name": "Kovač"}
    admin = Person.objects.create_user("anna", last_name="Anna")
    admin.groups.add(Group.objects.get_or_create(name="administrator")[0])
    actor = Actor.of(admin)

    # When their team changes, which an underwriter's tasks do not depend on, it stays
    change_person(**told, team=people.eve.team, roles=["underwriter"], actor=actor)
    assert Task.objects.get(case_id=case.pk).holder == people.milan

    # When the role is taken away, it is back in its queue, and its case says why
    change_person(**told, team=people.eve.team, roles=["caseworker"], actor=actor)
    assert Task.objects.get(case_id=case.pk).holder is None
    released = trials.last(case, "task.released")
    assert "no longer has the role" in released.data["reason"] and released.actor == actor.code
    assert not list(verify(references=[case.reference]))


@pytest.mark.parametrize("who", ["sanne", "milan", "ada", "eve"])
def test_only_supervisors_let_people_go(trials: Trials, people: Any, who: str) -> None:
    with pytest.raises(NotAllowed):
        deactivate_person(person=people.ayse, actor=Actor.of(getattr(people, who)))
    people.ayse.refresh_from_db()
    assert people.ayse.is_active


# -- two of three


def test_two_of_three_approvals_at_once_make_one_decision(
    trials: Trials, people: Any, bram: Person
) -> None:
    cases = [trials.open("two_of_three") for _ in range(15)]
    for case in cases:
        votes = {
            name: tasks.claim_task(task_id=trials.task(case, name).pk, actor=Actor.of(person))
            for name, person in (("one", people.milan), ("two", people.ayse), ("three", bram))
        }
        at_once(
            [
                lambda votes=votes: complete(votes["one"], people.milan),
                lambda votes=votes: complete(votes["two"], people.ayse),
            ]
        )
        after = trials.fresh(case)
        by = {f"person:{people.milan.pk}", f"person:{people.ayse.pk}"}
        assert set(after.result.split()) == by
        assert trials.types(case).count("step.entered") == 2
        with pytest.raises(TaskNotOpen):
            complete(votes["three"], bram)


def test_a_single_approval_never_decides(trials: Trials, people: Any, bram: Person) -> None:
    case = trials.open("two_of_three")
    trials.decide(case, people.milan, name="one")
    assert trials.fresh(case).is_open
    trials.decide(case, people.ayse, "decline", "not mine", name="two")
    assert trials.fresh(case).is_open
    trials.decide(case, bram, name="three")
    assert trials.fresh(case).step == "done"


def test_two_declines_end_it(trials: Trials, people: Any) -> None:
    case = trials.open("two_of_three")
    trials.decide(case, people.milan, "decline", "no", name="one")
    trials.decide(case, people.ayse, "decline", "no", name="two")
    assert trials.fresh(case).step == "failed"
    assert not Task.objects.filter(state="open").exists() and not Timer.objects.exists()


def test_a_review_waits_while_its_case_is_held_and_then_says_so(
    trials: Trials, people: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cases.errors import CaseBusy
    from processes.acts import locking
    from processes.engine.turn import Turn

    monkeypatch.setattr(locking, "WAIT_MS", 200)
    case = trials.open("review")
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with Turn() as turn:
            turn.lock([case.pk], wait=True)
            held.set()
            done.wait(10)

    def take() -> Any:
        held.wait(10)
        try:
            return trials.claim(case, people.milan)
        except CaseBusy as busy:
            return busy
        finally:
            done.set()

    answers = at_once([hold, take])
    assert isinstance(answers[1], CaseBusy) and "try again" in str(answers[1])


def test_whoever_worked_on_a_case_does_not_review_it_after_giving_it_away(
    trials: Trials, people: Any, aylin: Person
) -> None:
    """R3 by a detour: caseworker first, then handed over, then the review."""
    clerk = Group.objects.get_or_create(name="caseworker")[0]
    aylin.groups.add(clerk)
    aylin.team = people.sanne.team
    aylin.save()
    aylin = Person.objects.get(pk=aylin.pk)
    given, changed = trials.open("own_request"), trials.open("own_request")
    petra = Actor.of(people.petra)
    for case in (given, changed):
        assign_case(case_id=case.pk, owner=people.sanne, actor=petra)
    assign_case(case_id=given.pk, owner=aylin, actor=petra)
    assign_case(case_id=given.pk, owner=people.sanne, actor=Actor.of(aylin))
    change_facts(
        case_id=changed.pk, changes={"amount": 7}, reason="Mistyped", actor=Actor.of(aylin)
    )
    trials.settle()
    for case in (given, changed):
        with pytest.raises(NotAllowed, match="own request"):
            trials.decide(case, aylin)
        trials.decide(case, people.milan)
