"""An application that nobody decided on is opened again, by a supervisor, without a legal term."""

from __future__ import annotations

from typing import Any

import pytest

from cases.actors import Actor
from cases.errors import NotAllowed
from processes.acts.reopening import CannotReopen, reopen_case


def test_a_withdrawn_application_is_treated_once_more(desk: Any, engine: Any) -> None:
    case = desk.to("assessment")
    desk.move(case, "withdraw")
    with pytest.raises(NotAllowed):
        reopen_case(case_id=case.pk, reason="A mistake.", actor=Actor.of(desk.caseworker))
    reopen_case(case_id=case.pk, reason="A mistake.", actor=Actor.of(desk.supervisor))
    engine.settle()
    assert desk.step(case) == "completeness"
    assert desk.names(case) == ["completeness"]
    assert desk.clock(case).is_stopped
    assert desk.letters(case)[-1] == "reopened"
    desk.do(case, "completeness", "complete")
    assert desk.step(case) == "assessment"


def test_what_was_decided_stays_closed(desk: Any) -> None:
    case = desk.to("irrevocable")
    desk.move(case, "close_early", by=desk.supervisor)
    assert desk.step(case) == "archived"
    with pytest.raises(CannotReopen):
        reopen_case(case_id=case.pk, reason="A mistake.", actor=Actor.of(desk.supervisor))
