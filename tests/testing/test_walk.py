"""Random walks: what they look for is found."""

from __future__ import annotations

import random
from typing import Any

import pytest

from processes.testing.walking import GotStuck
from tests.testing.test_walk_kinds import ANSWERS_OF_A_LOAN, applicant
from tests.trial import steps


def find(walk: Any, script: str, **options: Any) -> str:
    """What the walks of a script of the trial kind get stuck in."""

    def facts(chance: random.Random) -> dict[str, Any]:
        return {"script": script}

    with pytest.raises(GotStuck) as stuck:
        walk("trial", cases=6, facts=facts, seed=7, **options)
    return str(stuck.value)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A script of the trial kind, for this test alone."""

    def add(function: Any) -> str:
        monkeypatch.setitem(steps.scripts, function.__name__, function)
        return function.__name__

    return add


@pytest.mark.unsound("it stops at an error of its code")
def test_an_outcome_that_the_code_does_not_handle_is_found(walk: Any, script: Any) -> None:
    @script
    async def forgets_decline(case: Any) -> Any:
        review = await steps.ask_review("look", role="underwriter")
        if review.outcome == "approve":
            return case.finish(result="yes")

    found = find(walk, "forgets_decline")
    assert "decides look: decline" in found and "must return a transition" in found
    assert "LONGCASE_WALK_SEED=" in found


def test_a_wait_for_what_nobody_can_bring_is_found(walk: Any, script: Any) -> None:
    @script
    async def waits_for_nobody(case: Any) -> Any:
        await steps.sleep(steps.days(1))
        return case.go_nowhere()

    found = find(walk, "waits_for_nobody")
    assert "go_nowhere" in found


@pytest.mark.unsound("its code answers otherwise in a replay")
def test_code_that_does_not_replay_is_found(walk: Any, script: Any) -> None:
    asked: list[int] = []

    @script
    async def forgetful(case: Any) -> Any:
        asked.append(1)
        await steps.message("a" if len(asked) % 2 else "b")
        return case.finish(result="x")

    found = find(walk, "forgetful")
    assert "does not fit its history" in found or "stopped" in found


@pytest.mark.unsound("it goes around for ever")
def test_a_kind_that_never_ends_is_found(walk: Any, script: Any, monkeypatch: Any) -> None:
    @script
    async def for_ever(case: Any) -> Any:
        while True:
            await steps.sleep(steps.days(1))

    monkeypatch.setattr("processes.testing.walking.Walker._by_hand", lambda *_: [])
    assert "came to an end within 10 acts" in find(walk, "for_ever", acts=10)


def test_the_same_seed_walks_the_same_way(walk: Any, world: Any) -> None:
    options = {"facts": applicant, "answers": ANSWERS_OF_A_LOAN}
    first = walk("loan", cases=2, seed=11, **options)
    assert walk("loan", cases=2, seed=11, **options) == first
