"""Workers that die in the middle of a job: others go on where it stood, and nothing comes twice."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from audit.models import Event
from cases.models import Case, Job, JobRow
from processes.acts import jobs as acts
from processes.acts.jobs import Asked
from processes.callers import Caller
from processes.engine.verify import verify
from tests.fixtures.installation import Installation
from timers import clock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
ROWS = 300


def has_queue() -> bool:
    """Whether the worker has made its queue; two that make it at once get in each other's way."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_trigger WHERE tgrelid = to_regclass('pgmq.q_long')")
        return cursor.fetchone() is not None


def test_a_job_whose_workers_are_killed_opens_each_case_once(
    installation: Installation, program: Any
) -> None:
    # Given a job of rows without references of their own, that workers carry on
    portal = program("open:trial")
    request = {"kind": "trial", "title": "x", "facts": {"script": "patience"}}
    job = acts.accept_job(
        caller=Caller(portal.client, None),
        token=None,
        rows=[Asked(line, request) for line in range(1, ROWS + 1)],
        filename="cases.jsonl",
        digest="0" * 64,
    )
    opened = JobRow.objects.filter(job=job, state="opened")
    installation.start("long")
    installation.wait(has_queue, "the queue of the long lane")
    installation.start("clock")

    # When everything is killed after the first rows, twice
    for part in (ROWS // 6, ROWS // 2):
        installation.wait(lambda part=part: opened.count() >= part, "some rows")
        installation.kill_all()
        assert opened.count() < ROWS
        assert Case.objects.count() == opened.count()  # a case and its result, or neither
        Job.objects.update(lease_until=clock.now())  # a minute later
        installation.start("long", "clock")

    # Then the rest is done, each row once
    installation.wait(lambda: Job.objects.get().state == "done", "the end of the job")
    cases = list(opened.values_list("case", flat=True))
    assert len(set(cases)) == Case.objects.count() == ROWS
    assert Event.objects.filter(type="case.opened").count() == ROWS
    assert list(verify()) == []
