"""Step code that changes under open cases: markers, versions, and what the check says of them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from processes.engine import replaycheck, versions
from processes.engine.words import changed
from processes.models import Incident
from processes.work import sweeps
from tests.histories import sound
from tests.processes.conftest import Trials, effects
from tests.trial import steps
from timers.spans import days

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def deploy(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put another function in the place of a script, as a release would."""

    def put(script: str, function: Any) -> None:
        monkeypatch.setitem(steps.scripts, script, function)

    return put


def verdict_of(trials: Trials, case: Any) -> replaycheck.Verdict:
    return replaycheck.check_case(trials.fresh(case))


async def asks_first(case: Any) -> Any:
    """The script `loan` with one more call before its review."""
    await steps.call(what="verify")
    await steps.message("documents")
    if changed("call before the review"):
        await steps.call(what="new")
    await steps.message("review")
    return case.finish(result="closed")


# -- the marker of a small change


def test_a_marker_gives_false_to_those_that_had_passed_and_true_to_others(
    trials: Trials, deploy: Any
) -> None:
    # Given one case past the line and one before it
    passed, before = trials.open("loan"), trials.open("loan")
    trials.send(passed, "documents")

    # When the changed code is deployed and both go on
    deploy("loan", asks_first)
    assert verdict_of(trials, passed).verdict == replaycheck.FINE
    trials.send(before, "documents")

    # Then the first goes the old way and the second the new one, in every replay
    assert "new" in effects()
    assert trials.count(before, "code.changed") == 1 and trials.count(passed, "code.changed") == 0
    assert verdict_of(trials, passed).changes == {"call before the review": False}
    assert verdict_of(trials, before).changes == {"call before the review": True}
    for case in (passed, before):
        sound.check_case(case.pk)
        trials.send(case, "review")
        assert trials.fresh(case).result == "closed"
        sound.check_case(case.pk)
    assert effects().count("new") == 1


def test_the_first_answer_of_a_marker_holds_for_the_visit(trials: Trials, deploy: Any) -> None:
    async def rounds(case: Any) -> Any:
        for _ in range(2):
            await steps.message("go")
            await steps.message("on")
        return case.finish()

    async def changed_rounds(case: Any) -> Any:
        for number in range(2):
            await steps.message("go")
            if changed("call in each round"):
                await steps.call(what=f"round {number}")
            await steps.message("on")
        return case.finish()

    deploy("loan", rounds)
    old, new = trials.open("loan"), trials.open("loan")
    trials.send(old, "go", key="first of old")
    deploy("loan", changed_rounds)
    for case in (old, new):
        for place, name in enumerate(("go", "on", "go", "on")):
            if not (case is old and place == 0):
                trials.send(case, name, key=f"{case.pk} {place}")
                sound.check_case(case.pk)
    assert effects() == ["round 0", "round 1"]
    assert trials.count(new, "code.changed") == 1 and trials.count(old, "code.changed") == 0


def test_code_that_failed_at_the_change_takes_it_when_tried_again(
    trials: Trials, deploy: Any
) -> None:
    # Given a case whose code fails after a message; what it did with it was taken back
    async def fails(case: Any) -> Any:
        await steps.message("go")
        raise ValueError("a bug")

    async def mended(case: Any) -> Any:
        await steps.message("go")
        if not changed("the bug is mended"):
            raise ValueError("a bug")
        await steps.call(what="mended")
        return case.finish(result="mended")

    deploy("loan", fails)
    case = trials.open("loan")
    trials.send(case, "go")
    assert Incident.objects.get(case=case).kind == "code"

    # When the code is mended under a marker and the case is tried again
    deploy("loan", mended)
    assert verdict_of(trials, case).changes == {"the bug is mended": True}
    assert sweeps.revive(case.pk, actor="engine")
    trials.settle()

    # Then it has not passed the line before, and goes the new way
    assert trials.fresh(case).result == "mended"
    assert trials.count(case, "code.changed") == 1


def test_a_case_stopped_by_a_mismatch_had_passed_the_line(trials: Trials, deploy: Any) -> None:
    """It is the release between that stopped it, not its own code: the old way still holds."""

    async def without_marker(case: Any) -> Any:
        await steps.call(what="verify")
        await steps.message("documents")
        await steps.call(what="new")
        await steps.message("review")
        return case.finish(result="closed")

    case = trials.open("loan")
    trials.send(case, "documents")
    deploy("loan", without_marker)
    trials.send(case, "review")
    incident = Incident.objects.get(case=case)
    assert (incident.expected, incident.came) == (
        "a message “review”",
        "an activity “trial.call”",
    )
    deploy("loan", asks_first)
    assert sweeps.revive(case.pk, actor="engine")
    trials.settle()
    assert trials.fresh(case).result == "closed" and "new" not in effects()


def test_a_marker_may_go_when_no_open_case_takes_the_old_way(trials: Trials, deploy: Any) -> None:
    async def without_marker(case: Any) -> Any:
        await steps.call(what="verify")
        await steps.message("documents")
        await steps.call(what="new")
        await steps.message("review")
        return case.finish(result="closed")

    passed, new = trials.open("loan"), trials.open("loan")
    trials.send(passed, "documents")
    deploy("loan", asks_first)
    trials.send(new, "documents")

    # While a case takes the old way, removing the marker would stop that one alone
    deploy("loan", without_marker)
    assert verdict_of(trials, passed).verdict == replaycheck.DIFFERS
    assert verdict_of(trials, new).verdict == replaycheck.FINE
    deploy("loan", asks_first)
    trials.send(passed, "review")

    # Afterwards nothing differs, though the mark stands in the history of the other
    deploy("loan", without_marker)
    assert verdict_of(trials, new).verdict == replaycheck.FINE
    trials.send(new, "review")
    assert trials.fresh(new).result == "closed"
    trials.is_checked = False  # the closed ones ran on code that is gone again


def test_what_is_given_up_around_a_marker_replays_without_it(trials: Trials, deploy: Any) -> None:
    """Waits that are given up in one breath are one event, whether or not a marker is between."""

    async def gives_up(case: Any) -> Any:
        waits = [steps.start(steps.message(name)) for name in ("a", "b")]
        await steps.message("go")
        waits[0].cancel()
        changed("between")
        waits[1].cancel()
        await steps.message("end")
        return case.finish()

    async def without_marker(case: Any) -> Any:
        waits = [steps.start(steps.message(name)) for name in ("a", "b")]
        await steps.message("go")
        for wait in waits:
            wait.cancel()
        await steps.message("end")
        return case.finish()

    deploy("loan", gives_up)
    case = trials.open("loan")
    trials.send(case, "go")
    sound.check_case(case.pk)
    deploy("loan", without_marker)
    assert verdict_of(trials, case).verdict == replaycheck.FINE
    sound.check_case(case.pk)


def test_a_deadline_that_changes_keeps_that_of_open_cases(trials: Trials, deploy: Any) -> None:
    """Version 1 waits 30 days, version 2 waits 60: an old case ends on day 30, a new one on 60."""

    async def waits(case: Any, length: int) -> Any:
        async with steps.deadline(days(length)) as too_late:
            await steps.message("go")
        return case.finish(result=f"late {bool(too_late)}")

    deploy("hour", lambda case: waits(case, 30))
    old = trials.open("hour")
    trials.engine.advance(days=12)
    deploy("hour", lambda case: waits(case, 60))
    new = trials.open("hour")
    assert verdict_of(trials, old).verdict == replaycheck.FINE
    trials.engine.advance(days=19)
    assert trials.fresh(old).result == "late True" and trials.fresh(new).closed_at is None
    trials.engine.advance(days=42)
    assert trials.fresh(new).result == "late True"


# -- the message


def test_a_difference_is_told_with_event_question_and_line(
    trials: Trials, deploy: Any, people: Any
) -> None:
    async def asks_an_activity(case: Any) -> Any:
        async with steps.deadline(days(3)):
            await steps.message("go")
        return case.finish()

    case = trials.open("review")
    deploy("review", asks_an_activity)
    found = verdict_of(trials, case)
    line = asks_an_activity.__code__.co_firstlineno + 1
    assert found.sentence == (
        "differs at event 3: expected a review “first”, the code asks for a deadline "
        f"(processes/test_changed_code.py, line {line})"
    )
    trials.decide(case, people.milan)
    incident = Incident.objects.get(case=case)
    assert incident.place == f"processes/test_changed_code.py, line {line}"
    told = trials.last(case, "incident.opened").data
    assert (told["at"], told["expected"]) == (3, "a review “first”")
    trials.is_checked = False


# -- the command


def run(*arguments: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command(  # with the checks that Django makes first, as from a shell
            "replaycheck", *arguments, stdout=out, stderr=io.StringIO(), skip_checks=False
        )
    except CommandError as error:
        return error.returncode, out.getvalue() + str(error)
    return 0, out.getvalue()


def test_the_command_replays_in_processes_and_tells_by_its_exit_code(
    trials: Trials, deploy: Any
) -> None:
    good = [trials.open("race") for _ in range(3)]
    bad = [trials.open("loan") for _ in range(2)]
    before = [event.hash for case in good + bad for event in trials.events(case)]
    assert run("--processes", "2") == (0, "5 open cases: 5 fine, 0 differ, 0 unknown.\n")

    async def other(case: Any) -> Any:
        await steps.message("other")

    deploy("loan", other)
    code, said = run("--processes", "2")
    assert code == 1 and said.endswith("5 open cases: 3 fine, 2 differ, 0 unknown.")
    assert "docs/change.md" in said
    assert all(case.reference in said for case in bad)
    assert not any(case.reference in said for case in good)
    code, said = run("--json", "--processes", "2")
    report = json.loads(said[: said.rindex("}") + 1])
    assert code == 1 and (report["fine"], report["differs"]) == (3, 2)
    assert {one["reference"] for one in report["cases"]} == {case.reference for case in bad}
    assert {one["event"] for one in report["cases"]} == {3}
    assert report["steps"] == [
        {"kind": "trial", "step": "trying", "version": 1, "fine": 3, "differs": 2, "unknown": 0}
    ]
    assert run("--case", good[0].reference)[0] == 0
    assert run("--case", bad[0].reference)[0] == 1
    assert run("--kind", "trial", "--step", "second")[0] == 0
    assert [event.hash for case in good + bad for event in trials.events(case)] == before
    trials.is_checked = False


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--kind", "nothing"], "There is no kind “nothing”."),
        (["--kind", "trial", "--step", "nowhere"], "A trial has no step “nowhere”. It has: trying"),
        (["--case", "TR-1999-000001"], "There is no open case TR-1999-000001."),
    ],
)
def test_what_cannot_be_checked_is_said_with_exit_code_2(arguments: list[str], said: str) -> None:
    code, answer = run(*arguments)
    assert code == 2 and said in answer


# -- versions side by side


def test_versions_are_listed_with_their_cases_and_a_missing_one_is_refused(
    trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = trials.open("race")
    first = steps.trial.codes["trying"][1]
    monkeypatch.setitem(steps.trial.codes, "trying", {1: first})
    steps.trial.step("trying", version=2)(steps.trying_later)
    found = {(one.step, one.version): one for one in versions.in_use()}
    assert found["trying", 1].cases == 1 and not found["trying", 1].may_go
    assert found["trying", 2].is_newest and not found["trying", 2].may_go
    assert found["trying", 1].place.startswith("trial/steps.py, line")

    # A release without the old version is refused: by the command, the check and the health page
    del steps.trial.codes["trying"][1]
    said = "1 open case stands in version 1 of step “trying” of trial"
    with pytest.raises(CommandError, match=said):
        call_command("versions", stdout=io.StringIO())
    with pytest.raises(Exception, match=said):
        call_command("check", deploy=True, tags=["processes"])
    monkeypatch.setattr("config.health._missing", (float("-inf"), []))
    answer = Client().get("/health/ready")
    assert answer.status_code == 503
    assert answer.json()["missing_versions"] == ["trial.trying version 1"]
    from config.prepare import refuse_missing_versions

    with pytest.raises(SystemExit, match=said):
        refuse_missing_versions()
    assert run()[0] == 2  # unknown: there is no code to replay it on

    # With its last case gone it may be deleted
    steps.trial.codes["trying"][1] = first
    trials.withdraw(case)
    found = {(one.step, one.version): one for one in versions.in_use()}
    assert found["trying", 1].may_go
    del steps.trial.codes["trying"][1]
    assert versions.missing() == []
    monkeypatch.setattr("config.health._missing", (float("-inf"), []))
    assert Client().get("/health/ready").status_code == 200
    trials.is_checked = False


def test_markers_are_found_by_reading_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(steps.trial.codes, "trying", dict(steps.trial.codes["trying"]))
    steps.trial.step("trying", version=2)(asks_first)
    (found,) = versions.markers()
    assert (found.name, found.version) == ("call before the review", 2)
    assert found.place.startswith("processes/test_changed_code.py, line")
