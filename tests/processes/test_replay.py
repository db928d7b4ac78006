"""Replay is a pure function of code and history: each prefix asks for what was recorded next."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.read import events_of
from cases.models import Case
from processes.engine import replaycheck
from processes.engine.errors import ReplayMismatch
from processes.engine.replay import as_it_stood
from processes.kinds import kind_of
from processes.models import Activity, Incident
from processes.work import sweeps
from tests.cases.conftest import Visitor
from tests.histories import recording, sound
from tests.histories.stories import STORIES
from tests.processes.conftest import Trials, effects
from tests.trial import steps

pytestmark = pytest.mark.django_db(transaction=True)

RECORDED = sorted(recording.FOLDER.glob("*.json"))


@pytest.mark.parametrize("name", STORIES)
def test_each_prefix_of_a_story_asks_for_the_command_recorded_next(
    trials: Trials, people: Any, name: str
) -> None:
    case = STORIES[name](trials, people)
    assert trials.fresh(case).closed_at is not None, trials.types(case)
    sound.check_prefixes(steps.trial, trials.events(case))
    kept = recording.FOLDER / f"{name}.json"
    if os.environ.get("LONGCASE_RECORD") == "1" and not kept.exists():
        recording.write(trials.fresh(case), name)


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recorded_histories_replay_on_the_code_as_it_stands(path: Path) -> None:
    """Histories of earlier days: whoever breaks one breaks cases that are open now."""
    kind, events = recording.read(path)
    assert recording.is_chained(events)
    sound.check_prefixes(kind_of(kind), events)


def test_there_are_recorded_histories_of_each_story() -> None:
    assert {path.stem for path in RECORDED} == set(STORIES)


def test_a_history_that_the_code_does_not_fit_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: code that asks otherwise is caught at the first event that differs."""
    kind, events = recording.read(recording.FOLDER / "loan_to_its_end.json")

    async def differs(case: Any) -> Any:
        await steps.call(what="verify")
        await steps.message("other")

    monkeypatch.setitem(steps.scripts, "loan", differs)
    with pytest.raises((AssertionError, ReplayMismatch)):
        sound.check_prefixes(kind_of(kind), events)


# -- a case as it stood


def test_a_case_is_shown_as_it_stood_after_each_event(trials: Trials) -> None:
    case = trials.open("loan")
    trials.send(case, "documents")
    trials.send(case, "review")
    trials.engine.advance(seconds=2)
    events = trials.events(case)
    lines = []
    for event in events[1:-1]:
        stood = as_it_stood(trials.fresh(case), event.number)
        assert (stood.step, stood.number) == ("trying", event.number)
        lines += [pause.line for pause in stood.pauses]
    assert lines == sorted(lines) and len(set(lines)) == 7
    assert as_it_stood(trials.fresh(case)).closed


def test_looking_at_a_case_changes_nothing(desk: Any, trials: Trials) -> None:
    # Given a waiting case
    case = desk.open("patience")
    before = (trials.types(case), case.head_number, bytes(case.head_hash))

    # When its pages and its replay are looked at, again and again
    visitor = Visitor(desk.people.sanne)
    for _ in range(10):
        assert visitor.open(case.get_absolute_url()).status == 200
        as_it_stood(trials.fresh(case))
        replaycheck.check_case(trials.fresh(case))
        sound.check_case(case.pk)

    # Then all is as it was, and the next case has the next number
    after = trials.fresh(case)
    assert (trials.types(case), after.head_number, bytes(after.head_hash)) == before
    assert desk.open("race").pk == case.pk + 1


# -- code that changed under running cases


def test_cases_of_changed_code_are_set_aside_naming_the_first_difference(
    trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given ten cases that wait at their third line
    cases = [trials.open("loan") for _ in range(10)]
    for case in cases:
        trials.send(case, "documents")
    before = [[event.hash for event in trials.events(case)] for case in cases]

    # When code is deployed that lacks the second line and calls another activity first
    async def changed(case: Any) -> Any:
        await steps.call_long(what="verify")
        await steps.message("review")
        return case.finish(result="changed")

    old = steps.scripts["loan"]
    monkeypatch.setitem(steps.scripts, "loan", changed)
    verdicts = {v.reference: v for v in replaycheck.check_open_cases()}
    assert {v.verdict for v in verdicts.values()} == {replaycheck.DIFFERS}
    for case in cases:
        trials.post(case.reference, "review")
    trials.settle()
    new = [trials.open("loan") for _ in range(5)]
    for case in new:
        trials.send(case, "review")

    # Then each is set aside, with the event, and its history is as it was
    for case, hashes in zip(cases, before, strict=True):
        incident = Incident.objects.get(case=case)
        assert incident.kind == "mismatch"
        assert incident.expected == "an activity “trial.call”"
        assert (
            incident.place.startswith("trial/steps.py") or "test_replay.py, line" in incident.place
        )
        assert "trial.call_long" in incident.came
        assert [event.hash for event in trials.events(case)][: len(hashes)] == hashes
        assert incident.next_try_at is not None
    # New ones run through
    assert {trials.fresh(case).result for case in new} == {"changed"}

    # And with the old code back, they go on by themselves, with what came meanwhile
    monkeypatch.setitem(steps.scripts, "loan", old)
    trials.engine.advance(minutes=6)
    assert sweeps.retry_incidents() == 10
    trials.engine.advance(seconds=5)
    assert {trials.fresh(case).result for case in cases} == {"closed"}
    for case in cases:
        sound.check_case(case.pk)
    trials.is_checked = False  # the new ones ran on code that is gone again


def test_cases_go_on_under_the_version_they_entered_with(
    trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = trials.open("letter_first")
    versions = dict(steps.trial.codes["trying"])
    monkeypatch.setitem(steps.trial.codes, "trying", versions)
    steps.trial.step("trying", version=2)(steps.trying_later)
    assert trials.fresh(trials.open("letter_first")).step_version == 2
    trials.engine.advance(days=30)
    assert trials.fresh(old).result == "day 30"
    trials.is_checked = False


def test_a_version_that_is_gone_is_an_incident_not_a_guess(
    trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = trials.open("race")
    code = steps.trial.code_of("trying")
    monkeypatch.setitem(steps.trial.codes, "trying", {2: replace(code, version=2)})
    trials.engine.advance(days=2)
    assert "is gone from this release" in Incident.objects.get(case=case).came
    assert trials.count(case, "timer.fired") == 1
    trials.is_checked = False


def test_an_activity_that_is_gone_is_an_incident_that_names_it(
    trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    from processes import activities as known
    from tests.processes.test_activities import open_unsettled

    case = open_unsettled("unhandled")
    definitions = dict(known._definitions)
    del definitions["trial.call"]
    monkeypatch.setattr(known, "_definitions", definitions)
    trials.settle()
    assert Activity.objects.get().state == "stopped"
    assert "no activity “trial.call”" in Incident.objects.get(case=case).came


def test_a_step_keeps_the_very_lines_that_ran(trials: Trials) -> None:
    from processes.engine import sources
    from processes.models import Source

    sources._kept.clear()
    case = trials.open("race")
    source = Source.objects.get(digest=trials.fresh(case).code_digest)
    assert "async def trying" in source.text


def test_replay_has_no_effect_of_its_own(trials: Trials) -> None:
    case = trials.open("loan")
    for _ in range(3):
        sound.check_prefixes(steps.trial, events_of(case.pk))
    assert effects() == ["verify"]
    assert Case.objects.get().head_number == len(events_of(case.pk))
