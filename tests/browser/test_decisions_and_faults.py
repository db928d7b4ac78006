"""Decisions taken back, papers replaced, work that fails: in every width and both schemes."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.base import ContentFile

from cases.actors import Actor
from cases.models import Task
from processes.acts.decisions import take_back_decision
from processes.acts.documents import receive_document
from processes.models import Incident
from tests.browser.test_accessible import check
from tests.fixtures.desk import PASSWORD
from tests.fixtures.loan import APPLICANT
from tests.trial import activities

pytestmark = pytest.mark.django_db(transaction=True)

LONG = "Loonstrook_november_2026_van_de_salarisadministratie_" + "x" * 130 + ".pdf"


def test_decisions_and_papers(engine: Any, office: Any, world: Any, window: Any) -> None:
    for person in (office.underwriter, office.caseworker):
        person.set_password(PASSWORD)
        person.save()
    underwriter, caseworker = window(office.underwriter), window(office.caseworker)

    # A decision, and the page that takes it back
    case = office.to_underwriting(engine)
    approved = office.do(case, "approve")
    here = case.get_absolute_url()
    wrong = check(underwriter, f"{approved.get_absolute_url()}take-back/")

    # A decision on a paper that was replaced, by a file with a very long name
    take_back_decision(
        task_id=approved.pk, reason="The wrong file.", actor=Actor.of(office.underwriter)
    )
    office.do(case, "approve")
    newer = ContentFile(b"new", name=LONG)
    receive_document(case_id=case.pk, name="payslip", file=newer, actor=APPLICANT)
    task = Task.objects.get(case_id=case.pk, state="open")
    wrong += check(underwriter, task.get_absolute_url())
    wrong += check(underwriter, f"{here}reviews/")
    wrong += check(caseworker, f"{here}documents/")

    # A case that ended on the way
    office.withdraw(case)
    engine.settle()
    wrong += check(caseworker, here)
    assert wrong == []


def test_work_that_fails(desk: Any, window: Any) -> None:
    activities.trouble[:] = [ConnectionError("no answer within 30 s")]
    retried = desk.open("unhandled", title="Hartog Bakery")
    wrong = check(window(desk.people.sanne), retried.get_absolute_url())
    activities.trouble[:] = [activities.Refused("the register has closed")]
    desk.open("answered_side", title="Registry Farm")
    activities.trouble.clear()
    incident = Incident.objects.get(closed_at=None)
    operator = window(desk.people.otto)
    wrong += check(operator, f"/operations/incidents/{incident.pk}/")
    wrong += check(operator, f"/operations/incidents/{incident.pk}/give-up/")
    assert wrong == []
