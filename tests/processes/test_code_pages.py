"""Operators check, move and restart on pages; workers do the work; commands do the same."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from cases.actors import Actor
from processes.acts.restarting import preview_restart
from processes.engine.words import changed
from processes.models import CodeRun, Incident
from processes.work import coderuns
from tests.cases.conftest import Visitor
from tests.processes.conftest import Trials, effects
from tests.processes.test_moving import two_versions, version_1
from tests.trial import steps

pytestmark = pytest.mark.django_db(transaction=True)

CODE = "/operations/code/"
__all__ = ["two_versions"]


def work() -> None:
    """What a worker does with the messages of runs."""
    for run in CodeRun.objects.filter(ended_at=None):
        assert coderuns.work_on(run.pk)


def test_a_check_runs_in_a_worker_and_shows_each_difference(
    trials: Trials, people: Any, two_versions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = trials.open("loan"), trials.open("loan")
    trials.send(bad, "documents")
    monkeypatch.setitem(steps.trial.codes, "trying", {})

    async def changed_code(case: Any) -> Any:
        async with steps.deadline(steps.days(30)):
            await steps.message("documents")
            if changed("ask again"):
                await steps.message("again")
            await steps.call_long(what="check")
        return case.finish()

    steps.trial.step("trying")(changed_code)
    otto = Visitor(people.otto)
    page = otto.open(CODE)
    assert "No check was made yet." in page and "2" in page
    page = page.send(f"{CODE}check/")
    run = CodeRun.objects.get()
    assert "0 of 2" in page and page.html.count("hx-trigger") == 1
    work()
    page = otto.open(f"{CODE}runs/{run.pk}/")
    assert bad.reference in page and good.reference not in page
    assert "differs at event 6: expected an activity “trial.call”" in page
    assert "(processes/test_code_pages.py, line" in page
    assert f"/operations/code/restart/{bad.reference}/" in page.html
    row = next(one for one in coderuns.report_of(CodeRun.objects.get()).steps())
    assert (row["fine"], row["differs"]) == (1, 1)
    assert "1 fine, 1 differs" in otto.open(CODE)
    trials.is_checked = False


def test_a_check_goes_on_after_the_last_batch_and_counts_each_case_once(
    trials: Trials, people: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        trials.open("race")
    monkeypatch.setattr(coderuns, "BATCH", 2)
    run = coderuns.ask(what="check", actor=Actor.of(people.otto))
    assert coderuns.ask(what="check", actor=Actor.of(people.otto)) == run  # it is not done yet
    assert not coderuns.work_on(run.pk, seconds=0.0)  # a slice that ends before its first batch
    batches = []
    check = coderuns._check

    def dies(run: CodeRun) -> Any:
        batches.append(run.last_id)
        if len(batches) == 2:
            raise KeyboardInterrupt  # the worker is killed
        return check(run)

    monkeypatch.setitem(coderuns._STEPS, "check", dies)
    with pytest.raises(KeyboardInterrupt):
        coderuns.work_on(run.pk)
    assert coderuns.work_on(run.pk)  # another holds it, as far as anyone knows
    assert CodeRun.objects.get().ended_at is None
    assert coderuns.publish_unfinished() == 0
    trials.engine.advance(minutes=3)  # its lease runs out
    assert coderuns.publish_unfinished() == 1
    assert coderuns.work_on(run.pk)
    done = CodeRun.objects.get()
    assert done.state == "done" and coderuns.report_of(done).total == 5


def test_a_move_is_previewed_made_and_taken_back(
    trials: Trials, people: Any, two_versions: Any
) -> None:
    fits, differs = trials.open("loan"), trials.open("loan")
    trials.send(differs, "documents")
    two_versions()
    otto = Visitor(people.otto)
    form = otto.open(f"{CODE}move/")
    assert "from version 1 to 2 (2 open cases)" in form
    page = form.send(f"{CODE}move/", way="trial:trying:1:2")
    work()
    preview = CodeRun.objects.get(what="preview")
    page = otto.open(f"{CODE}runs/{preview.pk}/")
    assert "Move 1 case" in page and "A deadline keeps" in page
    assert "the code asks for a message “review”" in page
    assert trials.fresh(fits).step_version == 1

    # Without a reason nothing is moved
    assert page.send(f"{CODE}runs/{preview.pk}/move/", reason="").status == 422
    page = page.send(f"{CODE}runs/{preview.pk}/move/", reason="The check is dropped.")
    work()
    move = CodeRun.objects.get(what="move")
    page = otto.open(f"{CODE}runs/{move.pk}/")
    assert "1 moved" in page.html and "1 stays" in page.html
    assert (trials.fresh(fits).step_version, trials.fresh(differs).step_version) == (2, 1)
    assert trials.last(fits, "code.moved").actor == f"person:{people.otto.pk}"
    assert "Older, in use" in otto.open(CODE)

    page.send(f"{CODE}runs/{move.pk}/undo/", reason="Too early.")
    work()
    assert trials.fresh(fits).step_version == 1
    assert "It was taken back:" in otto.open(f"{CODE}runs/{move.pk}/")


def test_a_right_that_was_lost_ends_the_run(trials: Trials, people: Any, two_versions: Any) -> None:
    case = trials.open("loan")
    two_versions()
    asked = {"kind": "trial", "step": "trying", "from_version": 1, "to_version": 2}
    run = coderuns.ask(what="move", actor=Actor.of(people.otto), reason="x", **asked)
    people.otto.groups.clear()
    work()
    run.refresh_from_db()
    assert run.state == "failed" and "may not look after code" in run.error
    assert trials.fresh(case).step_version == 1


def test_a_stopped_case_is_restarted_from_its_incident(
    trials: Trials, people: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = trials.open("parked_saga")
    incident = Incident.objects.get()
    monkeypatch.setitem(steps.scripts, "parked_saga", steps.scripts["saga"])
    otto = Visitor(people.otto)
    address = f"{CODE}restart/{case.reference}/"
    assert f'href="{address}"' in otto.open(f"/operations/incidents/{incident.pk}/").html
    page = otto.open(address)
    one, two = preview_restart(case=case, actor=Actor.of(people.otto)).done
    assert f"Call undoably (event {one.number}); else it is undone" in page
    assert page.send(address, reason="").status == 422
    done = page.send(address, reason="The bug is mended.", keep=[str(one.number)])
    assert "1 activity is being undone." in done
    trials.settle()
    assert sorted(effects()) == ["one", "two", "two", "undo two"]
    assert trials.fresh(case).stopped_at is None
    assert "Began again with" in otto.open(f"{case.get_absolute_url()}history/?show=all")
    trials.is_checked = False  # its first visit ran on code that is gone


def test_only_those_who_repair_have_these_pages(trials: Trials, people: Any) -> None:
    case = trials.open("race")
    for person in (people.sanne, people.ada, people.milan):
        visitor = Visitor(person)
        for path in ("", "move/", "runs/1/", f"restart/{case.reference}/"):
            assert visitor.open(CODE + path).status == 403, path
        assert visitor.client.post(f"{CODE}check/").status_code == 403
    assert Visitor(people.otto).open(f"{CODE}runs/1/").status == 404
    assert CodeRun.objects.count() == 0 and trials.count(case, "step.entered") == 1


def run(command: str, *arguments: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command(command, *arguments, stdout=out, stderr=out)
    except CommandError as error:
        return error.returncode, out.getvalue() + str(error)
    return 0, out.getvalue()


def test_cases_are_moved_by_command(trials: Trials, people: Any, two_versions: Any) -> None:
    fits, differs = trials.open("loan"), trials.open("loan")
    trials.send(differs, "documents")
    two_versions()
    code, said = run("movecases", "trial", "trying", "--to", "2")
    assert code == 1 and "1 differs, 1 fits" in said
    assert trials.fresh(fits).step_version == 1
    assert run("movecases", "trial", "trying", "--to", "2", "--run")[0] == 2  # no reason
    assert run("movecases", "trial", "trying", "--to", "9") == (
        2,
        "Step “trying” of trial has no version 9. It has: 1, 2.",
    )
    arguments = ("movecases", "trial", "trying", "--to", "2", "--run", "--reason", "x")
    code, said = run(*arguments, "--by", "otto")
    assert code == 1 and f"{fits.reference}  moved: It has version 2 now." in said
    assert run(*arguments)[1].endswith("1 stays.")  # again: what was moved is left out
    move = CodeRun.objects.filter(what="move").first()
    assert move is not None
    assert run("movecases", "--undo", str(move.pk), "--reason", "y")[0] == 0
    assert trials.fresh(fits).step_version == 1
    assert version_1 is steps.trial.codes["trying"][1].function


def test_a_step_is_restarted_by_command(trials: Trials, people: Any) -> None:
    case = trials.open("saga")
    code, said = run("restartstep", case.reference)
    assert code == 0 and "undone      trial.call_undoably, event 4 (or --keep 4)" in said
    assert trials.fresh(case).visit == 1
    assert run("restartstep", case.reference, "--run")[0] == 1  # no reason
    code, said = run("restartstep", case.reference, "--run", "--reason", "x", "--by", "otto")
    assert code == 0 and trials.fresh(case).visit == 2
    trials.settle()
    assert run("restartstep", "TR-1999-000001")[0] == 1
