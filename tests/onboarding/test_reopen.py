"""A request that was refused, lapsed or withdrawn is checked afresh; an ended relation is not."""

from __future__ import annotations

from typing import Any

from cases.actors import Actor
from processes.acts.reopening import reopen_case, ways_to_reopen


def test_a_withdrawn_request_is_checked_afresh(desk: Any) -> None:
    case = desk.to_assessment()
    desk.move(case, "withdraw", reason="Found another supplier.")
    reopen_case(case_id=case.pk, reason="They came back.", actor=Actor.of(desk.people["casey"]))
    desk.engine.settle()
    assert desk.step(case) == "assessment"  # the papers that were accepted still count
    assert "We have opened your request again" in desk.letters(case)


def test_an_ended_relation_and_an_owner_stay_closed(desk: Any) -> None:
    case = desk.to_active()
    desk.move(case, "offboard", reason="They stopped trading.")
    desk.do(case, "casey", "done")
    desk.engine.advance(days=5 * 365 + 2)
    desk.do(case, "casey", "close")
    casey = desk.people["casey"]
    assert desk.step(case) == "ended"
    assert ways_to_reopen(desk.now(case), casey) == []
    assert all(ways_to_reopen(one, casey) == [] for one in desk.owners(case))
