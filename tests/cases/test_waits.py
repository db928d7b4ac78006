"""What a case waits for, as its page says it: for whom, until when, and what comes next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from cases import outstanding, standing, tags
from cases.models import Case
from cases.words import Words, party
from tests.trial.models import Trial

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
KIND: Any = SimpleNamespace(
    model=Trial,
    title="Trial",
    clocks={},
    document_titles={},
    message_titles={"change": "Change reported", "answer": "Answer by post"},
    may_come=frozenset({"change"}),
    fact_words={},
    step_label=str,
)


def wait(kind: str, name: str = "", *, days: float | None = None, **more: Any) -> dict[str, Any]:
    until = None if days is None else NOW + timedelta(days=days)
    return {"kind": kind, "name": name, "on": "", "since": NOW, "until": until, "command": 1} | more


def told(*waits: dict[str, Any], children: tuple[Case, ...] = ()) -> tuple[Any, list[Any]]:
    case = Trial(title="One", step="trying", waits=list(waits))
    shared: dict[str, Any] = {
        "words": Words(KIND),
        "requirements": [],
        "tasks": [],
        "children": children,
        "person": SimpleNamespace(pk=1, roles=frozenset()),
        "now": NOW,
    }
    lines = outstanding.outstanding(case, documents=[], **shared)
    return standing.standing(case, **shared), lines


def test_what_only_may_come_is_not_what_a_case_waits_for() -> None:
    now, lines = told(
        wait("message", "change", on="the business", met="the review comes early"),
        wait("timer", "begin_the_review", days=40, on="time"),
    )
    assert now.waiting.startswith("Waits for the time to come")
    assert now.next == [
        "When “Change reported” comes: the review comes early",
        "On 9 Jan 2027, by itself: begin the review",
    ]
    assert [(one.what, one.tag.words) for one in lines] == [
        ("Change reported", "May come"),
        ("Begin the review", "Comes by itself"),
    ]


def test_a_timer_is_not_taken_for_a_case_that_an_earlier_step_opened() -> None:
    ended = Case(title="Wout Haddad", parent_command=1, closed_at=NOW)
    _now, lines = told(wait("timer", "retention", days=40, on="time"), children=(ended,))
    assert [(one.what, one.act) for one in lines] == [("Retention", "")]


def test_a_sub_case_is_named() -> None:
    child = Case(title="Boris Listman", reference="BO-1", parent_command=1)
    now, lines = told(wait("subcase", "owner", on="Longcase"), children=(child,))
    assert now.waiting.startswith("For “Boris Listman” (BO-1) since 30 Nov")
    assert [one.what for one in lines] == ["Boris Listman"]
    assert tags.case_tag(Case(waits=[wait("subcase")])).words == "Waiting for another case"


def test_what_is_overdue_is_told_as_past() -> None:
    now, _lines = told(wait("party", "answer", days=-14, on="the court", otherwise="it lapses"))
    assert now.next == ["Overdue since 16 Nov: it lapses"]


def test_an_answer_that_may_also_come_by_post_is_one_line() -> None:
    now, lines = told(
        wait("party", "answer", days=9, on="the fire service", met="it is read"),
        wait("message", "answer", days=9, on="the fire service", met="it is recorded", command=2),
    )
    assert [one.what for one in lines] == ["Answer by post"]
    assert now.next == ["When the answer comes: it is read"]


def test_a_timer_that_is_never_meant_to_ring_is_not_told() -> None:
    now, lines = told(
        wait("message", "answer", on="the applicant", met="it goes on"),
        wait("timer", "no further reminder", days=3650, on="time"),
    )
    assert [one.what for one in lines] == ["Answer by post"]
    assert now.next == ["When “Answer by post” comes: it goes on"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("expert", "the expert"),
        ("fire_service", "the fire service"),
        ("the court", "the court"),
        ("those concerned", "those concerned"),
        ("whoever asked", "whoever asked"),
        ("Longcase", "Longcase"),
    ],
)
def test_a_party_has_one_article_at_most(name: str, said: str) -> None:
    assert party(name) == said
