"""Cases with everything that a format may stumble over, and a hand that takes them away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage

from cases.actors import Actor
from cases.models import Case, Export
from processes.acts import exports as acts
from processes.acts.notes import add_note
from processes.acts.tasks import complete_task
from processes.callers import Caller
from processes.work import exports as work
from tests.cases.conftest import visit

__all__ = ["visit"]

NASTY = '=HYPERLINK("x") عربى עברית 中文 한국어 😀🦊 e\u0301 <&>"\' \x01 \ttab'


@pytest.fixture
def nasty(desk: Any) -> Case:
    """A case whose every text is one that a format may stumble over."""
    case = desk.open("review", title=NASTY, amount="-1234.50", result=NASTY)
    desk.send_document(case, "passport", filename="=cmd عربى 😀.pdf")
    add_note(case_id=case.pk, text=f"+1 {NASTY}\nsecond line", actor=Actor.of(desk.people.sanne))
    task = desk.claim(case, desk.people.milan)
    complete_task(
        task_id=task.pk, outcome="approve", reason=NASTY, actor=Actor.of(desk.people.milan)
    )
    desk.engine.settle()
    return desk.fresh(case)


@pytest.fixture
def take(tmp_path: Path) -> Callable[..., Path]:
    """Export cases as somebody, and give the file."""

    def make(person: Any, form: str, cases: Any = None, **options: Any) -> Path:
        export = ask(person, form, cases, **options)
        while not work.carry_on(export.pk):
            pass
        export.refresh_from_db()
        assert not export.failed, export.failed
        with acts.give_out(export=export, caller=Caller(person, None)) as file:
            content = file.read()
        path = tmp_path / export.filename
        path.write_bytes(content)
        assert len(content) == export.size
        return path

    return make


def ask(person: Any, form: str, cases: Any = None, **options: Any) -> Export:
    wanted = Case.objects.all() if cases is None else cases
    return acts.ask(
        caller=Caller(person, None),
        form=form,
        what="cases",
        cases=wanted,
        reason="An audit",
        options=options,
    )


def files() -> list[str]:
    """What lies in storage of exports."""
    if not default_storage.exists("exports"):
        return []
    folders = default_storage.listdir("exports")[0]
    return [
        f"{one}/{name}" for one in folders for name in default_storage.listdir(f"exports/{one}")[1]
    ]
