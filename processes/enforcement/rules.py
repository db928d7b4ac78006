"""Pure decisions about fines. Amounts are in euro."""

from typing import Any


def settles(fine: Any, found: dict[str, Any], payment: dict[str, Any]) -> bool:
    """Whether a payment ends the case: all is there, nobody doubts it, and no appeal runs."""
    due = fine.raised_amount if fine.step == fine.Step.PENALISED else fine.amount
    is_all = found["paid"] >= due + fine.expenses and not payment["in_doubt"]
    return is_all and {found["prefect"], found["judge"]} <= {"", "rejected"}
