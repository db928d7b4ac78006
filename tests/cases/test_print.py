"""A case on paper: as it stands, its events, its documents, and whether its chain holds."""

from __future__ import annotations

from typing import Any

import pytest

from cases.actors import Actor
from processes.acts.notes import add_note

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_holds_all_of_the_case_and_says_who_printed_it_and_why(desk: Any, visit: Any) -> None:
    case = desk.open("patience", "Hartog <Bakery>")
    document = desk.send_document(case, "passport")
    add_note(case_id=case.pk, text="Called them.", actor=Actor.of(desk.people.sanne))
    page = visit(desk.people.ada).open(f"{case.get_absolute_url()}print?why=For+the+court")
    head = desk.fresh(case).head_number
    assert "Printed" in page and "by Ada Brandt" in page and "Reason: For the court" in page
    assert f"Chain of events checked: {head} of {head} fit together." in page
    assert document.digest in page and "For the applicant since" in page
    assert "Hartog &lt;Bakery&gt;" in page.html
    events = page.html.split('<ol class="events"')[1]
    assert events.count("<li>") == head
    assert events.index("Case opened") < events.index("Called them.")
    assert "style=" not in page.html and "<script>" not in page.html


def test_outsiders_get_none_and_nothing_changes_by_printing(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    assert visit(desk.people.eve).open(f"{case.get_absolute_url()}print").status == 404
    assert visit(None).open(f"{case.get_absolute_url()}print").status == 302
    visit(desk.people.sanne).open(f"{case.get_absolute_url()}print?from=999999")
    assert desk.fresh(case).head_number == case.head_number
