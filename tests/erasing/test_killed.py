"""Workers that die in the middle of a destruction list: others go on, each case once and whole."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from audit.models import Event
from cases.actors import Actor, service
from cases.models import Case, Destruction, DestructionRow, Erasure
from processes.acts import destructions
from processes.acts.cases import move_case, open_case
from processes.engine.verify import verify
from processes.erasing.facts import ERASED
from tests.fixtures.installation import Installation
from tests.jobs.test_killed import has_queue
from timers import clock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
CASES = 24


def test_a_list_whose_workers_are_killed_erases_each_case_once(
    installation: Installation, ruth: Any, bas: Any
) -> None:
    # Given a list that two people approved
    portal = service("test")
    for number in range(CASES):
        facts = {"script": "patience"}
        case = open_case(kind="trial", facts=facts, title=f"Quibus {number}", actor=portal)
        move_case(case_id=case.pk, name="withdraw", data={"reason": "Quibus"}, actor=portal)
    Case.objects.update(closed_at=clock.now() - timedelta(days=8 * 366))
    made = destructions.make_list(actor=Actor.of(ruth))
    for person in (ruth, bas):
        destructions.approve(destruction_id=made.pk, actor=Actor.of(person))
    erased = DestructionRow.objects.filter(destruction=made, state="erased")
    installation.start("long")
    installation.wait(has_queue, "the queue of the long lane")
    installation.start("clock")

    # When everything is killed after the first cases, twice
    for part in (CASES // 6, CASES // 2):
        installation.wait(lambda part=part: erased.count() >= part, "some cases")
        installation.kill_all()
        assert erased.count() < CASES
        gone = Case.objects.filter(erased_at__isnull=False)
        assert gone.count() == Erasure.objects.count() == erased.count()  # whole, or not at all
        assert set(gone.values_list("title", flat=True)) == {ERASED}
        assert not Case.objects.filter(erased_at=None, title=ERASED).exists()
        Destruction.objects.update(lease_until=clock.now())  # a minute later
        installation.start("long", "clock")

    # Then the rest is done, each case once, and the files are looked after
    installation.wait(lambda: Destruction.objects.get().state == "done", "the end of the list")
    assert erased.count() == Erasure.objects.count() == CASES
    assert Event.objects.filter(type="case.erased").count() == CASES
    installation.wait(lambda: not Erasure.objects.filter(files_gone_at=None).exists(), "the files")
    found = [one for one in verify() if not one.words.endswith("differ in closed_at")]  # as above
    assert found == []
