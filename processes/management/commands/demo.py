"""`manage.py demo`: the people and cases of a demo."""

from __future__ import annotations

import importlib
import importlib.util
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.management.base import BaseCommand, CommandError, CommandParser

from cases import absence, figures
from cases.actors import Actor
from cases.models import Case, Person, Team
from processes.acts.absences import enter_absence
from processes.acts.cases import assign_case
from processes.insight import writing as insight
from processes.kinds import kinds
from processes.loan import demo as loans
from processes.work import weekfigures
from timers import clock

PASSWORD = "longcase"
BUSINESS, PERSONAL = "Business credit North", "Personal credit"
# login, given and family name, team, roles
PEOPLE: list[tuple[str, str, str, str, list[str]]] = [
    ("sanne", "Sanne", "de Wit", BUSINESS, ["caseworker"]),
    ("milan", "Milan", "Kovač", BUSINESS, ["caseworker"]),
    ("petra", "Petra", "Smit", BUSINESS, ["supervisor"]),
    ("yilmaz", "A.", "Yılmaz", BUSINESS, ["underwriter"]),
    ("lena", "Lena", "Vos", BUSINESS, ["underwriter", "senior underwriter"]),
    ("joost", "Joost", "Bakker", PERSONAL, ["caseworker"]),
    ("nadia", "Nadia", "Haddad", "", ["auditor"]),
    ("oskar", "Oskar", "Lind", "", ["operator"]),
    ("anna", "Anna", "Mol", "", ["administrator"]),
    ("ruth", "Ruth", "Kok", "", ["records manager"]),
    ("bas", "Bas", "Dekker", "", ["records manager"]),
]
CAPACITIES = {"sanne": 12, "milan": 10, "joost": 8}  # open cases at a time


class Command(BaseCommand):
    help = (
        "Load the people and cases of a demo. Safe to repeat: what is there is left as it is. Only "
        "where LONGCASE_DEMO=1."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--cases", type=int, default=24, help="how many cases there shall be")
        parser.add_argument(
            "--if-empty", action="store_true", help="load cases only where there are none"
        )

    def handle(self, *, cases: int, if_empty: bool, **options: Any) -> None:
        if not settings.LONGCASE_DEMO:
            raise CommandError(
                "This is no demo installation, and the demo's people have a known password. "
                "Start one with LONGCASE_DEMO=1; never where cases are real."
            )
        everybody = PEOPLE + [one for module in self.other_demos() for one in module.PEOPLE]
        people = {one[0]: self.person(*one) for one in everybody}
        if not (if_empty and Case.objects.exists()):
            clock.refresh()
            began = clock.monotonic()
            new = loans.play(
                count=cases,
                people=loans.People(
                    caseworkers=[people[name] for name in ("sanne", "milan", "sanne", "joost")],
                    underwriter=people["yilmaz"],
                    second=people["lena"],
                ),
            )
            new += sum(module.play(people) for module in self.other_demos())
            if new:
                self.staff_the_teams(people)
            weekfigures.rebuild(weeks=figures.WEEKS)
            weekfigures.write_today()
            insight.catch_up(seconds=None)
            took = clock.monotonic() - began
            self.stdout.write(f"Loaded {new} cases ({took:.0f} s).")
        self.tell_logins(everybody)

    def other_demos(self) -> list[Any]:
        """The modules `demo` of the other kinds: each with its PEOPLE, and play(people)."""
        packages = {kind.model._meta.app_config.name for kind in kinds().values()}
        names = sorted({f"{package}.demo" for package in packages} - {loans.__name__})
        return [
            importlib.import_module(name)
            for name in names
            if importlib.util.find_spec(name) is not None
        ]

    def staff_the_teams(self, people: dict[str, Person]) -> None:
        """How much each caseworker can have, one who is away, and cases that nobody has yet."""
        for login, capacity in CAPACITIES.items():
            Person.objects.filter(username=login).update(capacity=capacity)
        petra, milan = Actor.of(people["petra"]), people["milan"]
        if not milan.absences.exists():
            enter_absence(
                person=milan,
                from_date=absence.today(),
                until_date=absence.today() + timedelta(days=7),
                substitute=people["sanne"],
                reason="On leave",
                actor=petra,
            )
        theirs = Case.objects.filter(owner=milan, closed_at=None).order_by("-opened_at", "-pk")
        for case_id in list(theirs.values_list("pk", flat=True)[:3]):
            assign_case(case_id=case_id, owner=None, actor=petra, reason="Too much for Milan")

    def person(self, login: str, given: str, family: str, team: str, roles: list[str]) -> Person:
        found = Person.objects.filter(username=login).first()
        if found is not None:
            return found
        made = Person.objects.create_user(
            login,
            password=PASSWORD,
            email=f"{login}@longcase.example",  # digests go there: they are read under Mails
            first_name=given,
            last_name=family,
            team=Team.objects.get_or_create(name=team)[0] if team else None,
        )
        made.groups.set([Group.objects.get_or_create(name=role)[0] for role in roles])
        return made

    def tell_logins(self, people: list[Any]) -> None:
        self.stdout.write(f"\nLogins, each with the password “{PASSWORD}”:")
        for login, given, family, _team, roles in people:
            self.stdout.write(f"  {login:8} {given} {family}, {' and '.join(roles)}")
