"""People, teams and roles: administrators change them, and every change is kept and read."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import DatabaseError, transaction
from django.test import Client as Browser

from cases import absence, access, rights
from cases.actors import Actor
from cases.models import AccountChange, Person, Team
from processes.acts import absences
from processes.acts.clients import issue_token
from tests.fixtures.desk import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)
NEW = "a long enough pass phrase"


@pytest.fixture
def anna(people: Any) -> Person:
    """An administrator, in no team."""
    one = Person.objects.create_user("anna", password=PASSWORD, first_name="Anna", last_name="Mol")
    one.groups.add(Group.objects.get_or_create(name="administrator")[0])
    return one


def test_a_person_is_made_signs_in_by_a_link_and_is_let_go(
    people: Any, anna: Person, visit: Any, engine: Any
) -> None:
    # Given an account that Anna makes
    admin = visit(anna)
    page = admin.open("/administration/people/")
    made = page.send(
        "/administration/people/",
        username="noor",
        first_name="Noor",
        last_name="Dekker",
        team=people.sanne.team_id,
        capacity=20,
        roles=["caseworker"],
    )
    noor = Person.objects.get(username="noor")
    assert made.status == 200 and noor.roles == {"caseworker"} and noor.capacity == 20
    assert not Browser().login(username="noor", password="")

    # When she gets a link, chooses a password, and signs in
    here = f"/administration/people/{noor.pk}/"
    shown = admin.open(f"{here}link/").send(f"{here}link/")
    link = re.search(r"<code>http://testserver(/login/new/[^<]+)</code>", shown.html)
    assert link is not None and link[1] not in admin.open(here).html
    window = Browser()
    form = window.get(link[1], follow=True)
    kept = window.post(
        form.redirect_chain[-1][0], {"new_password1": NEW, "new_password2": NEW}, follow=True
    )
    assert kept.status_code == 200 and window.login(username="noor", password=NEW)
    assert "used before" in Browser().get(link[1], follow=True).content.decode()
    assert window.get("/work/").status_code == 200

    # Then a new link ends the old password and the window that is signed in
    admin.open(f"{here}link/").send(f"{here}link/")
    assert window.get("/work/").status_code == 302
    assert not Browser().login(username="noor", password=NEW)

    # And once let go, she is let in nowhere: no window, no token, no sign-in
    noor = Person.objects.get(pk=noor.pk)
    noor.set_password(NEW)
    noor.save()
    one, two = Browser(), Browser()
    assert one.login(username="noor", password=NEW) and two.login(username="noor", password=NEW)
    _token, text = issue_token(person=noor, scopes=["read:trial"], actor=Actor.of(noor))
    bearer = {"authorization": f"Bearer {text}"}
    assert Browser().get("/api/v1/cases", headers=bearer).status_code == 200
    gone = admin.open(f"{here}leave/").send(f"{here}leave/", reason="left the bank")
    assert "can no longer sign in" in gone
    assert one.get("/work/").status_code == 302 and two.get("/work/").status_code == 302
    assert Browser().get("/api/v1/cases", headers=bearer).status_code == 401
    assert not Browser().login(username="noor", password=NEW)
    told = list(AccountChange.objects.filter(person=noor).order_by("pk"))
    assert [one.what for one in told] == [
        "person.made",
        "person.changed",
        "sign_in.reset",
        "sign_in.set",
        "sign_in.reset",
        "person.left",
    ]
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        told[0].delete()


def test_nobody_gives_themselves_a_role_and_each_giving_is_read_by_others(
    people: Any, anna: Person, visit: Any
) -> None:
    # Given Anna, who would like to see cases
    admin, here = visit(anna), f"/administration/people/{anna.pk}/"
    sent = {"first_name": "Anna", "last_name": "Mol", "why": "to look"}
    refused = admin.open(here).send(here, **sent, roles=["administrator", "auditor"])
    assert refused.status == 403 and "Nobody changes their own roles" in refused
    assert Person.objects.get(pk=anna.pk).roles == {"administrator"}
    assert admin.open(here).send(here, **sent, team=1, roles=["administrator"]).status != 200

    # When she makes Eve a supervisor of Petra's team
    eve = f"/administration/people/{people.eve.pk}/"
    done = admin.open(eve).send(
        eve,
        first_name="Eve",
        last_name="Outside",
        team=people.eve.team_id,
        roles=["caseworker", "supervisor"],
        leads=[people.petra.team_id],
        why="stands in as supervisor",
    )
    assert done.status == 200
    # Then the auditor reads it, and so does who leads her team
    for reader in (people.ada, anna):
        page = visit(reader).open("/administration/changes/")
        assert "roles caseworker → caseworker, supervisor" in page and "Anna Mol" in page
    assert access.may(Person.objects.get(pk=people.eve.pk), "see team", people.petra.team)
    # Petra leads another team, and reads nothing of it
    assert "stands in as supervisor" not in visit(people.petra).open("/administration/changes/")


def test_the_pages_are_for_administrators_alone(people: Any, anna: Person, visit: Any) -> None:
    pages = ["", "people/", f"people/{people.sanne.pk}/", f"people/{people.sanne.pk}/link/"]
    pages += ["teams/", f"teams/{people.sanne.team_id}/", "roles/"]
    for person in (people.sanne, people.petra, people.ada, people.otto, people.eve):
        for page in pages:
            answer = visit(person).open(f"/administration/{page}")
            assert answer.status == 403, (person, page)
            posted = visit(person).client.post(f"/administration/{page}", {"name": "x"})
            assert posted.status_code in (403, 405)
    assert visit(people.sanne).open("/administration/changes/").status == 403
    for page in pages:
        assert visit(anna).open(f"/administration/{page}").status == 200, page
    assert not AccountChange.objects.exists()


def test_teams_are_made_and_renamed_once(people: Any, anna: Person, visit: Any) -> None:
    admin, here = visit(anna), "/administration/teams/"
    assert "Permits West" in admin.open(here).send(here, name="Permits  West")
    assert admin.open(here).send(here, name="permits west").status == 422
    west = Team.objects.get(name="Permits West")
    page = f"{here}{west.pk}/"
    assert "Permits East" in admin.open(page).send(page, name="Permits East")
    assert [one.what for one in west.changes.order_by("pk")] == ["team.made", "team.renamed"]


def test_the_last_administrator_stays_one(people: Any, anna: Person, visit: Any) -> None:
    other = Person.objects.create_user("second", last_name="Second")
    other.groups.add(Group.objects.get(name="administrator"))
    sent = {"last_name": "x", "why": "no longer"}
    first = f"/administration/people/{other.pk}/"
    assert visit(anna).open(first).send(first, **sent, roles=[]).status == 200
    other.groups.add(Group.objects.get(name="administrator"))
    anna.is_active = False
    anna.save()
    from cases.errors import Invalid
    from processes.acts.accounts import change_person

    with pytest.raises(Invalid, match="last administrator"):
        change_person(
            person=other, first_name="", last_name="x", roles=[], actor=Actor("service:x")
        )


def test_what_each_role_may_do_is_told_in_words_for_every_rule() -> None:
    for act, who in rights.acts_in_words():
        assert not re.search(r"[_:|&~]|lambda", who), (act, who)
    assert "Work on case" in rights.acts_of("caseworker")
    assert "Correct clock" not in rights.acts_of("caseworker")
    assert "Correct clock" in rights.acts_of("supervisor")
    assert "Repair case" in rights.acts_of("operator")
    assert not {"Work on case", "Note case"} & set(rights.acts_of("auditor"))


def test_my_work_shows_the_work_of_whoever_i_stand_in_for_apart(
    desk: Any, people: Any, joris: Person, visit: Any
) -> None:
    desk.open("staff", title="Hartog Bakery")
    waits = desk.open("patience", title="Waits for others")
    before = visit(joris).open("/work/")
    assert "For Sanne de Wit" not in before
    absences.enter_absence(
        person=people.sanne,
        from_date=absence.today(),
        until_date=absence.today(),
        substitute=joris,
        actor=Actor.of(people.sanne),
    )
    page = visit(joris).open("/work/")
    part = page.html[page.html.index("For Sanne de Wit") :]
    assert waits.title not in part
    assert "For Sanne" not in visit(people.eve).open("/work/")
