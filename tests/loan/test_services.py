"""Errors that will never heal, and errors that may (cases A6), against a real process."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from audit.read import events_of
from processes import services
from processes.acts.cases import get_case
from processes.models import Activity, Incident
from timers import clock


def failures_of(case: Any) -> list[Any]:
    return [e for e in events_of(case.pk) if e.type == "activity.attempt_failed"]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(services, "CALL_SECONDS", 0.3)
    services._client.cache_clear()
    yield
    services._client.cache_clear()


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_no_is_one_attempt_and_keeps_its_reason(
    engine: Any, office: Any, standins: Any, status: int
) -> None:
    standins.tell(service="credit", mode="status", status=status, reason="Unknown product.")
    before = standins.calls("credit")
    case = office.open()
    engine.advance(days=1)
    assert standins.calls("credit") - before == 1
    assert failures_of(case) == []
    incident = Incident.objects.get(case_id=case.pk, closed_at=None)
    assert f"answered {status}: Unknown product." in incident.came


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"mode": "status", "status": 500}, "answered 500"),
        ({"mode": "status", "status": 503, "reason": "Closed at night."}, "Closed at night."),
        ({"mode": "status", "status": 429}, "answered 429"),
        ({"mode": "slow", "seconds": 1.0}, "nothing within"),
        ({"mode": "down"}, "gave no answer"),
        ({"mode": "wrong"}, "no JSON object"),
        ({"answer": {"score": "high"}}, "without a proper “score”"),
    ],
)
def test_trouble_is_tried_again_with_growing_gaps_and_then_heals(
    engine: Any,
    office: Any,
    standins: Any,
    impatient: None,
    told: dict[str, Any],
    words: str,
) -> None:
    # Given a credit bureau in trouble
    standins.tell(service="credit", **told)
    case = office.open()
    engine.settle()
    row = Activity.objects.get(case_id=case.pk, name="loan.score_credit")
    assert words in row.last_error
    assert row.due_at > clock.now()

    # When time passes, the gaps between the attempts grow
    engine.advance(seconds=30)
    tried = [e.recorded_at for e in failures_of(case) if e.data["name"] == "loan.score_credit"]
    gaps = [later - earlier for earlier, later in zip(tried, tried[1:], strict=False)]
    assert len(gaps) >= 2 and all(b > a for a, b in zip(gaps, gaps[1:], strict=False))
    assert timedelta(seconds=1) < gaps[0] < timedelta(seconds=3)

    # And once it is well again, the case goes on as if nothing had been
    standins.reset()
    engine.advance(minutes=2)
    assert get_case(case.pk).step == "awaiting_documents"
    assert not Incident.objects.exists()


def test_trouble_without_end_reaches_the_operators(engine: Any, office: Any, standins: Any) -> None:
    standins.tell(service="identity", mode="status", status=503)
    case = office.open()
    engine.advance(days=2)
    assert len(failures_of(case)) == 7
    assert Incident.objects.get(case_id=case.pk).title == "“Check identity” failed"


def test_a_service_without_an_address_says_which_setting_is_missing(
    engine: Any, office: Any, settings: Any, world: Any
) -> None:
    settings.LONGCASE_CREDIT_URL = ""
    case = office.open()
    engine.settle()
    assert "set LONGCASE_CREDIT_URL" in Activity.objects.get(case_id=case.pk).last_error


def test_amounts_travel_exactly(engine: Any, office: Any, standins: Any) -> None:
    case = office.open(amount="5000.10")
    engine.settle()
    asked = standins.effects("credit", "scored")[-1]
    assert asked["key"].startswith(f"{case.pk}.")
