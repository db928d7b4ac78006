"""Amounts: what can be read in one way is taken, on pages and by services alike."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from cases import amounts
from cases.actors import Actor
from cases.errors import Invalid
from cases.forms import AmountField
from processes.acts.cases import change_facts, open_case
from tests.cases.conftest import Visitor

TAKEN = {
    "10": "10",
    " 10 ": "10",
    "10.5": "10.5",
    "10,50": "10.50",
    "0.05": "0.05",
    "1,000.00": "1000.00",
    "1.000,00": "1000.00",
    "1 000,00": "1000.00",
    "1\u202f000": "1000",
    "1'250.50": "1250.50",
    "1,000,000": "1000000",
    "1.000.000,5": "1000000.5",
    "-5.00": "-5.00",
    "-0.00": "0.00",
    "1000.00": "1000.00",
}
REFUSED = {
    "1.000": "thousands or as decimals",
    "1,000": "thousands or as decimals",
    "10.005": "thousands or as decimals",
    "0.005": "more than 2 decimals",
    "1234.567": "more than 2 decimals",
    "1e3": "not an amount",
    "1E3": "not an amount",
    "NaN": "not an amount",
    "Infinity": "not an amount",
    "-inf": "not an amount",
    "1_000": "not an amount",
    "٣": "not an amount",
    "€ 10": "not an amount",
    "10 euro": "not an amount",
    "1,00,000.00": "not an amount",
    "1.000,000.00": "not an amount",
    "1,000.000,00": "not an amount",
    "10.": "not an amount",
    ".5": "not an amount",
    "--5": "not an amount",
    "1" * 100: "not an amount",
}


@pytest.mark.parametrize(("written", "meant"), TAKEN.items())
def test_what_can_be_read_in_one_way_is_taken(written: str, meant: str) -> None:
    assert str(amounts.read(written)) == meant
    assert str(AmountField(max_digits=12, decimal_places=2).clean(written)) == meant


@pytest.mark.parametrize(("written", "why"), REFUSED.items())
def test_the_rest_is_refused_with_what_would_work(written: str, why: str) -> None:
    with pytest.raises(amounts.Unreadable, match=why):
        amounts.read(written)


@pytest.mark.parametrize(
    "given", [True, None, 0.1 + 0.2, float("nan"), float("inf"), 1e300, [], {}, b"10"]
)
def test_of_a_program_too(given: Any) -> None:
    with pytest.raises(amounts.Unreadable):
        amounts.read(given)


def test_exact_numbers_of_a_program_are_taken() -> None:
    assert [amounts.read(one) for one in (10, 10.5, 1000.0, Decimal("3.20"))] == [
        Decimal("10"),
        Decimal("10.5"),
        Decimal("1000"),
        Decimal("3.20"),
    ]


@pytest.mark.django_db(transaction=True)
class TestEverywhere:
    @pytest.mark.parametrize("written", ["1e3", "NaN", "1.000", "9" * 20])
    def test_services_and_pages_agree(self, desk: Any, written: str) -> None:
        actor = Actor.of(desk.people.sanne)
        case = desk.open("patience")
        facts = {"script": "patience", "amount": written}
        with pytest.raises(Invalid) as refused:
            open_case(kind="trial", facts=facts, title="x", actor=actor)
        assert "amount" in refused.value.fields
        with pytest.raises(Invalid) as refused:
            change_facts(case_id=case.pk, changes={"amount": written}, reason="x", actor=actor)
        assert "amount" in refused.value.fields
        address = f"{case.get_absolute_url()}facts/"
        page = Visitor(desk.people.sanne).open(address)
        sent = page.send(address, script="patience", amount=written, reason="x")
        assert sent.status == 422 and desk.fresh(case).amount == 0

    def test_a_dutch_hand_and_an_english_one_write_the_same(self, desk: Any) -> None:
        case = desk.open("patience")
        address = f"{case.get_absolute_url()}facts/"
        for written in ("1.250,50", "1,250.51"):
            page = Visitor(desk.people.sanne).open(address)
            done = page.send(address, script="patience", amount=written, reason="x")
            assert "The facts are changed." in done
        assert desk.fresh(case).amount == Decimal("1250.51")
