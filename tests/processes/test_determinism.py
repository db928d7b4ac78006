"""Step code that reaches for the world is refused, naming file, line and remedy."""

from __future__ import annotations

import pytest
from django.core.checks import run_checks

from processes.models import Incident
from tests.processes.conftest import Trials

pytestmark = pytest.mark.django_db(transaction=True)

OFFENDERS = {
    "bad_clock": "now()",
    "bad_database": "activity that reads the database",
    "bad_files": "an activity",
    "bad_chance": "random()",
    "bad_uuid": "uuid()",
    "bad_network": "an activity",
}


@pytest.mark.parametrize(("script", "remedy"), OFFENDERS.items())
def test_reaching_for_the_world_stops_the_case_with_line_and_remedy(
    trials: Trials, script: str, remedy: str
) -> None:
    case = trials.open(script)
    incident = Incident.objects.get(case=case)
    assert "NotDeterministic" in incident.came
    assert "tests/trial/steps.py, line " in incident.remedy
    assert remedy in incident.remedy
    assert trials.types(case) == ["case.opened", "step.entered", "incident.opened"]


def test_waiting_for_what_no_engine_can_keep_is_refused(trials: Trials) -> None:
    trials.open("bad_await")
    assert "no engine can wait for durably" in Incident.objects.get().came


def test_step_code_that_catches_the_refusal_is_refused_all_the_same(trials: Trials) -> None:
    case = trials.open("bad_and_quiet")
    assert trials.fresh(case).stopped_at is not None


def test_the_guard_is_off_again_after_the_step(trials: Trials) -> None:
    import sys
    import time

    trials.open("bad_clock")
    trials.open("race")
    assert sys.getprofile() is None
    assert time.time() > 0


def test_words_outside_of_a_step_say_where_they_belong() -> None:
    from processes.engine.errors import StepBroken
    from processes.engine.words import now, random

    for word in (now, random):
        with pytest.raises(StepBroken, match="code of a step"):
            word()


def test_known_offenders_are_found_at_start() -> None:
    """`manage.py check` reads the steps and their helpers."""
    found = [str(m.msg) for m in run_checks(tags=["processes"]) if m.id == "processes.E010"]
    assert found == []  # the trial's step calls its scripts through a table, which no reader sees

    from processes.checks.code import offenders
    from processes.kinds import _step_code
    from tests.trial import steps

    for script, call in (("bad_clock", "datetime.datetime.now"), ("bad_files", "open")):
        code = _step_code("trial", "trying", 1, steps.scripts[script])
        found = [m.msg for m in offenders(code) if m.id == "processes.E010"]
        assert found and call in found[0] and "line" in found[0], script
    code = _step_code("trial", "trying", 1, steps.scripts["bad_database"])
    assert any("database" in m.msg for m in offenders(code))
    for script in ("loan", "chance", "review"):
        code = _step_code("trial", "trying", 1, steps.scripts[script])
        assert list(offenders(code)) == []


def test_what_a_helper_that_nobody_awaits_reaches_for_is_refused(trials: Trials) -> None:
    case = trials.open("bad_aside")
    trials.send(case, "go")
    assert "NotDeterministic" in Incident.objects.get().came
