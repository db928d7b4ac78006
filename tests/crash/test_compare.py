"""The campaign's own eyes: what it takes for the same story, and what for a loss."""

from __future__ import annotations

from typing import Any

import pytest

from crash.compare import differences
from crash.ledger import Ledger, last
from crash.plans import NEVER, plan_of
from crash.traces import of_act, of_history


def event(kind: str, actor: str = "engine", **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "actor": actor}


def entered(step: str, before: str, visit: int) -> dict[str, Any]:
    return event("step.entered", step=step, visit=visit, **{"from": before})


def letter(**result: Any) -> list[dict[str, Any]]:
    return [
        event("activity.scheduled", command=1, name="processes.send_letter", args={}),
        event("activity.completed", command=1, result=result),
    ]


STORY = [
    event("case.opened", reference="LN-2026-000017"),
    entered("offer", "", 1),
    *letter(subject="Your offer LN-2026-000017", letter=3),
    entered("payout", "offer", 2),
]


def told(other: list[dict[str, Any]]) -> list[str]:
    return list(differences({"1": STORY}, {"1": other}))


def test_attempts_and_numbers_of_rows_are_no_difference() -> None:
    other = [
        event("case.opened", reference="LN-2026-000321"),
        entered("offer", "", 1),
        event("activity.scheduled", command=1, name="processes.send_letter", args={}),
        event("activity.attempt_lost", command=1, attempt=1, name="processes.send_letter"),
        event(
            "activity.completed",
            command=1,
            attempt=2,
            result={"subject": "Your offer LN-2026-000321", "letter": 9},
        ),
        entered("payout", "offer", 2),
    ]
    assert told(other) == []


@pytest.mark.parametrize(
    "other",
    [
        STORY[:-1],  # lost
        [*STORY[:4], *letter(subject="Your offer LN-2026-000017"), STORY[4]],  # doubled
        [*STORY[:4], entered("expired", "offer", 2)],  # another end
        [*STORY[:2], STORY[4], *STORY[2:4]],  # another order
    ],
)
def test_what_is_lost_doubled_or_told_otherwise_is_found(other: list[dict[str, Any]]) -> None:
    assert len(told(other)) == 1


def test_two_checks_may_answer_in_any_order() -> None:
    def checks(*order: int) -> list[dict[str, Any]]:
        return [
            event("case.opened", reference="LN-2026-000001"),
            entered("checks", "", 1),
            event("activity.scheduled", command=1, name="loan.check_identity", args={}),
            event("activity.scheduled", command=2, name="loan.score_credit", args={}),
            *(event("activity.completed", command=n, result={"of": n}) for n in order),
            entered("awaiting_documents", "checks", 2),
        ]

    assert list(differences({"1": checks(1, 2)}, {"1": checks(2, 1)})) == []
    assert len(list(differences({"1": checks(1, 2)}, {"1": checks(1)}))) == 1


def test_an_act_and_its_event_are_spelled_alike() -> None:
    events = [
        entered("underwriting", "", 4),
        event("task.claimed", "person:2", visit=4, name="underwriting", task=1, person=2),
        event("task.completed", "person:2", visit=4, name="underwriting", outcome="approve"),
    ]
    of = {"visit": 4, "name": "underwriting"}
    assert of_history(events) == [
        of_act({**of, "act": "claim"}),
        of_act({**of, "act": "complete", "outcome": "approve"}),
    ]


def test_plans_come_from_the_seed_alone_and_reach_every_end() -> None:
    assert plan_of(7, 12) == plan_of(7, 12) != plan_of(8, 12)
    plans = [plan_of(1, number) for number in range(300)]
    assert {plan.answer for plan in plans} == {"accept", "decline"}
    assert any(plan.sends_after == NEVER for plan in plans)
    assert any(plan.answers_after == NEVER for plan in plans)
    assert {plan.withdraws[0] for plan in plans} > {"", "offer", "appraisal"}


def test_a_ledger_forgets_only_the_line_that_was_never_finished(tmp_path: Any) -> None:
    path = tmp_path / "ledger"
    Ledger(path).write({"plan": 0, "acts": []}, {"done": 0})
    with path.open("ab") as file:
        file.write(b'{"plan": 1, "ac')
    assert last(path) == {"done": 0}
    again = Ledger(path)
    again.write({"done": 1})
    assert [line.get("done") for line in Ledger(path).lines] == [None, 0, 1]


def test_a_date_counted_on_a_calendar_from_another_moment_is_no_difference() -> None:
    def review(day: str) -> list[dict[str, Any]]:
        data = {"span": {"working_days": 5}, "counted_from": day, "due_at": day, "holidays": [day]}
        return [*STORY, event("task.opened", command=3, name="underwriting", **data)]

    assert list(differences({"1": review("2027-01-04")}, {"1": review("2027-01-05")})) == []
