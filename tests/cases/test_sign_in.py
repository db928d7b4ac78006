"""Coming in, staying, and the settings of one's own."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from cases import signins
from cases.models import Person
from tests.fixtures.desk import PASSWORD
from timers import clock

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


def test_guessing_passwords_is_braked_by_name_for_a_while(
    people: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tries(name: str, password: str) -> Any:
        return Client().post("/login/", {"username": name, "password": password})

    # Given nine wrong passwords and the right one: that forgives what was before
    for n in range(9):
        assert tries("sanne", f"wrong {n}").status_code == 200
    assert tries("sanne", PASSWORD).status_code == 302
    # When ten are wrong, of a known name as of an unknown one, also the right one is refused
    answers = {}
    for name in ("sanne", "nobody-of-ours"):
        for n in range(10):
            assert b"do not belong together" in tries(name.upper() if n % 2 else name, "x").content
        answers[name] = tries(name, PASSWORD)
        assert answers[name].status_code == 429
        assert b"Try again in 15 minutes" in answers[name].content
    # Then others still sign in, and after a quarter of an hour so does she
    assert tries("petra", PASSWORD).status_code == 302
    later = clock.now() + timedelta(minutes=15)
    monkeypatch.setattr(signins.clock, "now", lambda: later)
    assert signins.begin(name="sanne", address="") is not None


def test_guessing_passwords_of_many_names_is_braked_by_address(people: Any) -> None:
    for n in range(50):
        assert signins.begin(name=f"name {n}", address="2001:db8::1") is not None
    assert signins.begin(name="another", address="2001:db8::2") is None  # of the same network
    assert signins.begin(name="another", address="192.0.2.7") is not None


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
