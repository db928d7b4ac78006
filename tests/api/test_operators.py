"""Operators over the API: outside work, timers, processes, and work that is given up."""

from __future__ import annotations

from typing import Any

import pytest

from processes.acts.cases import get_case
from processes.models import Activity, Worker
from timers import clock as now
from timers.models import Timer


def test_outside_work_is_told_by_its_state(desk: Any, calls_of: Any, people: Any) -> None:
    # Given a case that is stopped, and one that is tried again later
    from tests.trial import activities

    stopped = desk.stop()
    activities.trouble[:] = [ConnectionError("no answer within 30 s")]
    later = desk.open("unhandled")
    otto = calls_of(people.otto)

    def cases(query: str) -> list[str]:
        return [one["case"] for one in otto.get(f"activities?{query}").json()["results"]]

    assert cases("state=stopped") == [stopped.reference]
    assert cases("state=retrying") == [later.reference]
    assert cases("state=running") == cases("state=due") == []
    assert cases("case=" + later.reference) == [later.reference]
    assert cases("kind=loan") == cases("name=none") == []
    (row,) = otto.get("activities?state=retrying").json()["results"]
    assert row["failures"] == 1 and "no answer" in row["last_error"]
    assert row["attempts_allowed"] >= row["failures"]

    # When a worker has it, it is running; when its moment is here, it is due
    activity = Activity.objects.get(case_id=later.pk)
    Activity.objects.filter(pk=activity.pk).update(worker_id=7)
    assert cases("state=running") == [later.reference]
    Activity.objects.filter(pk=activity.pk).update(worker_id=None, due_at=now.now())
    assert cases("state=due") == [later.reference]
    assert len(cases("limit=1")) == 1 and sorted(cases("order=-due")) == sorted(cases(""))


@pytest.mark.unsound("sets a timer back by hand")
def test_timers_are_told_with_what_is_overdue(desk: Any, calls_of: Any, people: Any) -> None:
    case = desk.open("patience")
    otto = calls_of(people.otto)
    rows = otto.get(f"timers?case={case.reference}").json()["results"]
    assert len(rows) == Timer.objects.filter(case_id=case.pk).count() > 0
    assert [one["due_at"] for one in rows] == sorted(one["due_at"] for one in rows)
    assert otto.get("timers?overdue=true").json()["results"] == []
    late = Timer.objects.filter(case_id=case.pk).first()
    assert late is not None
    Timer.objects.filter(pk=late.pk).update(due_at=case.opened_at.replace(year=2001))
    (told,) = otto.get("timers?overdue=true").json()["results"]
    assert (told["id"], told["is_overdue"], told["purpose"]) == (late.pk, True, late.purpose)
    ahead = otto.get("timers?overdue=false").json()["results"]
    assert late.pk not in {one["id"] for one in ahead}


def test_the_processes_tell_when_they_were_last_seen(desk: Any, calls_of: Any, people: Any) -> None:
    moment = now.now()
    worker = Worker.objects.create(
        name="here/1", lane="short", started_at=moment, seen_at=moment.replace(year=2001)
    )
    rows = calls_of(people.otto).get("workers").json()["results"]
    (row,) = [one for one in rows if one["id"] == worker.pk]
    assert row["is_silent"] and row["seen_at"].startswith("2001") and "doing" not in row


def test_these_are_for_those_alone_who_may_repair_cases_and_of_their_cases(
    desk: Any, calls_of: Any, people: Any, program: Any
) -> None:
    case = desk.stop()
    desk.open("patience")
    lists = ("activities", "timers", "workers", "incidents")
    for path in lists:
        for person in (people.sanne, people.milan, people.ada, people.eve):
            assert calls_of(person).get(path).status_code == 403, path
        assert program("read:*").get(path).status_code == 403
        assert calls_of(people.otto, "read:*").get(path).status_code == 403
        assert calls_of(people.petra).get(path).status_code == 200
    everything = (program("operate:trial", team=people.sanne.team), calls_of(people.petra))
    nothing = (
        program("operate:loan"),
        program("operate:trial", team=people.eve.team),
        calls_of(people.otto, "operate:loan"),
    )
    for path in ("activities", "timers", "incidents"):
        for calls in everything:
            rows = calls.get(path).json()["results"]
            assert case.reference in {one["case"] for one in rows} or path == "timers", path
            assert rows, path
        for calls in nothing:
            assert calls.get(path).json()["results"] == [], path


def test_work_that_will_not_succeed_is_given_up_where_the_code_has_an_answer(
    desk: Any, calls_of: Any, people: Any
) -> None:
    case = desk.stop()
    otto = calls_of(people.otto)
    (incident,) = otto.get("incidents").json()["results"]
    address = f"incidents/{incident['id']}/give-up"
    assert otto.post(address).json()["errors"][0]["pointer"] == "#/reason"
    for person in (people.ada, people.sanne, people.eve):
        assert calls_of(person).post(address, {"reason": "x"}).status_code == 403
    # The step of this trial has no answer to a failure
    refused = otto.post(address, {"reason": "The registry is gone."})
    assert (refused.status_code, refused.json()["type"]) == (
        409,
        "/api/v1/problems/no-answer-in-code",
    )
    assert get_case(case.pk).stopped_at is not None
