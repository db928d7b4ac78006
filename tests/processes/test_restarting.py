"""A step is restarted from its checkpoint, on the newest code."""

from __future__ import annotations

from typing import Any

import pytest

from cases.actors import Actor
from cases.errors import CaseClosed, Invalid, NotAllowed
from processes.acts.cases import change_facts
from processes.acts.restarting import CannotRestart, preview_restart, restart_step
from processes.models import Activity, Incident
from tests.histories import sound
from tests.processes.conftest import SERVICE, Trials, effects
from tests.trial import steps
from timers.models import Timer

pytestmark = pytest.mark.django_db(transaction=True)


def restart(people: Any, case: Any, **more: Any) -> Any:
    return restart_step(
        case_id=case.pk, reason="The code was wrong.", actor=Actor.of(people.otto), **more
    )


def test_what_was_done_is_undone_last_first_and_done_again(trials: Trials, people: Any) -> None:
    case = trials.open("saga")
    preview = preview_restart(case=case, actor=Actor.of(people.otto))
    assert preview.cancelled == ["a message “go”"]
    assert [(one.name, one.is_undoable) for one in preview.done] == [
        ("trial.call_undoably", True),
        ("trial.call_undoably", True),
    ]
    restart(people, case)
    trials.settle()
    assert effects()[:2] == ["one", "two"]
    assert sorted(effects()[2:]) == ["one", "two", "undo one", "undo two"]
    entered = trials.last(case, "step.entered")
    assert (entered.data["transition"], entered.data["reason"], entered.data["visit"]) == (
        "restart",
        "The code was wrong.",
        2,
    )
    assert entered.actor == Actor.of(people.otto).code
    sound.check_case(case.pk)
    trials.send(case, "go")
    assert trials.fresh(case).result == "kept"


def test_what_is_kept_is_neither_undone_nor_done_again(trials: Trials, people: Any) -> None:
    case = trials.open("saga")
    one, two = preview_restart(case=case, actor=Actor.of(people.otto)).done
    first_key = one.key
    restart(people, case, keep=[one.number])
    trials.settle()
    assert sorted(effects()) == ["one", "two", "two", "undo two"]
    assert trials.last(case, "step.entered").data["kept"][0]["key"] == first_key
    sound.check_case(case.pk)

    # What undoes it later undoes the first one, under its own key
    trials.send(case, "go", undo=True)
    assert effects()[-2:] == ["undo two", "undo one"]
    undone = [
        e.data["args"]["undoes"]
        for e in trials.events(case)
        if e.data.get("name") == "trial.uncall"
    ]
    assert undone[-1] == first_key
    sound.check_case(case.pk)


def test_what_was_kept_and_never_asked_for_is_undone_when_the_case_is_withdrawn(
    trials: Trials, people: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def asks_for_nothing(case: Any) -> Any:
        await steps.message("go")
        return case.finish()

    case = trials.open("saga")
    one, two = preview_restart(case=case, actor=Actor.of(people.otto)).done
    monkeypatch.setitem(steps.scripts, "saga", asks_for_nothing)
    restart(people, case, keep=[one.number, two.number])
    trials.settle()
    assert effects() == ["one", "two"]
    # A second restart still knows them
    again = preview_restart(case=trials.fresh(case), actor=Actor.of(people.otto)).done
    assert [(d.number, d.key, d.is_undoable) for d in again] == [
        (d.number, d.key, True) for d in (one, two)
    ]
    restart(people, case, keep=[one.number])
    trials.settle()
    assert effects() == ["one", "two", "undo two"]
    trials.withdraw(case)
    assert effects() == ["one", "two", "undo two", "undo one"]
    trials.is_checked = False  # the first visit ran on code that is gone


def test_a_kept_activity_of_our_own_database_is_not_done_again(
    trials: Trials, people: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def notes(case: Any) -> Any:
        found = await steps.inside(what="row")
        await steps.message("go")
        return case.finish(result=found)

    monkeypatch.setitem(steps.scripts, "local", notes)
    case = trials.open("local")
    (row,) = preview_restart(case=case, actor=Actor.of(people.otto)).done
    restart(people, case, keep=[row.number])
    assert effects() == ["row"]
    sound.check_case(case.pk)
    restart(people, case)
    assert effects() == ["row", "row"]
    trials.send(case, "go")
    assert trials.fresh(case).result == "row"


def test_a_stopped_case_begins_again_on_the_newest_code_with_corrected_facts(
    trials: Trials, people: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a case whose code fails after two activities, and whose facts were corrected since
    case = trials.open("parked_saga")
    assert Incident.objects.get(case=case).kind == "code"
    change_facts(case_id=case.pk, changes={"amount": "7"}, reason="a slip", actor=SERVICE)

    # When the step is restarted on a newer version
    monkeypatch.setitem(steps.trial.codes, "trying", dict(steps.trial.codes["trying"]))

    async def mended(case: Any) -> Any:
        await steps.call_undoably(what="one")
        await steps.message("go")
        return case.finish(result=str(case.amount))

    steps.trial.step("trying", version=2)(mended)
    one = preview_restart(case=trials.fresh(case), actor=Actor.of(people.otto)).done[0]
    restart(people, case, keep=[one.number])
    trials.settle()

    # Then it runs there, with what was kept
    after = trials.fresh(case)
    assert (after.step_version, after.visit, after.stopped_at) == (2, 2, None)
    assert effects() == ["one", "two", "undo two"]
    sound.check_case(case.pk)
    trials.send(case, "go")
    assert trials.fresh(case).result == "7.00"


@pytest.mark.parametrize("script", ["loan", "race", "patience", "review", "ask_outside", "parent"])
def test_what_the_visit_waited_for_is_cancelled_and_asked_anew(
    trials: Trials, people: Any, script: str
) -> None:
    case = trials.open(script)
    timers = Timer.objects.filter(case_id=case.pk).count()
    restart(people, case)
    trials.settle()
    again = trials.fresh(case)
    assert again.visit == 2 and again.waits
    assert Timer.objects.filter(case_id=case.pk, visit=2).count() == timers
    assert not Timer.objects.filter(case_id=case.pk, visit=1).exists()
    sound.check_case(case.pk)


def test_an_attempt_under_way_is_undone_in_case_it_took_effect(trials: Trials, people: Any) -> None:
    from tests.trial import activities

    activities.trouble[:] = [ConnectionError("no answer")]
    case = trials.open("saga")
    preview = preview_restart(case=case, actor=Actor.of(people.otto))
    assert preview.under_way == ["trial.call_undoably"]
    restart(people, case)
    trials.settle()
    assert any(what.startswith("undo one (") for what in effects())


def test_restarts_are_refused_with_the_reason(trials: Trials, people: Any) -> None:
    case = trials.open("saga")
    with pytest.raises(Invalid, match="Say why"):
        restart_step(case_id=case.pk, reason=" ", actor=Actor.of(people.otto))
    with pytest.raises(Invalid, match="Event 2 is no finished activity of this visit"):
        restart(people, case, keep=[2])
    with pytest.raises(NotAllowed):
        restart_step(case_id=case.pk, reason="x", actor=Actor.of(people.sanne))
    staff = trials.open("staff")
    with pytest.raises(CannotRestart, match="has no code to begin again"):
        restart(people, staff)
    trials.withdraw(case)
    with pytest.raises(CaseClosed):
        restart(people, case)
    assert trials.count(case, "step.entered") == 2 and Activity.objects.count() == 0
