"""Coming in, staying, and the settings of one's own."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from cases.models import Person
from tests.fixtures.desk import PASSWORD

pytestmark = pytest.mark.django_db


def test_a_person_signs_in_and_comes_where_they_wanted(people: Any) -> None:
    client = Client()
    asked = client.get("/cases/?state=closed")
    assert asked["Location"] == "/login/?next=/cases/%3Fstate%3Dclosed"
    answer = client.post(
        "/login/", {"username": "sanne", "password": PASSWORD, "next": "/cases/?state=closed"}
    )
    assert answer["Location"] == "/cases/?state=closed"


def test_a_wrong_password_is_told_without_saying_which_was_wrong(people: Any) -> None:
    answer = Client().post("/login/", {"username": "sanne", "password": "wrong"})
    assert b"do not belong together" in answer.content
    assert answer["Cache-Control"].startswith(("no-store", "max-age=0"))
    assert b"<title>Error:" in answer.content


def test_an_address_elsewhere_is_not_followed(people: Any) -> None:
    fields = {"username": "sanne", "password": PASSWORD, "next": "https://elsewhere.example/"}
    assert Client().post("/login/", fields)["Location"] == "/"


def test_staying_signed_in_starts_the_session_anew(people: Any, visit: Any) -> None:
    client = visit(people.sanne).client
    assert client.post("/login/stay/").status_code == 204
    assert Client().post("/login/stay/").status_code == 401
    assert client.get("/login/stay/").status_code == 405


def test_colours_and_keys_are_each_persons_own(people: Any, visit: Any) -> None:
    visitor = visit(people.sanne)
    page = visitor.open("/settings/").send("/settings/", scheme="dark", keys_off="on")
    assert 'data-scheme="dark"' in page.html
    assert 'data-keys="off"' in page.html
    sanne = Person.objects.get(pk=people.sanne.pk)
    assert (sanne.scheme, sanne.keys_off) == ("dark", True)


def test_the_clock_is_turned_only_in_a_demo(people: Any, visit: Any, settings: Any) -> None:
    visitor = visit(people.sanne)
    assert "Turn the clock" not in visitor.open("/work/")
    assert visitor.open("/clock/").status == 404
    settings.LONGCASE_DEMO = True
    assert "Turn the clock" in visitor.open("/work/")
    assert visitor.open("/clock/").status == 200


def test_unknown_addresses_get_a_page_with_a_way_on(people: Any, visit: Any) -> None:
    page = visit(people.sanne).open("/nowhere/")
    assert page.status == 404
    assert "Not found" in page and 'name="find"' in page.html
    assert page.response["Cache-Control"] == "no-store"
