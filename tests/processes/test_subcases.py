"""Cases within cases."""

from __future__ import annotations

import pytest

from cases.models import Case
from processes.models import Incident
from tests.processes.conftest import Trials
from tests.trial import steps

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_parent_goes_on_with_how_its_child_ended(trials: Trials) -> None:
    case = trials.open("parent")
    child = Case.objects.get(parent=case)
    assert child.title == "Child"
    assert trials.fresh(case).waits[0]["kind"] == "subcase"
    trials.send(child, "go")
    assert trials.fresh(case).result == "child done 0"
    assert trials.last(case, "subcase.closed").data["reference"] == child.reference


def test_a_child_that_ends_at_once_is_heard_of(trials: Trials) -> None:
    case = trials.open("quick_parent")
    assert trials.fresh(case).result == "child done local row"


def test_a_withdrawn_child_is_an_answer_too(trials: Trials) -> None:
    case = trials.open("parent")
    trials.withdraw(Case.objects.get(parent=case))
    assert trials.fresh(case).result == "child withdrawn "


def test_a_child_ends_with_its_parent(trials: Trials) -> None:
    case = trials.open("parent")
    trials.withdraw(case)
    assert Case.objects.get(parent=case).outcome == "withdrawn"


def test_a_child_of_a_kind_that_stays_goes_on_and_says_so(
    trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps.trial, "ends_with_parent", False)
    case = trials.open("parent")
    trials.withdraw(case)
    child = Case.objects.get(parent=case)
    assert child.is_open
    assert "goes on" in trials.last(child, "parent.left").data["stays"]
    trials.send(child, "go")
    assert trials.fresh(child).step == "done"


def test_a_child_that_lost_a_race_ends(trials: Trials) -> None:
    case = trials.open("child_race")
    trials.send(case, "go")
    assert Case.objects.get(parent=case).outcome == "withdrawn"
    assert trials.fresh(case).result == "1"


def test_a_child_that_cannot_be_opened_stops_the_parent_and_leaves_no_child(
    trials: Trials,
) -> None:
    case = trials.open("bad_parent")
    assert Incident.objects.get().case_id == case.pk
    assert Case.objects.count() == 1


def test_a_parent_that_fails_after_opening_leaves_no_child(trials: Trials) -> None:
    case = trials.open("failing_parent")
    assert trials.fresh(case).stopped_at is not None
    assert not Case.objects.filter(parent=case).exists()
