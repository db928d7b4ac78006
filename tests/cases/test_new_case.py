"""New case: what may be the same is shown before anything is saved, and typed text is kept."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django import forms
from django.contrib.auth.models import Group
from django.utils.translation import override

from audit.models import Event
from cases import drafts
from cases.forms import read_as_written
from cases.models import Case, Draft, Person, Team
from processes.engine.verify import verify
from processes.kinds import kinds

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "/cases/new/loan/"
TYPED: dict[str, str] = {
    "title": "",
    "applicant_name": "Zoë Example",
    "email": "ZOE@applicant.example",
    "national_id": "111222333",
    "address": "Dorpsstraat 5, Delft",
    "amount": "15000",
    "purpose": "kitchen",
    "income": "3000",
    "term_months": "36",
    "security": "",
    "account": "",
}


def opened_by(office: Any) -> Any:
    return Case.objects.filter(kind="loan").order_by("-pk")


def test_the_same_person_is_shown_before_a_second_case_is_opened(office: Any, visit: Any) -> None:
    # Given a loan of Zoë, and somebody else's
    first = office.open()
    peter = {"applicant_name": "Peter Smit", "email": "peter@x.example", "national_id": "5"}
    office.open(title="Peter Smit", **peter)
    zoe = {"applicant_name": "Zoe Exmaple", "email": "other@x.example", "national_id": "6"}
    office.open(title="Zoe Exmaple", **zoe)
    visitor = visit(office.caseworker)

    # When her caseworker opens one more, nothing is saved and the two are shown with the reasons
    page = visitor.open(ADDRESS).send(ADDRESS, **TYPED)
    assert page.status == 409 and Case.objects.count() == 3
    assert first.reference in page and "The same e-mail address" in page
    assert "The same or nearly the same name" in page
    shown = [one.reference for one in Case.objects.all() if one.reference in page]
    assert "Peter Smit" not in page and len(shown) == 2
    assert 'value="Zoë Example"' in page.html  # what was typed is still there

    # And when opened anyway, the first event names them
    seen = " ".join(Case.objects.exclude(title="Peter Smit").values_list("reference", flat=True))
    done = page.send(ADDRESS, **TYPED, anyway=seen)
    assert done.status == 200
    new = opened_by(office)[0]
    event = Event.objects.get(case_id=new.pk, number=1)
    assert first.reference in event.data["alike"] and "may be the same as" in visitor.open(
        f"{new.get_absolute_url()}history/"
    )
    assert not list(verify())


def test_one_that_was_not_seen_yet_is_shown_again(office: Any, visit: Any) -> None:
    first, second = office.open(), office.open()
    page = visit(office.caseworker).open(ADDRESS)
    again = page.send(ADDRESS, **TYPED, anyway=first.reference)
    assert again.status == 409 and second.reference in again


def test_what_one_may_not_see_is_not_told(office: Any, visit: Any) -> None:
    # Given a loan of another team
    first = office.open()
    eve = Person.objects.create(username="eve", team=Team.objects.create(name="Elsewhere"))
    eve.groups.add(Group.objects.get_or_create(name="caseworker")[0])
    ada = Person.objects.create(username="ada")
    ada.groups.add(Group.objects.get_or_create(name="auditor")[0])

    # Then an outsider opens one for the same person, and learns nothing
    done = visit(eve).open(ADDRESS).send(ADDRESS, **TYPED)
    assert done.status == 200 and first.reference not in done
    new = opened_by(office)[0]
    assert "alike" not in Event.objects.get(case_id=new.pk, number=1).data
    # And whoever may open none is refused
    assert visit(ada).open(ADDRESS).status == 403


def test_an_old_case_of_the_name_alone_is_another_matter(office: Any, visit: Any) -> None:
    old = Case.objects.get(pk=office.open(email="", national_id="1").pk)
    Case.objects.update(opened_at="2020-01-01T00:00:00Z")
    page = visit(office.caseworker).open(ADDRESS).send(ADDRESS, **TYPED)
    assert page.status == 200 and Case.objects.count() == 2
    Case.objects.filter(pk=old.pk).update(opened_at=old.opened_at)


def test_what_is_typed_is_kept_until_the_case_is_open(office: Any, visit: Any) -> None:
    visitor = visit(office.caseworker)
    drafts.save(office.caseworker, ADDRESS, {"applicant_name": "Half a Na", "purpose": "boat"})
    page = visitor.open(ADDRESS)
    assert "What you had typed here is filled in" in page and 'value="Half a Na"' in page.html
    assert "Half a Na" not in visit(office.supervisor).open(ADDRESS)
    page.send(ADDRESS, **TYPED)
    assert Case.objects.count() == 1 and not Draft.objects.exists()


@pytest.mark.parametrize("language", ["en", "nl"])
def test_a_day_in_the_form_of_a_kind_has_the_browsers_calendar(language: str) -> None:
    form_class = forms.modelform_factory(kinds()["permit"].model, fields=("received_on",))
    form = form_class(initial={"received_on": date(2026, 11, 30)})
    with override(language):
        read_as_written(form)
        field = str(form["received_on"])
    assert 'type="date"' in field and 'value="2026-11-30"' in field
