"""The signed address at which the appraiser answers, over HTTP."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from processes.acts.cases import get_case


@pytest.fixture
def outside() -> Client:
    """A caller without login or cookies, whom the CSRF check would stop."""
    return Client(enforce_csrf_checks=True)


@pytest.fixture
def address(engine: Any, office: Any, world: Any) -> Any:
    """The path of an open question, and its case."""
    world.behave("appraiser", "silent")
    case = office.to_appraisal(engine)
    (order,) = world.orders.values()
    return order.answer_to.partition("8000")[2], case


def test_it_says_what_is_asked_and_nothing_of_the_customer(outside: Client, address: Any) -> None:
    path, _case = address
    found = outside.get(path)
    assert found.status_code == 200
    assert found.json()["state"] == "open"
    assert "until" in found.json()
    page = outside.get(path, headers={"Accept": "text/html,*/*"}).content.decode()
    assert "Appraisal" in page
    assert "Zoë" not in page + found.content.decode()


def test_an_answer_in_json_reaches_the_case_once(outside: Client, address: Any) -> None:
    path, case = address
    body = '{"value": 31250.10, "remarks": "A fine house."}'
    first = outside.post(path, body, content_type="application/json")
    assert (first.status_code, first.json()["state"]) == (200, "used")
    assert get_case(case.pk).appraised_value == Decimal("31250.10")

    again = outside.post(path, body.replace("3", "9"), content_type="application/json")
    assert (again.status_code, again.json()["state"]) == (200, "late")
    assert get_case(case.pk).appraised_value == Decimal("31250.10")
    assert outside.get(path).json()["state"] == "answered"


def test_an_answer_from_a_form_is_as_good(outside: Client, address: Any) -> None:
    path, case = address
    found = outside.post(path, {"value": "30000.00"}, headers={"Accept": "text/html"})
    assert found.status_code == 200
    assert "Thank you" in found.content.decode()
    assert get_case(case.pk).step == "decision"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[1]",
        '{"value": "lots"}',
        '{"value": NaN}',
        '{"value": "1", "x": 2}',
        '{"value": "1", "remarks": "\\u0000"}',
        "[" * 5000,
        b"\xff\xfe",
    ],
)
def test_what_is_no_answer_is_refused_and_changes_nothing(
    outside: Client, address: Any, body: Any
) -> None:
    path, case = address
    found = outside.post(path, body, content_type="application/json")
    assert found.status_code == 422
    assert found.json()["detail"]
    after = get_case(case.pk)
    assert (after.step, after.stopped_at) == ("appraisal", None)


def test_a_flood_is_refused(outside: Client, address: Any) -> None:
    path, case = address
    body = json.dumps({"value": "1", "remarks": "x" * 200_000})
    assert outside.post(path, body, content_type="application/json").status_code == 422
    assert get_case(case.pk).step == "appraisal"


def test_an_altered_address_is_unknown(outside: Client, address: Any) -> None:
    path, _case = address
    for other in (path[:-1] + ("x" if path[-1] != "x" else "y"), "/answer/1.2.3", "/answer/%00"):
        assert outside.get(other).status_code == 404
        assert outside.post(other, "{}", content_type="application/json").status_code == 404


def test_after_its_time_the_address_is_closed(outside: Client, address: Any, engine: Any) -> None:
    path, case = address
    engine.turned.advance(days=22)  # and the timer service has not come to it yet
    assert outside.get(path).status_code == 410
    found = outside.post(path, '{"value": "1"}', content_type="application/json")
    assert found.status_code == 410
    assert get_case(case.pk).step == "appraisal"


def test_other_methods_are_refused(outside: Client, address: Any) -> None:
    assert outside.delete(address[0]).status_code == 405
