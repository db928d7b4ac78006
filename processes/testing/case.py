"""One case under test: what people, parties and the outside do to it, and what became of it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.core.files.base import ContentFile

from audit.read import events_of
from audit.record import Recorded
from cases.actors import Actor, party
from cases.fsm import edges
from cases.models import Case, Document, Letter, Person, Task
from processes import callbacks
from processes.acts import cases as case_acts
from processes.acts import documents, incidents, messages, tasks
from processes.kinds import kind_of
from processes.models import Incident

if TYPE_CHECKING:
    from processes.testing.kit import Kit


class CaseUnderTest:
    """A case, always as it stands now. Its facts are attributes: `case.amount`.

    Each act goes through the act that pages and API use, and then lets the case go on until
    nothing is due.
    """

    def __init__(self, kit: Kit, case_id: int) -> None:
        self._kit = kit
        self.pk = case_id

    def __repr__(self) -> str:
        row = self.row
        return f"<{row.reference} at {row.step}, waits for {self.waits_for or 'nothing'}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.row, name)

    # -- looking

    @property
    def row(self) -> Case:
        """The case as its kind, loaded afresh."""
        return case_acts.get_case(self.pk)

    @property
    def is_open(self) -> bool:
        """Whether it has not come to an end."""
        return self.row.closed_at is None

    @property
    def waits(self) -> list[dict[str, Any]]:
        """What it waits for: kind, name, on, since, until, met, otherwise."""
        return self.row.waits

    @property
    def waits_for(self) -> list[str]:
        """The same in short: "task review", "message confirmation", "timer reminder"."""
        return [" ".join(filter(None, (w["kind"], w["name"]))) for w in self.waits]

    @property
    def events(self) -> list[Recorded]:
        """Its whole history."""
        return events_of(self.pk)

    @property
    def story(self) -> list[str]:
        """Its history in a few words an event: "task.completed review approve"."""
        return [_in_words(event) for event in self.events]

    @property
    def letters(self) -> list[str]:
        """The subjects of its letters, without the reference."""
        found = Letter.objects.filter(case_id=self.pk).order_by("written_at", "pk")
        return [one.subject.partition(" (")[0] for one in found]

    @property
    def incident(self) -> Incident | None:
        """What keeps it from going on, if anything does."""
        return Incident.objects.filter(case_id=self.pk, closed_at=None).first()

    @property
    def tasks(self) -> list[Task]:
        """Its open tasks."""
        return list(Task.objects.filter(case_id=self.pk, state="open").order_by("pk"))

    def task(self, name: str = "") -> Task:
        """Its open task of this name; the only one unless named."""
        found = [task for task in self.tasks if not name or task.name == name]
        if len(found) == 1:
            return found[0]
        open_ = ", ".join(task.name for task in self.tasks) or "none"
        raise AssertionError(
            f"{self!r} has {len(found)} open tasks{f' “{name}”' if name else ''}; open: {open_}."
        )

    def due(self, name: str = "") -> datetime | None:
        """Until when it waits for what has this name; for whatever comes first unless named."""
        if not name:
            return self.row.waiting_until
        for wait in self.waits:
            if wait["name"] == name:
                return wait["until"]
        raise AssertionError(f"{self!r} does not wait for “{name}”.")

    @property
    def subcases(self) -> list[CaseUnderTest]:
        """The cases that it opened, in order."""
        found = Case.objects.filter(parent_id=self.pk).order_by("pk")
        return [CaseUnderTest(self._kit, case.pk) for case in found]

    @property
    def subcase(self) -> CaseUnderTest:
        """Its open sub-case."""
        found = [one for one in self.subcases if one.is_open]
        assert len(found) == 1, f"{self!r} has {len(found)} open sub-cases."
        return found[0]

    # -- what people do

    def decide(
        self,
        outcome: str,
        *,
        task: str = "",
        by: Person | None = None,
        reason: str = "",
        **result: Any,
    ) -> Task:
        """Somebody of the task's role, or `by`, takes it and completes it. `result` is what its
        form asks besides."""
        wanted = self.task(task)
        someone = by or self._kit.person_fit_for(wanted)
        actor = Actor.of(someone)
        if wanted.holder_id is None:
            tasks.claim_task(task_id=wanted.pk, actor=actor)
        done = tasks.complete_task(
            task_id=wanted.pk, outcome=outcome, reason=reason, actor=actor, result=result
        )
        self._kit.settle()
        return done

    def move(self, name: str, *, by: Person | None = None, **asked: Any) -> CaseUnderTest:
        """Somebody takes a transition by hand, such as withdraw, with what it asks for."""
        edge = next((e for e in edges(self.model) if e.name == name), None)
        role = edge.role if edge and edge.role else "caseworker"
        someone = by or self._worker(role)
        case_acts.move_case(case_id=self.pk, name=name, data=asked, actor=Actor.of(someone))
        self._kit.settle()
        return self

    def correct(
        self, *, reason: str = "as the test says", by: Person | None = None, **facts: Any
    ) -> None:
        """Somebody corrects facts."""
        actor = Actor.of(by or self._worker("caseworker"))
        case_acts.change_facts(case_id=self.pk, changes=facts, reason=reason, actor=actor)
        self._kit.settle()

    def try_again(self) -> str:
        """An operator lets a stopped case try again. Returns what happened."""
        stopped = self.incident
        assert stopped is not None, f"{self!r} is not stopped."
        operator = Actor.of(self._kit.person("operator"))
        said = incidents.retry_incident(incident_id=stopped.pk, actor=operator)
        self._kit.settle()
        return said

    # -- what parties and the outside do

    def hand_in(self, *names: str, of: str = "applicant", content: bytes = b"") -> None:
        """A party sends documents."""
        for name in names:
            text = content or f"%PDF-1.4 {name} of {self.pk}, {len(self.events)}".encode()
            file = ContentFile(text, name=f"{name}.pdf")
            documents.receive_document(case_id=self.pk, name=name, file=file, actor=party(of))
        self._kit.settle()

    def accept(self, *names: str, of: str = "applicant") -> None:
        """Documents are handed in, unless they were, and a caseworker accepts them."""
        for name in names:
            self._judge(name, accept=True, of=of)

    def reject(self, *names: str, reason: str, of: str = "applicant") -> None:
        """Documents are handed in, unless they were, and a caseworker rejects them."""
        for name in names:
            self._judge(name, accept=False, of=of, reason=reason)

    def send(
        self,
        name: str,
        data: dict[str, Any] | None = None,
        /,
        *,
        of: str = "applicant",
        key: str = "",
        **more: Any,
    ) -> messages.Delivery:
        """A message arrives. Under the same key it is the same message again."""
        answer = messages.deliver_message(
            case_id=self.pk,
            name=name,
            data={**(data or {}), **more},
            source=of,
            key=key or f"{self.pk}-{name}-{len(self.events)}",
            actor=party(of),
        )
        self._kit.settle()
        return answer

    def answer(
        self, name: str, data: dict[str, Any] | None = None, /, **more: Any
    ) -> messages.Delivery:
        """A third party answers the question of this name at its signed address."""
        token = callbacks.address_of(self.question(name)).rstrip("/").rpartition("/")[2]
        answer = messages.answer_callback(token=token, data={**(data or {}), **more})
        self._kit.settle()
        return answer

    def question(self, name: str) -> str:
        """The key of the open question of this name to a third party."""
        for wait in self.waits:
            if wait["kind"] == "party" and wait["name"] == name:
                return f"{self.pk}.{self.row.visit}.{wait['command']}"
        raise AssertionError(f"{self!r} asks no third party for “{name}”.")

    # -- asserting

    def assert_waits_for(self, *wanted: str) -> None:
        """It waits for exactly these: "task review", "documents", "message confirmation"."""
        assert sorted(self.waits_for) == sorted(wanted), f"{self!r}\n{self._told()}"

    def assert_told(self, type: str, **data: Any) -> Recorded:
        """Its history has an event of this type with these data; the last such event."""
        for event in reversed(self.events):
            if event.type == type and all(event.data.get(k) == v for k, v in data.items()):
                return event
        raise AssertionError(f"No event {type} {data or ''} in the history:\n{self._told()}")

    def assert_never(self, type: str, **data: Any) -> None:
        """Its history has no event of this type with these data."""
        for event in self.events:
            if event.type == type and all(event.data.get(k) == v for k, v in data.items()):
                raise AssertionError(f"Event {event.number} is {type}:\n{self._told()}")

    def assert_in_order(self, *wanted: str) -> None:
        """Its history tells these in this order, with whatever else in between. Each is the start
        of a line of `story`, such as "task.completed review"."""
        lines = iter(self.story)
        for one in wanted:
            if not any(line.startswith(one) for line in lines):
                raise AssertionError(f"“{one}” did not come, or not in order:\n{self._told()}")

    # -- within

    def _told(self) -> str:
        return "\n".join(f"  {e.number:3} {_in_words(e)}" for e in self.events)

    def _worker(self, role: str) -> Person:
        """Somebody of this role who also may work on cases."""
        roles = (role,) if role in ("caseworker", "supervisor") else (role, "caseworker")
        return self._kit.person(*roles)

    def _judge(self, name: str, *, accept: bool, of: str, reason: str = "") -> None:
        def received() -> Document | None:
            rows = Document.objects.filter(case_id=self.pk, name=name, state="received")
            return rows.order_by("-version").first()

        document = received()
        if document is None:
            self.hand_in(name, of=of)
            document = received()
        assert document is not None
        actor = Actor.of(self._worker("caseworker"))
        documents.judge_document(document_id=document.pk, accept=accept, reason=reason, actor=actor)
        self._kit.settle()

    @property
    def model(self) -> type[Case]:
        """The class of its kind."""
        return kind_of(self.row.kind).model


_TELLING = ("transition", "step", "name", "names", "outcome", "answer")


def _in_words(event: Recorded) -> str:
    words = [event.type]
    for name in _TELLING:
        value = event.data.get(name)
        if isinstance(value, list):
            words += [str(one) for one in value]
        elif value not in (None, ""):
            words.append(str(value))
    return " ".join(words)
