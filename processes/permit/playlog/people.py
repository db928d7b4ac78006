"""The people of a municipality, as its log names them, and what they do with tasks."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.contrib.auth.models import Group

from audit.read import events_of
from cases.actors import Actor, service
from cases.errors import Refused
from cases.models import Case, Message, Person, Task, Team
from processes.acts.cases import move_case, open_case
from processes.acts.tasks import claim_task, complete_task
from processes.permit.papers import AUTHORITY, CASEWORKER, EXPERT, REVIEWER
from processes.playlog.driver import Driver
from processes.playlog.recorded import Row
from timers import calendars

ROLES = (CASEWORKER, REVIEWER, AUTHORITY, EXPERT, "supervisor")


@dataclass(kw_only=True)
class PermitDriver(Driver):
    """What both logs share. Who may not do a task, because they wrote what it judges, leaves it
    to a colleague: the municipalities let one person do both, and we do not."""

    rows_of: dict[str, list[Row]] = field(default_factory=dict)  # all that is recorded of a case
    _people: dict[str, Person] = field(default_factory=dict)
    _team: Team | None = None
    _groups: list[Group] = field(default_factory=list)

    def look_ahead(self, rows: list[Row]) -> None:
        for row in rows:
            self.rows_of.setdefault(row.case_id, []).append(row)

    def prepare(self) -> None:
        self._team, _ = Team.objects.get_or_create(name=f"Recorded permits, {self.source}")
        self._groups = [Group.objects.get_or_create(name=name)[0] for name in ROLES]

    def after(self, row: Row) -> list[Row]:
        """What the log records of the row's case after it."""
        rows = self.rows_of[row.case_id]
        return rows[rows.index(row) + 1 :]

    def open(self, row: Row, *, received_on: date, **facts: Any) -> None:
        self.was_opened(
            row,
            open_case(
                kind="permit",
                facts={
                    "applicant_name": f"Applicant {row.case_id}",
                    "email": f"applicant-{row.case_id}@example.org",
                    "site": f"Site {row.case_id}",
                    "received_on": received_on,
                    "by_default": False,  # neither municipality decided by letting time pass
                    **facts,
                },
                title=f"Applicant {row.case_id}",
                # Whoever opens a case may not review it. Here the counter does, for the applicant.
                actor=service("counter"),
                team=self._team,
                source=self.source,
                source_key=row.case_id,
            ),
        )
        self.installation.settle()

    # -- tasks

    def open_tasks(self, row: Row) -> list[Task]:
        """The open tasks of the row's case, the oldest first."""
        return list(Task.objects.filter(case_id=self.id_of(row), state="open").order_by("pk"))

    def task(self, row: Row, name: str) -> Task:
        for task in self.open_tasks(row):
            if task.name == name:
                return task
        raise Refused(f"The case does not ask for “{name}” now.")

    def complete(self, row: Row, name: str, outcome: str, **result: Any) -> None:
        self.finish(row, self.task(row, name), outcome, **result)

    def finish(self, row: Row, task: Task, outcome: str, **result: Any) -> None:
        person = self.whoever_may(row, task)
        claim_task(task_id=task.pk, actor=Actor.of(person))
        complete_task(
            task_id=task.pk,
            outcome=outcome,
            reason=f"As recorded, row {row.seq}.",
            result=result,
            actor=Actor.of(person),
        )
        self.installation.settle()

    def move(self, row: Row, name: str) -> None:
        move_case(
            case_id=self.id_of(row),
            name=name,
            data={"reason": f"As recorded, row {row.seq}."},
            actor=self.actor(row),
        )
        self.installation.settle()

    # -- people

    def whoever_may(self, row: Row, task: Task) -> Person:
        person = self.person(row.resource)
        return self.colleague(row) if f"person:{person.pk}" in task.unlike else person

    def colleague(self, row: Row) -> Person:
        return self.person(f"{row.resource or 'pool'}-colleague")

    def actor(self, row: Row) -> Actor:
        return Actor.of(self.person(row.resource))

    def actor_code(self, row: Row) -> str:
        """The recorded person; a colleague where four eyes forbade that person what the row did."""
        if self.opens(row):
            return ""
        person = f"person:{self.person(row.resource).pk}"
        colleague = f"person:{self.colleague(row).pk}"
        done = Task.objects.filter(case_id=self.id_of(row), closed_at=row.at, closed_by=colleague)
        if not any(person in task.unlike for task in done):
            return person
        return person if person in self.actors_of(row) else colleague

    def actors_of(self, row: Row) -> set[str]:
        """Who stands behind the events that a row brought about."""
        note = Message.objects.get(source=self.source_of(row), key=row.key).why
        first, _, upto = note.partition("-")
        if not upto.isdigit():
            return set()
        events = events_of(self.id_of(row))[int(first) - 1 : int(upto)]
        return {event.actor for event in events}

    def person(self, resource: str) -> Person:
        name = f"{self.source}-{resource or 'pool'}"
        if name not in self._people:
            person, _ = Person.objects.get_or_create(
                username=name, defaults={"team": self._team, "first_name": resource or "Pool"}
            )
            person.groups.set(self._groups)
            self._people[name] = person
        return self._people[name]

    def case(self, row: Row) -> Case:
        return Case.objects.get(pk=self.id_of(row))


def day_of(row: Row) -> date:
    """The day of a row, where it was recorded."""
    return calendars.default().local(row.at).date()
