"""A payment run whose processes are killed in the middle goes on, and pays each claim once."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from processes.claim.models import Claim, PaymentOrder
from processes.engine.verify import verify
from processes.models import Worker
from processes.work.inline import Inline
from tests.fixtures.claims import ClaimsOffice
from tests.fixtures.installation import Installation
from timers import clock
from timers.models import Timer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
CLAIMS = 8


def bookings(standins: Any) -> list[dict[str, Any]]:
    return standins.call("GET", "/bank/payouts")["bookings"]


def test_a_run_that_dies_midway_resumes_and_pays_each_claim_once(
    installation: Installation, standins: Any
) -> None:
    # Given claims in one payment run, and a bank that takes its time
    with clock.turned(datetime(2026, 11, 23, 9, 0, tzinfo=UTC)) as turned, Inline(turned) as inline:
        claims = ClaimsOffice()
        found = [claims.claim(amount=Decimal(100 + number), account="") for number in range(CLAIMS)]
        for case in found:
            claims.approve_all(inline, case)
        inline.advance(hours=9)
    references = {case.reference for case in found}
    assert set(Claim.objects.values_list("step", flat=True)) == {"payment_requested"}
    assert PaymentOrder.objects.filter(state="waiting").count() == CLAIMS
    standins.tell(service="bank", mode="slow", seconds=0.5)
    installation.environ["LONGCASE_BANK_URL"] = f"{standins.url}/bank"
    installation.environ["LONGCASE_DRAIN_THREADS"] = "2"  # so that not all are paid at once
    before = len(bookings(standins))

    # When its moment comes, and everything is killed after the first payments
    Timer.objects.update(due_at=clock.now())
    installation.start("short", "clock")
    installation.wait(lambda: len(bookings(standins)) >= before + 2, "the first payments")
    installation.kill_all()
    Worker.objects.all().delete()
    paid = set(Claim.objects.filter(step="paid").values_list("pk", flat=True))
    assert len(paid) < CLAIMS

    # Then the run goes on where it was
    installation.start("short", "clock")
    installation.wait(
        lambda: Claim.objects.filter(step="paid").count() == CLAIMS, "the rest of the run"
    )
    ours = [one for one in bookings(standins) if one["reference"] in references]
    assert sorted(one["reference"] for one in ours) == sorted(references)
    assert sum(Decimal(one["amount"]) for one in ours) == sum(case.amount for case in found)
    assert PaymentOrder.objects.filter(state="paid").count() == CLAIMS
    assert list(verify()) == []
