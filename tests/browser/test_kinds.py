"""One rich case of each kind, and what its people read beside it: every width, both schemes."""

from __future__ import annotations

from typing import Any

import pytest

from cases.models import Case, Person, Task
from tests.browser.test_accessible import check
from tests.fixtures.desk import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)

# kind, step: who works on it, and at what else they look
RICH = {
    ("permit", "assessment"): ("ruben", ["/processes/permit/", "/cases/new/permit/"]),
    ("permit", "appeal_term"): ("ruben", ["/work/"]),
    ("claim", "part_paid"): ("mila", ["/cases/new/claim/"]),
    ("claim", "returned"): ("mila", []),
    ("travel_permit", "claiming"): ("mila", []),
    ("onboarding", "owners"): ("hanna", ["/processes/onboarding/"]),
    ("onboarding", "active"): ("hanna", []),
    ("enforcement", "notified"): ("ilse", ["/processes/enforcement/"]),
}


def test_the_cases_of_each_kind(demo: None, window: Any) -> None:
    found: list[str] = []
    windows: dict[str, Any] = {}

    def read(login: str, *addresses: str) -> None:
        if login not in windows:
            person = Person.objects.get(username=login)
            person.set_password(PASSWORD)
            person.save()
            windows[login] = window(person)
        for address in addresses:
            found.extend(check(windows[login], address))

    for (kind, step), (login, others) in RICH.items():
        case = Case.objects.filter(kind=kind, step=step).order_by("pk").last()
        assert case is not None, f"the demo has no {kind} at {step}"
        read(login, case.get_absolute_url(), *others)
    for role, login in {"compliance officer": "marten", "expert": "eva"}.items():
        task = Task.objects.filter(role=role, state="open").exclude(unlike__contains="person:")
        read(login, task.order_by("pk")[0].get_absolute_url())
    read("adrie", "/claim/payment-runs/")
    read("sofie", "/claim/payment-runs/", "/claim/payment-runs/1/")
    assert found == []
