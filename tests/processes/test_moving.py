"""Cases are moved to another version of their step's code, where their history fits it."""

from __future__ import annotations

from typing import Any

import pytest

from cases import access
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed
from processes.acts.moving import move_back, move_cases
from processes.engine import replaycheck
from processes.engine.replay import as_it_stood
from processes.models import Incident
from tests.histories import sound
from tests.processes.conftest import Trials, effects
from tests.trial import steps
from timers.models import Timer
from timers.spans import days

pytestmark = pytest.mark.django_db(transaction=True)


async def version_1(case: Any) -> Any:
    async with steps.deadline(days(30)):
        await steps.message("documents")
        await steps.call(what="check")
        await steps.message("review")
    return case.finish(result="first")


async def version_2(case: Any) -> Any:
    """The check is no longer made, and the wait is longer: cases fit that stand before it."""
    async with steps.deadline(days(60)):
        await steps.message("documents")
        await steps.message("review")
    return case.finish(result="second")


@pytest.fixture
def two_versions(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Version 1 alone; called, version 2 beside it."""
    monkeypatch.setitem(steps.trial.codes, "trying", {})
    steps.trial.step("trying")(version_1)
    return lambda: steps.trial.step("trying", version=2)(version_2)


def move(people: Any, cases: list[Any], to: int = 2, **more: Any) -> dict[str, Any]:
    found = move_cases(
        case_ids=[case.pk for case in cases],
        kind="trial",
        step="trying",
        to=to,
        reason="The check is dropped.",
        actor=Actor.of(people.otto),
        **more,
    )
    return {one.reference: one for one in found}


def test_those_that_fit_are_moved_and_the_others_stay(
    trials: Trials, people: Any, two_versions: Any
) -> None:
    fits, differs = trials.open("loan"), trials.open("loan")
    trials.send(differs, "documents")
    due_at = Timer.objects.get(case_id=fits.pk).due_at
    two_versions()

    # A preview says which, and changes nothing
    previews = replaycheck.check_batch([fits.pk, differs.pk], version=2)
    assert [one.verdict for one in previews] == ["fine", "differs"]
    assert {trials.count(case, "code.moved") for case in (fits, differs)} == {0}

    # Moved is what fits, with actor and reason; what does not fit has no event of it
    before = trials.types(differs)
    found = move(people, [fits, differs])
    assert [found[case.reference].result for case in (fits, differs)] == ["moved", "stays"]
    assert "A deadline keeps 30 " in found[fits.reference].sentence
    assert "expected an activity “trial.call”, the code asks for a message “review”" in (
        found[differs.reference].sentence
    )
    assert trials.types(differs) == before and trials.fresh(differs).step_version == 1
    event = trials.last(fits, "code.moved")
    assert event.actor == Actor.of(people.otto).code
    assert (event.data["from"], event.data["to"]) == (1, 2)
    assert event.data["reason"] == "The check is dropped."
    assert Timer.objects.get(case_id=fits.pk).due_at == due_at

    # Again, it says that nothing is left to do
    assert [one.result for one in move(people, [fits]).values()] == ["already"]
    assert trials.count(fits, "code.moved") == 1

    # Each goes on under its own version, and replays to any event
    for case in (fits, differs):
        sound.check_case(case.pk)
    assert (
        as_it_stood(trials.fresh(fits), 3).pauses[0].line
        != as_it_stood(trials.fresh(fits)).pauses[0].line
    )
    trials.send(fits, "documents")
    for case in (fits, differs):
        trials.send(case, "review")
    assert (trials.fresh(fits).result, trials.fresh(differs).result) == ("second", "first")
    assert effects() == ["check"]


def test_a_move_is_undone_where_the_history_still_fits(
    trials: Trials, people: Any, two_versions: Any
) -> None:
    quiet, went_on, left = (trials.open("loan") for _ in range(3))
    two_versions()
    moved = move(people, [quiet, went_on, left])
    trials.send(went_on, "documents")
    trials.withdraw(left)
    back = move_back(
        moves=[(m.case_id, m.visit, m.was, "trying") for m in moved.values()],
        reason="Too early.",
        actor=Actor.of(people.otto),
    )
    assert [one.result for one in back] == ["moved", "stays", "left"]
    assert "expected a message “review”, the code asks for an activity" in back[1].sentence
    assert [trials.fresh(case).step_version for case in (quiet, went_on)] == [1, 2]
    assert trials.last(quiet, "code.moved").data["reason"] == "Too early."
    for case in (quiet, went_on):
        sound.check_case(case.pk)


def test_a_case_stopped_for_missing_code_goes_on_when_moved(
    trials: Trials, people: Any, two_versions: Any
) -> None:
    stopped, untouched = trials.open("loan"), trials.open("loan")
    two_versions()
    del steps.trial.codes["trying"][1]
    trials.send(stopped, "documents")
    assert "is gone from this release" in Incident.objects.get(case=stopped).came
    before = trials.types(untouched)
    found = move(people, [stopped, untouched])
    assert {one.result for one in found.values()} == {"moved"}
    assert trials.types(untouched)[len(before) :] == ["code.moved"]  # no incident on the way
    assert not Incident.objects.filter(closed_at=None).exists()
    trials.send(untouched, "documents")
    for case in (stopped, untouched):
        sound.check_case(case.pk)
        trials.send(case, "review")
        assert trials.fresh(case).result == "second"


def test_what_cannot_be_is_refused_before_anything_changes(
    trials: Trials, people: Any, two_versions: Any
) -> None:
    case = trials.open("loan")
    two_versions()
    with pytest.raises(Invalid, match=r"has no version 3. It has: 1, 2."):
        move(people, [case], to=3)
    asked = {"case_ids": [case.pk], "kind": "trial", "step": "trying", "to": 2}
    with pytest.raises(Invalid, match="Say why"):
        move_cases(**asked, reason=" ", actor=Actor.of(people.otto))
    with pytest.raises(Invalid, match="Steps with code: second, trying"):
        move_cases(**{**asked, "step": "staff"}, reason="x", actor=Actor.of(people.otto))
    assert not access.may(people.sanne, "repair case")
    with pytest.raises(NotAllowed):
        move_cases(**asked, reason="x", actor=Actor.of(people.sanne))
    assert trials.fresh(case).step_version == 1


def test_one_case_that_spoils_the_commit_harms_no_other(
    trials: Trials, people: Any, two_versions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from processes.engine import sources

    good, bad = trials.open("loan"), trials.open("loan")
    two_versions()
    sources._kept.clear()
    keep = sources.keep

    def spoil(code: Any) -> None:
        if trials.fresh(bad).step_version == 2:  # its row is written in this transaction
            raise RuntimeError("this cannot be written")
        keep(code)

    monkeypatch.setattr(sources, "keep", spoil)
    found = move_cases(
        case_ids=[good.pk, bad.pk],
        kind="trial",
        step="trying",
        to=2,
        reason="x",
        actor=Actor.of(people.otto),
    )
    assert [one.result for one in found] == ["moved", "stays"]
    assert (trials.fresh(good).step_version, trials.fresh(bad).step_version) == (2, 1)
