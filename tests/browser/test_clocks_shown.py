"""The clock panel, its acts and the calendars, in a real browser: accessible in every width."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import Group

from cases.actors import Actor
from processes.acts import caseclocks
from tests.browser.test_accessible import check

pytestmark = pytest.mark.django_db(transaction=True)


def test_clocks_and_calendars(desk: Any, window: Any, organisation: Any) -> None:
    case = desk.open("two_clocks", title="Van Dijk, dormer window")
    desk.engine.advance(days=12)
    act = {"case_id": case.pk, "name": "term", "actor": Actor.of(desk.people.sanne)}
    caseclocks.pause_clock(
        **act, reason="we wait for the drawings of the roof", since=date(2026, 12, 4)
    )
    caseclocks.resume_clock(**act, until=date(2026, 12, 9))
    caseclocks.pause_clock(**act, reason="the drawings were of another house")
    here = case.get_absolute_url()
    desk.people.petra.groups.add(Group.objects.get_or_create(name="administrator")[0])
    one = window(desk.people.petra)
    addresses = [here, f"{here}clocks/term/resume/", f"{here}clocks/service/pause/"]
    addresses += [f"{here}clocks/term/pauses/0/", "/calendars/", "/calendars/organisation/"]
    wrong = [found for address in addresses for found in check(one, address)]
    assert not wrong, "\n".join(wrong)
