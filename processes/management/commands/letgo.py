"""manage.py letgo USERNAME: somebody leaves the organisation."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cases.actors import service
from cases.models import Case, Person
from processes.acts.cases import assign_case
from processes.acts.people import deactivate_person


class Command(BaseCommand):
    help = (
        "Let a person go: they can no longer sign in, the tasks they hold return to their queues, "
        "and their open cases to nobody, each with an entry in its history."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--reason", default="", help="kept in the history of each case")

    def handle(self, *args: Any, **options: Any) -> None:
        person = Person.objects.filter(username=options["username"]).first()
        if person is None:
            raise CommandError(f"There is no person “{options['username']}”.")
        actor = service("letgo")
        reason = options["reason"] or f"{person} has left."
        tasks = deactivate_person(person=person, actor=actor, reason=reason)
        owned = list(Case.objects.filter(owner=person, closed_at=None).values_list("pk", flat=True))
        for case_id in owned:
            assign_case(case_id=case_id, owner=None, actor=actor, reason=reason)
        self.stdout.write(f"{person} has left: {tasks} tasks and {len(owned)} cases are free.")
