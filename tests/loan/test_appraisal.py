"""The appraisal: ordered once, answered at a signed address, chased, and given up."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from audit.read import events_of
from cases.errors import Invalid
from cases.models import Case, Task
from processes.acts.cases import get_case
from processes.acts.messages import answer_callback


def token_of(world: Any) -> str:
    (order,) = world.orders.values()
    return str(order.answer_to.rpartition("/")[2])


def test_the_answer_puts_the_loan_to_decision_with_its_value(
    engine: Any, office: Any, world: Any
) -> None:
    case = office.to_appraisal(engine)
    answer_callback(token=token_of(world), data={"value": "31250.50", "remarks": "Fine."})
    engine.settle()
    after = get_case(case.pk)
    assert (after.step, after.appraised_value) == ("decision", Decimal("31250.50"))
    assert Task.objects.get(case_id=case.pk, state="open").show["loan_to_value"] == "64 %"
    assert not world.journal.of("appraiser", "cancelled")


def test_a_second_answer_changes_nothing(engine: Any, office: Any, world: Any) -> None:
    case = office.to_appraisal(engine)
    token = token_of(world)
    answer_callback(token=token, data={"value": "30000"})
    again = answer_callback(token=token, data={"value": "1"})
    assert "no longer waits" in again.sentence
    assert get_case(case.pk).appraised_value == 30000


def test_an_answer_that_comes_before_the_order_is_recorded_counts(
    engine: Any, office: Any, world: Any
) -> None:
    # Given an appraiser who answers while the order is still being placed
    def at_once(order: Any) -> None:
        address, data = world.appraise(order)
        answer_callback(token=address.rpartition("/")[2], data=data)

    world.ordered = at_once
    case = office.to_appraisal(engine)
    assert get_case(case.pk).step == "decision"


@pytest.mark.parametrize(
    "data", [{"value": "much"}, {"value": 1.5}, {"value": "-1"}, {"value": True}, {}, [], "x"]
)
def test_an_answer_of_another_shape_is_refused_at_the_door(
    engine: Any, office: Any, world: Any, data: Any
) -> None:
    case = office.to_appraisal(engine)
    with pytest.raises(Invalid):
        answer_callback(token=token_of(world), data=data)
    after = get_case(case.pk)
    assert (after.step, after.stopped_at) == ("appraisal", None)


def test_a_silent_appraiser_is_chased_after_fourteen_days(
    engine: Any, office: Any, world: Any
) -> None:
    world.behave("appraiser", "silent")
    case = office.to_appraisal(engine)
    engine.advance(days=13, hours=23)
    assert not world.journal.of("appraiser", "chased")
    engine.advance(hours=1)
    assert len(world.journal.of("appraiser", "chased")) == 1

    # The chase carries the address again, and an answer to it is as good
    answer_callback(token=token_of(world), data={"value": "30000"})
    assert get_case(case.pk).step == "decision"


def test_a_chase_that_cannot_be_delivered_changes_nothing(
    engine: Any, office: Any, world: Any
) -> None:
    world.behave("appraiser", "silent")
    case = office.to_appraisal(engine)
    world.behave("appraiser", "down")
    engine.advance(days=20)
    after = get_case(case.pk)
    assert (after.step, after.stopped_at) == ("appraisal", None)


@pytest.mark.parametrize(("outcome", "step"), [("go_on", "decision"), ("decline", "declined")])
def test_after_twenty_one_days_an_underwriter_decides_without_it(
    engine: Any, office: Any, world: Any, outcome: str, step: str
) -> None:
    # Given an appraiser who never answers
    world.behave("appraiser", "silent")
    case = office.to_appraisal(engine)

    # When twenty-one days are over
    engine.advance(days=21)

    # Then the order is called off, and a person decides
    assert len(world.journal.of("appraiser", "cancelled")) == 1
    assert Task.objects.get(case_id=case.pk, state="open").name == "no_appraisal"
    late = answer_callback(token=token_of(world), data={"value": "30000"})
    assert late.state == "late"
    office.do(case, outcome, reason="Too uncertain without it.")
    engine.settle()
    assert get_case(case.pk).step == step


def test_an_order_that_nobody_takes_is_decided_by_an_underwriter(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]]
) -> None:
    world.behave("appraiser", "status", status=422, reason="We do not value ships.")
    case = office.to_appraisal(engine, security="A ship")
    task = Task.objects.get(case_id=case.pk, state="open")
    assert task.name == "no_appraisal"
    assert "Your security is being appraised" not in letters(case)
    failed = [e for e in events_of(case.pk) if e.type == "activity.failed"]
    assert "We do not value ships." in failed[0].data["error"]
