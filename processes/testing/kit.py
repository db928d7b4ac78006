"""Cases under test: opened, acted on as people and parties do, and looked at."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group

from cases import access
from cases.actors import service
from cases.models import Person, Task, Team
from processes.acts.cases import get_case, open_case
from processes.testing.case import CaseUnderTest
from processes.testing.fakes import Fakes, Outside
from processes.work.inline import Inline
from timers import clock


class Kit:
    """One installation for one test: its people, its clock, its fakes, its cases."""

    def __init__(self, engine: Inline, fake: Fakes, outside: Outside) -> None:
        self.engine = engine
        self.fake = fake
        self.outside = outside
        self.team = Team.objects.get_or_create(name="Team of the test")[0]

    # -- opening and time

    def open(
        self,
        kind: str,
        facts: dict[str, Any] | None = None,
        /,
        *,
        title: str = "",
        by: Person | None = None,
        **more: Any,
    ) -> CaseUnderTest:
        """Open a case and let it go on until it waits. `by` is the caseworker who opens it; without
        one it comes from a service. Raises Invalid naming each fact that does not fit."""
        from cases.actors import Actor

        case = open_case(
            kind=kind,
            facts={**(facts or {}), **more},
            title=title or f"A {kind} of the test",
            actor=Actor.of(by) if by else service("test"),
            team=self.team,
        )
        self.settle()
        return self.case(case.pk)

    def case(self, case_id: int) -> CaseUnderTest:
        """A case by its id, as its kind."""
        return CaseUnderTest(self, get_case(case_id).pk)

    def settle(self) -> None:
        """Do what is due now, until nothing is."""
        self.engine.settle()

    def advance(self, **span: Any) -> None:
        """Let time pass: `kit.advance(days=3)`."""
        self.engine.advance(**span)

    @property
    def now(self) -> Any:
        return clock.now()

    # -- people

    def person(self, *roles: str, name: str = "") -> Person:
        """Somebody with these roles, the same one each time; another one under another name."""
        name = name or "-".join(roles) or "nobody"
        username = name.lower().replace(" ", "-")
        found = Person.objects.filter(username=username).first()
        if found is None:
            found = Person.objects.create_user(username, first_name=name.title(), team=self.team)
            found.groups.set([Group.objects.get_or_create(name=role)[0] for role in roles])
        return found

    def person_fit_for(self, task: Task) -> Person:
        """Somebody with the task's role whom four eyes do not keep from it."""
        number = 1
        while True:
            name = task.role if number == 1 else f"{task.role} {number}"
            found = self.person(task.role, name=name)
            is_own = task.is_review and access.is_own_request(found, task.case)
            if not is_own and not access.is_barred(found, task):
                return found
            number += 1
