"""A fine that was cancelled, paid or handed over is not opened again: nobody is fined twice."""

from __future__ import annotations

from typing import Any

import pytest

from cases.actors import Actor
from processes.acts.reopening import CannotReopen, reopen_case


def test_a_cancelled_fine_stays_cancelled(fines: Any) -> None:
    case = fines.open()
    fines.move(case, "withdraw", reason="The wrong car.")
    assert fines.now(case).outcome == "cancelled"
    with pytest.raises(CannotReopen, match="stays closed"):
        reopen_case(case_id=case.pk, reason="It was right.", actor=Actor.of(fines.clerk))
