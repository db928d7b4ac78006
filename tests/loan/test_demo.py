"""The demo: its people and cases, loaded once and only where nothing is real."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command

from audit.models import Event
from cases.models import Case, Document, Letter, Notice, Person, Task
from processes.engine.verify import verify
from processes.models import Incident
from tests.sizes import sized
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_is_refused_where_cases_are_real() -> None:
    with pytest.raises(CommandError, match="no demo installation"):
        call_command("demo")
    assert not Person.objects.exists()


# After Easter and a change of clocks; a Saturday night after Ascension; a leap day; New Year.
DAYS = ["2027-03-30T03:00", "2027-05-08T22:00", "2028-02-29T12:00", "2027-01-01T00:30"]


@pytest.mark.parametrize("today", sized(["2027-03-30T03:00"], DAYS))
def test_the_cases_stand_everywhere_and_look_lived_in(
    settings: Any, capsys: Any, today: str
) -> None:
    settings.LONGCASE_DEMO = True
    # When the demo is loaded, whatever day it is
    with clock.turned(datetime.fromisoformat(f"{today}:00+00:00")) as now:
        call_command("demo", "--if-empty")

    # Then cases of every age stand at every step, and nothing of it left this process
    steps = Counter(Case.objects.filter(kind="loan").values_list("step", flat=True))
    assert sum(steps.values()) == 24
    assert set(steps) >= {
        "awaiting_documents",
        "underwriting",
        "appraisal",
        "decision",
        "offer",
        "payout",
        "paid_out",
        "declined",
        "lapsed",
        "expired",
        "withdrawn",
    }, steps
    assert Incident.objects.filter(closed_at=None).count() == 1
    assert Task.objects.filter(state="open", overdue_at__isnull=False).exists()
    assert Notice.objects.exists()
    assert Document.objects.filter(state="received").exists()
    assert Letter.objects.filter(sent_at=None, case__kind="loan").count() == 0
    assert mail.outbox == []
    assert not Case.objects.filter(opened_at__gt=now.at).exists()
    assert not list(verify())
    printed = capsys.readouterr().out
    assert "sanne" in printed and "longcase" in printed


def test_loading_it_again_changes_nothing_of_any_kind(demo: None) -> None:
    begun = clock.now() - timedelta(hours=1)
    before = dict(Case.objects.values_list("pk", "head_number"))
    people = Person.objects.count()
    call_command("demo")
    call_command("demo", "--if-empty")
    assert set(Case.objects.values_list("pk", flat=True)) == set(before)
    assert Person.objects.count() == people
    # Time goes on meanwhile: a timer may have come, and nothing else
    for event in Event.objects.filter(recorded_at__gte=begun):
        assert event.number <= before[event.case_id] or event.actor == "engine"
    assert not list(verify())
