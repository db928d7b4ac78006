"""The pages of supervisors and administrators in a browser: axe, narrow, dark, without script."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group

from cases import absence
from cases.actors import Actor
from cases.models import Person
from processes.acts.absences import enter_absence
from processes.acts.cases import assign_case
from processes.work import weekfigures
from tests.browser.test_accessible import check
from tests.fixtures.desk import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_pages_of_a_supervisor(desk: Any, window: Any, joris: Person) -> None:
    people = desk.people
    team = f"/team/{people.petra.team_id}/"
    one = window(people.petra)
    found = check(one, team)  # empty

    # Rich: a load above its capacity, an absence, weeks of figures, a case that nobody has
    Person.objects.filter(pk=people.sanne.pk).update(capacity=2)
    for script in ("review", "staff", "patience", "term"):
        desk.open(script, title="Hartog Bakery and Sons, Confectioners B.V.")
    weekfigures.write_today()
    desk.engine.advance(days=15)
    free = desk.open("staff", title="Nobody's")
    assign_case(case_id=free.pk, owner=None, actor=Actor.of(people.petra), reason="new")
    enter_absence(
        person=people.sanne,
        from_date=absence.today(),
        until_date=absence.today() + timedelta(days=5),
        substitute=joris,
        actor=Actor.of(people.petra),
    )
    addresses = [team, f"{team}cases/?show=late", f"{team}cases/?show=stopped", f"{team}assign/"]
    addresses += [f"{team}people/{people.sanne.pk}/", f"{team}people/{people.sanne.pk}/move/"]
    addresses += [f"/people/{people.sanne.pk}/absences/"]
    found += [wrong for address in addresses for wrong in check(one, address)]

    # And the whole way of assigning, by its buttons
    one.page.set_viewport_size({"width": 1280, "height": 800})
    one.go(f"{team}assign/")
    one.page.click("text=Look at what would happen")
    one.page.wait_for_selector("text=Nothing has changed yet")
    assert one.focused() != "BODY"
    found += check(one, one.page.url.removeprefix(one.address))
    one.page.click("text=Assign this one")
    one.page.wait_for_selector("text=1 row is done")
    found += check(one, one.page.url.removeprefix(one.address))
    plain = window(people.petra, java_script_enabled=False)
    plain.go(team)
    assert plain.page.locator("svg.chart").count() > 3
    assert found == []


def test_the_pages_of_an_administrator(desk: Any, window: Any) -> None:
    anna = Person.objects.create_user("anna", password=PASSWORD, last_name="Mol")
    anna.groups.add(Group.objects.get_or_create(name="administrator")[0])
    one = window(anna)
    here = f"/administration/people/{desk.people.sanne.pk}/"
    addresses = ["", "people/", "people/?find=nobody", "teams/", "roles/", "changes/"]
    addresses += [f"people/{desk.people.sanne.pk}/leave/"]
    found = [wrong for path in addresses for wrong in check(one, f"/administration/{path}")]
    one.go(f"{here}link/")
    one.page.click("text=Make the link")
    one.page.wait_for_selector("text=It is not shown again")
    found += check(one, here)
    assert found == []
