"""Every process of a relation is killed at every wait, over years: the history is the same."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.core.management import call_command
from django.db import connection

from audit.models import Event
from cases.models import Case
from processes.engine.verify import verify
from processes.work.inline import Inline
from tests import forking
from tests.onboarding import scenes
from tests.onboarding.desk import Desk
from timers import clock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.long]


def histories() -> list[list[tuple[str, str]]]:
    """The events of each case: what, and when."""
    return [
        [
            (type_, str(at))
            for type_, at in Event.objects.filter(case_id=case_id)
            .order_by("number")
            .values_list("type", "recorded_at")
        ]
        for case_id in Case.objects.order_by("pk").values_list("pk", flat=True)
    ]


def test_a_kill_at_each_wait_changes_nothing(outside: Any, tmp_path: Path) -> None:
    # Given the history of a relation that nobody disturbed
    with clock.turned(scenes.BEGAN) as turned, Inline(turned) as engine:
        desk = Desk(engine)
        for number in range(len(scenes.SCENES)):
            scenes.play(number, desk)
    undisturbed = histories()
    assert scenes.the_case().outcome == "ended"
    call_command("flush", interactive=False, verbosity=0)

    # When each scene is played by a process that is killed before the next
    server = urlsplit(os.environ["DATABASE_URL"])
    url = urlunsplit(server._replace(path=f"/{connection.settings_dict['NAME']}"))
    log = tmp_path / "scenes.log"
    for number in range(len(scenes.SCENES)):
        process = forking.start(
            ["-m", "tests.onboarding.scenes", str(number)],
            environ={**os.environ, "DATABASE_URL": url},
            log=log,
        )
        process.wait(timeout=60)
        # What fails on the way to its kill says so.
        assert not log.read_text()

    # Then the histories are the same, event by event
    assert histories() == undisturbed
    assert not list(verify())
