"""How the recorded histories came about: a short life for a case of each sort.

With LONGCASE_RECORD=1 the tests write them to files beside this one, those that are not there yet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cases.actors import Actor
from cases.models import Case
from processes.acts.cases import change_facts
from tests.trial import activities

Story = Callable[[Any, Any], Case]
STORIES: dict[str, Story] = {}


def story(function: Story) -> Story:
    STORIES[function.__name__] = function
    return function


@story
def loan_to_its_end(trials: Any, people: Any) -> Case:
    case = trials.open("loan")
    trials.send(case, "documents")
    trials.send(case, "review")
    trials.engine.advance(seconds=5)
    return case


@story
def papers_rejected_once(trials: Any, people: Any) -> Case:
    case = trials.open("patience")
    trials.judge(trials.hand_in(case, "passport"), accept=False, reason="expired")
    trials.judge(trials.hand_in(case, "passport", "new"), accept=True)
    trials.judge(trials.hand_in(case, "payslip"), accept=True)
    return case


@story
def papers_never_came(trials: Any, people: Any) -> Case:
    case = trials.open("reminders")
    trials.engine.advance(days=31)
    return case


@story
def two_reviews(trials: Any, people: Any) -> Case:
    case = trials.open("review", amount="1000.00")
    change_facts(
        case_id=case.pk,
        changes={"amount": "9000.00"},
        reason="a new offer",
        actor=Actor.of(people.sanne),
    )
    trials.decide(case, people.milan)
    trials.engine.advance(days=3)
    trials.decide(case, people.ayse)
    return case


@story
def undone_when_withdrawn(trials: Any, people: Any) -> Case:
    case = trials.open("saga")
    trials.withdraw(case)
    return case


@story
def undone_by_its_code(trials: Any, people: Any) -> Case:
    case = trials.open("saga")
    trials.send(case, "go", undo=True)
    return case


@story
def a_board_decides(trials: Any, people: Any) -> Case:
    case = trials.open("two_of_three")
    trials.decide(case, people.milan, name="one")
    trials.decide(case, people.ayse, "decline", "no", name="three")
    trials.decide(case, people.ayse, name="two")
    return case


@story
def around_twice(trials: Any, people: Any) -> Case:
    case = trials.open("two_steps")
    trials.send(case, "second", key="1", back=True)
    trials.send(case, "first", key="2")
    trials.send(case, "first", key="3")
    trials.send(case, "second", key="4", n=4)
    return case


@story
def nested_deadlines(trials: Any, people: Any) -> Case:
    case = trials.open("nested")
    trials.engine.advance(days=20)
    return case


@story
def a_race_of_functions(trials: Any, people: Any) -> Case:
    case = trials.open("helper_race")
    trials.send(case, "quick", n=1)
    return case


@story
def chance_and_time(trials: Any, people: Any) -> Case:
    case = trials.open("chance")
    trials.engine.advance(days=1)
    trials.send(case, "go")
    return case


@story
def a_child_case(trials: Any, people: Any) -> Case:
    case = trials.open("parent")
    trials.send(Case.objects.get(parent=case), "go")
    return case


@story
def failed_and_answered(trials: Any, people: Any) -> Case:
    activities.trouble[:] = [ConnectionError("down")] * 3
    case = trials.open("handled")
    trials.engine.advance(hours=1)
    return case


@story
def parked_and_mended(trials: Any, people: Any) -> Case:
    from processes.work import sweeps
    from tests.trial import steps

    case = trials.open("broken_once")
    steps.broken[:] = [True]
    trials.send(case, "go")
    trials.send(case, "more", n=1)
    trials.engine.advance(days=1)
    steps.broken.clear()
    sweeps.revive(case.pk, actor="engine")
    trials.engine.advance(days=2)
    return case


@story
def all_of_it_at_once(trials: Any, people: Any) -> Case:
    case = trials.open("busy")
    trials.engine.advance(days=6)
    trials.decide(case, people.milan, name="one")
    trials.withdraw(case)
    return case
