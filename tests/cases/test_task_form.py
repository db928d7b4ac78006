"""The form of a task and of facts: who else has it open, and what changed meanwhile."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from cases import presence
from cases.actors import Actor
from cases.models import Presence
from processes.acts.cases import change_facts

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_says_who_else_has_it_open_and_locks_nothing(desk: Any, visit: Any) -> None:
    # Given a review on two screens
    case = desk.open("review")
    address = desk.task_of(case).get_absolute_url()
    visit(desk.people.milan).open(address)
    page = visit(desk.people.ayse).open(address)
    assert "Milan Kovač has this open since" in page
    assert "Take this task" in page

    # When the first one keeps it open, it stays said; readers who cannot do it are not named
    assert "has this open" not in visit(desk.people.milan).open(address).html.split("Ayşe")[0]
    visit(desk.people.sanne).open(address)
    assert not Presence.objects.filter(person=desk.people.sanne).exists()
    desk.engine.advance(minutes=1)
    pulse = f"{case.get_absolute_url()}pulse?seen=999&at={address}"
    assert visit(desk.people.milan).open(pulse).status == 204
    desk.engine.advance(minutes=1, seconds=30)
    assert "Milan Kovač has this open" in visit(desk.people.ayse).open(address)

    # And once it is closed it runs out by itself
    desk.engine.advance(minutes=3)
    assert "has this open" not in visit(desk.people.ayse).open(address)
    desk.engine.advance(days=2)
    assert presence.forget_old() == 2


def test_facts_that_another_changed_meanwhile_are_not_overwritten_unseen(
    desk: Any, visit: Any
) -> None:
    case = desk.open("review", amount=100)
    address = f"{case.get_absolute_url()}facts/"
    page = visit(desk.people.sanne).open(address)
    change_facts(
        case_id=case.pk,
        changes={"amount": 555},
        reason="A call.",
        actor=Actor.of(desk.people.petra),
    )
    fields = {"script": "review", "result": "", "reason": "As the letter says."}
    late = page.send(address, amount="700", **fields)
    assert late.status == 409
    assert "Amount: changed by another person" in late
    assert "Amount changed" in late and "Petra Smit" in late
    assert 'value="700"' in late.html
    assert desk.fresh(case).amount == Decimal(555)
    late.send(address, amount="700", **fields)
    assert desk.fresh(case).amount == Decimal(700)


def test_facts_that_somebody_did_not_touch_keep_what_another_made_of_them(
    desk: Any, visit: Any
) -> None:
    case = desk.open("review", amount=100)
    address = f"{case.get_absolute_url()}facts/"
    page = visit(desk.people.sanne).open(address)
    change_facts(
        case_id=case.pk,
        changes={"amount": 555},
        reason="A call.",
        actor=Actor.of(desk.people.petra),
    )
    sent = {"script": "review", "result": "looked at", "reason": "A note.", "amount": "100.00"}
    assert page.send(address, **sent).status == 200
    after = desk.fresh(case)
    assert (after.amount, after.result) == (Decimal(555), "looked at")
