"""A fine from the notice to its end, as docs/enforcement.md tells it."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import processes.enforcement
from cases.errors import Invalid
from processes.kinds import kind_of
from timers import calendars

pytestmark = pytest.mark.django_db(transaction=True)


def test_paid_before_the_notice_is_sent(fines: Any) -> None:
    case = fines.open()
    fines.tell(case, "payment", amount="36.00")
    assert fines.now(case).outcome == "paid"
    assert fines.now(case).paid == Decimal("36.00")


def test_after_sixty_days_the_fine_is_raised_and_paid_in_parts(fines: Any) -> None:
    # Given a fine whose notice was delivered
    case = fines.notified()
    fines.engine.advance(days=59)
    assert fines.now(case).step == "notified"

    # When nobody pays for 60 days
    fines.engine.advance(days=1)

    # Then it is raised; parts are booked as they come, and the last one closes it
    assert fines.now(case).step == "penalised"
    fines.tell(case, "payment", amount="50.00")
    assert (fines.now(case).step, fines.now(case).paid) == ("penalised", Decimal("50.00"))
    fines.tell(case, "payment", amount="37.00")
    assert fines.now(case).outcome == "paid"
    assert fines.letters(case) == ["Your fine was raised", "What is still due of your fine"]


@pytest.mark.parametrize(
    "delivered_at",
    [datetime(2026, 3, 1, 23, tzinfo=UTC), datetime(2026, 9, 30, 22, tzinfo=UTC)],
    ids=["across the change in spring", "across the change in autumn"],
)
def test_sixty_days_are_calendar_days(fines: Any, delivered_at: datetime) -> None:
    fines.engine.turned.set(delivered_at)
    case = fines.notified()
    fines.engine.advance(days=62)
    raised = calendars.default().local(fines.now(case).entered_at)
    delivered = calendars.default().local(delivered_at)
    assert (raised.date() - delivered.date()).days == 60
    assert raised.time() == delivered.time()


def test_a_part_paid_early_counts_for_the_raised_fine(fines: Any) -> None:
    case = fines.notified()
    fines.tell(case, "payment", amount="40.00")
    fines.engine.advance(days=60)
    assert (fines.now(case).step, fines.now(case).paid) == ("penalised", Decimal("40.00"))


def test_money_in_doubt_closes_nothing(fines: Any) -> None:
    case = fines.open()
    fines.tell(case, "payment", amount="36.00", in_doubt=True)
    fines.tell(case, "posted", expenses="13.00")
    assert (fines.now(case).step, fines.now(case).paid) == ("sent", Decimal("36.00"))
    fines.tell(case, "payment", amount="13.00")
    assert fines.now(case).outcome == "paid"


def test_what_stays_unpaid_goes_to_the_collector(fines: Any) -> None:
    case = fines.notified()
    fines.engine.advance(days=60)
    fines.move(case, "hand_over")
    assert fines.now(case).outcome == "collection"


@pytest.mark.parametrize("court", ["prefect", "judge"])
def test_an_upheld_appeal_ends_the_fine_though_it_was_raised_meanwhile(
    fines: Any, court: str
) -> None:
    # Given an appeal that is filed, and sent only after the fine was raised
    case = fines.notified()
    fines.tell(case, f"appeal_to_{court}")
    fines.engine.advance(days=60)
    assert (fines.now(case).step, getattr(fines.now(case), court)) == ("penalised", "filed")
    fines.do(case, f"send_to_{court}")

    # When it is upheld and the offender is told
    fines.tell(case, f"ruling_of_{court}", outcome="upheld")
    fines.do(case, f"tell_ruling_of_{court}")

    # Then the fine falls
    assert fines.now(case).outcome == "cancelled"
    assert fines.letters(case)[-2:] == ["Your appeal was decided", "Your fine was cancelled"]


def test_a_rejected_appeal_leaves_the_fine_due_and_the_judge_open(fines: Any) -> None:
    case = fines.notified()
    fines.tell(case, "appeal_to_prefect")
    fines.do(case, "send_to_prefect")
    fines.tell(case, "payment", amount="49.00")  # all of it, but an appeal runs
    fines.tell(case, "ruling_of_prefect", outcome="rejected")
    fines.do(case, "tell_ruling_of_prefect")
    fines.tell(case, "appeal_to_judge")
    assert fines.now(case).step == "notified"
    fines.do(case, "send_to_judge")
    fines.tell(case, "ruling_of_judge", outcome="rejected")
    fines.do(case, "tell_ruling_of_judge")
    fines.engine.advance(days=60)
    found = fines.now(case)
    assert (found.step, found.prefect, found.judge) == ("penalised", "rejected", "rejected")


def test_staff_cancel_with_a_reason_that_the_offender_reads(fines: Any) -> None:
    case = fines.notified()
    fines.move(case, "withdraw", reason="The camera was wrong.")
    assert fines.now(case).outcome == "cancelled"
    assert fines.letters(case) == ["Your fine was cancelled"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("payment", {"amount": "-1"}),
        ("payment", {"amount": 3.5}),
        ("payment", {"amount": "1.001"}),
        ("payment", {"amount": "1", "in_doubt": "perhaps"}),
        ("payment", {}),
        ("delivered", {"where": "at the door"}),
        ("ruling_of_judge", {"outcome": "who knows"}),
        ("posted", []),
    ],
)
def test_a_message_of_another_shape_is_refused(fines: Any, name: str, data: Any) -> None:
    case = fines.open()
    with pytest.raises(Invalid):
        kind_of("enforcement").check_message(name, data)
    with pytest.raises(Invalid):
        fines.tell(case, name, **(data or {"unknown": 1}))
    assert fines.now(case).step == "created"


def test_the_kind_takes_fewer_than_200_lines() -> None:
    folder = Path(processes.enforcement.__file__).parent
    names = ("models.py", "steps.py", "rules.py", "messages.py")
    assert sum(len((folder / name).read_text().splitlines()) for name in names) < 200
