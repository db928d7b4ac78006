"""The pages of the processes: what they show, and to whom."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from processes.engine.sources import keep, keep_table
from processes.handbook.reading import read
from processes.kinds import kind_of, kinds
from processes.loan import rules


@pytest.fixture
def as_(client: Client) -> Any:
    def sign_in(person: Any) -> Client:
        client.force_login(person)
        return client

    return sign_in


def page(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(f"/processes/{path}")
    assert answer.status_code == status
    return answer.content.decode()


def test_nobody_enters_without_signing_in(client: Client, db: None) -> None:
    assert client.get("/processes/loan/").status_code == 302


def test_counts_are_of_the_cases_that_one_may_see(desk: Any, as_: Any) -> None:
    desk.open("patience")
    desk.open("patience")
    step = desk.open("patience").step
    link = f'?kind=trial&amp;step={step}">3 open cases'
    assert link in page(as_(desk.people.sanne), "trial/")
    assert link not in page(as_(desk.people.eve), "trial/")
    assert "0 open cases that you may see" in page(as_(desk.people.eve), "trial/")


def test_a_case_is_shown_where_it_stands_to_those_who_may_see_it(desk: Any, as_: Any) -> None:
    case = desk.open("patience")
    shown = page(as_(desk.people.sanne), f"trial/?case={case.reference}")
    assert 'class="step now"' in shown and 'aria-current="step"' in shown
    assert page(as_(desk.people.sanne), "trial/").count('class="step now"') == 0
    assert as_(desk.people.eve).get(f"/processes/trial/?case={case.reference}").status_code == 404


def test_a_step_shows_its_code_in_each_version(desk: Any, as_: Any) -> None:
    client = as_(desk.people.ada)
    newest = page(client, "loan/steps/underwriting/")
    assert "await decide(rules.WHO_JUDGES" in newest
    assert "When it comes: approved files go on" in newest
    assert "If not: the supervisors are told." in newest
    older = page(client, "loan/steps/underwriting/1/")
    assert "underwriting_by_code" in older and "An older version" in older
    page(client, "loan/steps/underwriting/9/", 404)
    page(client, "loan/steps/nowhere/", 404)
    page(client, "lone/", 404)


def test_the_text_that_decided_is_shown_by_its_digest(desk: Any, as_: Any) -> None:
    code = kind_of("loan").code_of("offer")
    assert code is not None
    keep(code)
    keep_table(rules.WHO_JUDGES.newest, owner="loan")
    client = as_(desk.people.ada)
    assert "The customer has 30 calendar days." in page(client, f"loan/code/{code.digest}/")
    assert "who_judges" in page(client, f"loan/code/{rules.WHO_JUDGES.newest.digest}/")
    page(client, f"trial/code/{code.digest}/", 404)
    page(client, "loan/code/0000/", 404)


def test_a_table_shows_its_rules_and_who_asks_it(desk: Any, as_: Any) -> None:
    shown = page(as_(desk.people.sanne), "loan/tables/who_judges/")
    assert "amount over 50,000" in shown
    assert "senior underwriter" in shown
    assert "/processes/loan/steps/decision/" in shown
    page(as_(desk.people.sanne), "loan/tables/who_judges/1/")
    page(as_(desk.people.sanne), "loan/tables/who_judges/2/", 404)
    page(as_(desk.people.sanne), "loan/tables/nothing/", 404)


def test_every_link_from_every_kind_leads_to_a_page(desk: Any, as_: Any) -> None:
    client = as_(desk.people.ada)
    for kind in kinds():
        page = client.get(f"/processes/{kind}/").content.decode()
        links = set(re.findall(rf'href="(/processes/{kind}/[^"#?]*)"', page))
        assert links, kind
        assert [one for one in sorted(links) if client.get(one).status_code != 200] == []
    assert client.get("/processes/claim/tables/who_approves/").status_code == 200


def test_what_helpers_in_other_modules_of_the_kind_ask_is_read() -> None:
    assessment = read(kinds()["permit"].codes["assessment"][1])
    assert "Draft and send the request for advice" in [one.title for one in assessment.found]


@pytest.mark.parametrize(
    ("form", "mime", "begins"),
    [
        ("svg", "image/svg+xml", b"<svg"),
        ("png", "image/png", b"\x89PNG"),
        ("bpmn", "application/xml", b"<?xml"),
    ],
)
def test_a_drawing_is_saved_as_a_file(
    desk: Any, as_: Any, form: str, mime: str, begins: bytes
) -> None:
    answer = as_(desk.people.sanne).get(f"/processes/loan/drawing.{form}")
    assert answer["Content-Type"] == mime
    assert answer["Content-Disposition"] == f'attachment; filename="loan.{form}"'
    assert answer.content.startswith(begins)
    assert as_(desk.people.sanne).get("/processes/loan/drawing.pdf").status_code == 404


def test_pages_take_the_same_queries_however_many_cases(
    desk: Any, as_: Any, django_assert_max_num_queries: Any
) -> None:
    client = as_(desk.people.sanne)
    for _ in range(4):
        desk.open("patience")
    page(client, "trial/")
    with django_assert_max_num_queries(12):
        page(client, "trial/")
