"""A loan that was withdrawn, declined or lapsed is checked anew; an expired offer is made anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cases.actors import Actor
from cases.models import Case
from processes.acts.cases import get_case
from processes.acts.reopening import CannotReopen, reopen_case


def test_a_withdrawn_application_is_checked_anew_and_keeps_its_papers(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]]
) -> None:
    # Given an application whose papers were accepted, and that was withdrawn
    case = office.to_underwriting(engine)
    office.withdraw(case)
    engine.settle()

    # When it is opened again
    by = Actor.of(office.caseworker)
    reopen_case(case_id=case.pk, reason="The customer thought again.", actor=by)
    engine.settle()

    # Then it is checked, its papers count, and the customer was told why
    after = get_case(case.pk)
    assert (after.step, after.outcome, after.closed_at) == ("underwriting", "", None)
    assert "We have opened your application again" in letters(case)
    assert letters(case).count("Your application has been withdrawn") == 1
    told = case.letters.get(template="loan/letters/reopened.txt")
    assert "The customer thought again." in told.text


def test_an_expired_offer_is_decided_once_more(engine: Any, office: Any, world: Any) -> None:
    case = office.to_offer(engine)
    engine.advance(days=60)
    assert get_case(case.pk).step == "expired"
    reopen_case(case_id=case.pk, reason="They were away.", actor=Actor.of(office.caseworker))
    after = get_case(case.pk)
    assert (after.step, after.interest_rate) == ("decision", None)


def test_a_loan_that_was_paid_out_stays_closed(engine: Any, office: Any, world: Any) -> None:
    case = office.to_offer(engine)
    office.answer(case, "accept")
    engine.settle()
    assert get_case(case.pk).step == "paid_out"
    with pytest.raises(CannotReopen):
        reopen_case(case_id=case.pk, reason="More money.", actor=Actor.of(office.caseworker))
