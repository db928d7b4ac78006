"""The tables of claims, and what the database itself refuses."""

from __future__ import annotations

from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from processes.claim.models import Claim, PaymentOrder, PaymentRun
from timers import clock


@pytest.mark.django_db
def test_the_migrations_say_what_the_models_say() -> None:
    out = StringIO()
    call_command("makemigrations", "claim", check=True, dry_run=True, stdout=out)
    assert "No changes" in out.getvalue()


@pytest.mark.django_db(transaction=True)
def test_the_tables_can_be_taken_away_and_made_again() -> None:
    call_command("migrate", "claim", "zero", verbosity=0)
    call_command("migrate", "claim", verbosity=0)
    assert not Claim.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"amount": Decimal("0.00")},
        {"reserve": Decimal("-1.00")},
        {"approved_amount": Decimal("250.01")},
    ],
)
def test_the_database_refuses_what_cannot_be(
    engine: object, claims: object, change: dict[str, Decimal]
) -> None:
    case = claims.claim()  # type: ignore[attr-defined]
    with pytest.raises(IntegrityError), transaction.atomic():
        Claim.objects.filter(pk=case.pk).update(**change)


def test_a_claim_waits_in_one_run_only(engine: object, claims: object) -> None:
    case = claims.claim()  # type: ignore[attr-defined]
    run = PaymentRun.objects.create(run_at=clock.now(), begun_at=clock.now())
    order = {"run": run, "case_id": case.pk, "amount": Decimal("1.00")}
    PaymentOrder.objects.create(key="1", **order)
    with pytest.raises(IntegrityError), transaction.atomic():
        PaymentOrder.objects.create(key="2", **order)
