"""Trial cases, and the world they live in."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import DataError, connection

from audit.read import events_of
from audit.record import Recorded
from cases.actors import Actor, party
from cases.models import Case, Person, Task
from processes.acts import tasks
from processes.acts.cases import get_case, move_case, open_case
from processes.acts.documents import judge_document, receive_document
from processes.acts.messages import deliver_message, post_message
from tests.histories import sound
from tests.trial import activities
from tests.trial.world import World

SERVICE = Actor("service:test")


class Trials:
    """Opens trial cases and acts on them; afterwards each must be sound in every way."""

    def __init__(self, engine: Any = None) -> None:
        self.engine = engine
        self.is_checked = True  # a test that breaks something on purpose says False

    # opening and acting

    def open(self, script: str, **facts: Any) -> Case:
        case = open_case(
            kind="trial", facts={"script": script, **facts}, title=script, actor=SERVICE
        )
        self.settle()
        return self.fresh(case)

    def send(self, case: Case, name: str, *, key: str = "", **data: Any) -> Any:
        """A message, delivered at once; then all that follows from it."""
        answer = deliver_message(
            case_id=case.pk,
            name=name,
            data=data,
            source="test",
            key=key or f"{case.pk}-{name}",
            actor=SERVICE,
        )
        self.settle()
        return answer

    def post(self, to: str, name: str, *, key: str = "", **data: Any) -> Any:
        """A message, put into the inbox for a worker."""
        return post_message(
            to=to, name=name, data=data, source="post", key=key or f"{to}-{name}", actor=SERVICE
        )

    def withdraw(self, case: Case, reason: str = "changed their mind") -> Case:
        moved = move_case(case_id=case.pk, name="withdraw", data={"reason": reason}, actor=SERVICE)
        self.settle()
        return moved

    def hand_in(self, case: Case, name: str, text: str = "") -> Any:
        file = ContentFile((text or f"{name} of {case.pk}").encode(), name=f"{name}.pdf")
        document = receive_document(case_id=case.pk, name=name, file=file, actor=party("applicant"))
        self.settle()
        return document

    def judge(self, document: Any, *, accept: bool, reason: str = "") -> Any:
        judged = judge_document(
            document_id=document.pk, accept=accept, reason=reason, actor=SERVICE
        )
        self.settle()
        return judged

    def task(self, case: Case, name: str = "") -> Task:
        found = Task.objects.filter(case_id=case.pk, state="open")
        return found.get(name=name) if name else found.get()

    def claim(self, case: Case, person: Person, name: str = "") -> Task:
        return tasks.claim_task(task_id=self.task(case, name).pk, actor=Actor.of(person))

    def decide(
        self, case: Case, person: Person, outcome: str = "approve", reason: str = "", name: str = ""
    ) -> Task:
        """Take the open task of a case and complete it."""
        task = self.claim(case, person, name)
        done = tasks.complete_task(
            task_id=task.pk, outcome=outcome, reason=reason, actor=Actor.of(person)
        )
        self.settle()
        return done

    def settle(self) -> None:
        if self.engine is not None:
            self.engine.settle()

    # looking

    def fresh(self, case: Case) -> Any:
        return get_case(case.pk)

    def events(self, case: Case) -> list[Recorded]:
        return events_of(case.pk)

    def types(self, case: Case) -> list[str]:
        return [event.type for event in events_of(case.pk)]

    def count(self, case: Case, type: str) -> int:
        return self.types(case).count(type)

    def last(self, case: Case, type: str) -> Recorded:
        return [event for event in events_of(case.pk) if event.type == type][-1]


@pytest.fixture(autouse=True)
def calm_world() -> Iterator[None]:
    activities.effects.clear()
    activities.trouble.clear()
    activities.undo_trouble.clear()
    yield
    activities.trouble.clear()
    activities.undo_trouble.clear()


@pytest.fixture
def trials(engine: Any) -> Iterator[Trials]:
    found = Trials(engine)
    yield found
    if found.is_checked:
        engine.settle()
        sound.check_all()


def effects() -> list[str]:
    """What was done outside, in order."""
    return [what for what, _ in activities.effects]


def at_once(acts: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run each in a thread with a database connection of its own, all from one barrier. Returns
    what each returned; raises the first error."""
    barrier = threading.Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=30)
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [done.result(timeout=60) for done in [pool.submit(run, act) for act in acts]]


@pytest.fixture
def poison(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database refuses the row of the task `poison`, as a bug of ours would make it."""
    save = Task.save

    def refuse(task: Task, *args: Any, **options: Any) -> None:
        if task.name == "poison":
            raise DataError("this row cannot be written")
        save(task, *args, **options)

    monkeypatch.setattr(Task, "save", refuse)


@pytest.fixture
def world() -> Iterator[World]:
    found = World()
    yield found
    found.stop()
