"""manage.py erase: what may be erased, and why the rest may not. It writes nothing."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from cases.errors import Invalid
from cases.models import Case
from processes import retention
from processes.erasing import erase, people


class Command(BaseCommand):
    help = (
        "Show which cases have come to their date, or whether the cases of a person may be erased. "
        "Erasing takes two people: on the page “Kept and erased”."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("references", nargs="*", help="references of cases")
        parser.add_argument("--person", default="", help="a case, a mail address or a number")
        parser.add_argument(
            "--dry-run", action="store_true", help="it is always one; this says that you know"
        )

    def handle(self, *, references: list[str], person: str, dry_run: bool, **options: Any) -> None:
        if person:
            cases = [one.case for one in self._of(person) if one.is_sure]
        elif references:
            cases = self._named(references)
        else:
            cases = [one.case for one in retention.due_cases()]
        states = erase.states_of(cases)
        may = 0
        for case in cases:
            kept, _hold, why_not = states[case.pk]
            may += why_not is None and case.erased_at is None
            if case.erased_at is not None:
                said = f"erased on {case.erased_at:%Y-%m-%d}"
            else:
                said = str(why_not) if why_not is not None else f"may be erased. {kept.sentence}"
            self.stdout.write(f"{case.reference}  {said}")
        self.stdout.write(f"{may} of {len(cases)} cases may be erased now.")

    def _of(self, person: str) -> list[people.Of]:
        case = Case.objects.filter(reference=person).first()
        if case is not None:
            return people.cases_of(retention.as_their_kinds([case])[0])
        try:
            return people.cases_identified_by(person)
        except Invalid as error:
            raise CommandError(str(error)) from error

    def _named(self, references: list[str]) -> list[Case]:
        found = {one.reference: one for one in Case.objects.filter(reference__in=references)}
        if missing := [one for one in references if one not in found]:
            raise CommandError(f"There is no case {', '.join(missing)}.")
        return retention.as_their_kinds([found[one] for one in references])
