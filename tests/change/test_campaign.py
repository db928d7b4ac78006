"""Each sort of change to the code of each kind, under many open cases: the replay check names
exactly those that would differ, and each remedy of docs/change.md helps.

`make campaign` runs it with a thousand open cases a kind.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group

from audit.read import events_of
from cases.actors import Actor
from cases.models import Case, Person
from processes.acts.restarting import restart_step
from processes.engine import replaycheck
from processes.engine.replaycheck import open_cases
from processes.kinds import Kind
from processes.models import CodeRun
from processes.work import coderuns
from processes.work.replaychecks import Report, check_in_parallel
from tests.change import claims, fines, loans, permits, relations
from tests.change.editing import Change, deployed
from tests.enforcement.conftest import Fines
from tests.fixtures.claims import ClaimsOffice
from tests.onboarding.conftest import outside
from tests.onboarding.desk import Desk

__all__ = ["outside"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.unsound("the visits that were restarted ran on code that is gone again"),
]

CASES = int(os.environ.get("LONGCASE_CAMPAIGN", "12"))  # open ones of each kind


def check(kind: Kind) -> Report:
    begun = time.monotonic()
    report = Report()
    size = max(50, min(200, CASES // 4))
    for part in check_in_parallel(open_cases(kind=kind.name), processes=2, size=size):
        report.join(part)
    took.append(time.monotonic() - begun)
    return report


took: list[float] = []  # seconds of each replay check of this kind


def would_differ(kind: Kind, change: Change) -> set[str]:
    """The cases that a change stops, told from their histories alone."""
    found = set()
    cases = Case.objects.filter(kind=kind.name, closed_at=None)
    for case in cases.filter(step=change.step) if change.step else cases:
        if change.differs(events_of(case.pk, after=case.entered_number - 1)):
            found.add(case.reference)
    return found


def names(report: Report) -> set[str]:
    return {one.reference for one in report.findings}


def campaign(subject: Any, office: Any, engine: Any, folder: Path) -> None:
    """All of it for one kind."""
    kind, changes = subject.KIND, subject.CHANGES
    took.clear()
    begun = time.monotonic()
    subject.fill(office, engine, CASES)
    made = time.monotonic()
    operator = Person.objects.create_user("otto")
    operator.groups.add(Group.objects.get_or_create(name="operator")[0])
    count = Case.objects.filter(kind=kind.name, closed_at=None).count()
    assert count >= CASES * 0.7 and names(check(kind)) == set()
    assert {change.sort for change in changes} == {
        "insert",
        "remove",
        "rename",
        "reorder",
        "deadline",
    }
    for number, change in enumerate(changes):
        expected = would_differ(kind, change)
        told = f"{kind.name}: {change}"
        place = folder / str(number)
        with deployed(kind, change.old, change.new, place):
            report = check(kind)
            assert names(report) == expected, told
            assert report.total == count and bool(expected) == (change.sort != "deadline"), told
            for one in report.findings:
                assert one.verdict == replaycheck.DIFFERS, one
                file, _comma, line_number = one.place.partition(", line ")
                assert file.startswith((f"{kind.name}/", "steps/")), one
                line = int(line_number)
                if change.sort in ("insert", "rename"):  # else the line of what comes next
                    assert abs(line - change.line_in(kind)) < 12, one
        with deployed(kind, change.old, change.new, place, beside=True):
            assert names(check(kind)) == set(), f"{told}, as a version beside the old one"
        if change.marked:
            with deployed(kind, change.old, change.marked, place):
                report = check(kind)
                assert names(report) == set(), f"{told}, behind a marker"
                rows = report.markers()  # one a step that comes by
                assert sum(row["old"] for row in rows) == len(expected), told
                assert all(row["may_go"] == (row["old"] == 0) for row in rows), told
    _move(kind, subject.MOVED, folder / "move", operator)
    _restart(kind, subject.RESTARTED, folder / "restart", operator)
    print(
        f"\n{kind.name}: {count} open cases made in {made - begun:.0f} s, {len(changes)} changes; "
        f"{len(took)} replay checks of {sum(took) / len(took):.1f} s each; all of it in "
        f"{time.monotonic() - begun:.0f} s"
    )


def _move(kind: Kind, change: Change, folder: Path, operator: Any) -> None:
    """Those that fit the new version are moved, and only those; afterwards all is taken back."""
    expected = would_differ(kind, change)
    new = max(kind.codes[change.step]) + 1
    asked: dict[str, Any] = {
        "kind": kind.name,
        "step": change.step,
        "to_version": new,
        "actor": Actor.of(operator),
    }
    with deployed(kind, change.old, change.new, folder, beside=True):
        preview = done(coderuns.ask(what="preview", **asked))
        assert results(preview, "differs") == expected
        fits = results(preview, "fits")
        assert fits and not fits & expected
        move = done(coderuns.ask(what="move", reason="A new rule.", **asked))
        assert (results(move, "moved"), results(move, "stays")) == (fits, expected)
        assert names(check(kind)) == set()
        moved = Case.objects.filter(kind=kind.name, step=change.step, step_version=new)
        assert {case.reference for case in moved} == fits
        back = done(
            coderuns.ask(
                what="undo",
                kind=kind.name,
                step=change.step,
                reason="Too early.",
                undoes=move,
                actor=Actor.of(operator),
            )
        )
        assert results(back, "moved") == fits
    assert names(check(kind)) == set()


def _restart(kind: Kind, change: Change, folder: Path, operator: Any) -> None:
    """A case that differs begins its step again on the new code, and then differs no more."""
    expected = sorted(would_differ(kind, change))
    with deployed(kind, change.old, change.new, folder):
        case = Case.objects.get(reference=expected[0])
        restart_step(case_id=case.pk, reason="A new rule.", actor=Actor.of(operator))
        assert names(check(kind)) == set(expected[1:])
        restart_step(case_id=case.pk, reason="To have it tidy.", actor=Actor.of(operator))
    case.refresh_from_db()
    restart_step(case_id=case.pk, reason="The old rule again.", actor=Actor.of(operator))
    assert names(check(kind)) == set()


def done(run: CodeRun) -> CodeRun:
    while not coderuns.work_on(run.pk):
        pass
    run.refresh_from_db()
    assert run.state == "done", run.error
    return run


def results(run: CodeRun, result: str) -> set[str]:
    return {one.case.reference for one in run.results.filter(result=result)}


def test_loans(office: Any, engine: Any, world: Any, tmp_path: Path) -> None:
    campaign(loans, office, engine, tmp_path)


def test_fines(engine: Any, tmp_path: Path) -> None:
    campaign(fines, Fines(engine), engine, tmp_path)


def test_permits(permit_desk: Any, engine: Any, tmp_path: Path) -> None:
    campaign(permits, permit_desk, engine, tmp_path)


def test_claims(engine: Any, world: Any, tmp_path: Path) -> None:
    campaign(claims, ClaimsOffice(), engine, tmp_path)


def test_onboarding(outside: Any, engine: Any, tmp_path: Path) -> None:
    campaign(relations, Desk(engine), engine, tmp_path)
