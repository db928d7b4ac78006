"""Tasks over the API: taken by one, completed by the holder, taken back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import connections

from audit.models import Event
from cases.models import Person, Task
from processes.acts.cases import get_case


def test_a_person_takes_and_completes_a_review(desk: Any, calls_of: Any, people: Any) -> None:
    case = desk.open("review")
    milan = calls_of(people.milan)
    (offered,) = milan.get("tasks?holder=nobody").json()["results"]
    task = f"tasks/{offered['id']}"

    taken = milan.post(f"{task}/claim")
    assert taken.status_code == 200 and taken.json()["holder"]["name"] == "Milan Kovač"
    assert milan.get("tasks?holder=me").json()["results"][0]["id"] == offered["id"]
    wrong = milan.post(f"{task}/complete", {"outcome": "fly"})
    assert wrong.status_code == 422
    assert wrong.json()["errors"][0]["pointer"] == "#/outcome"
    needs = milan.post(f"{task}/complete", {"outcome": "decline"})
    assert needs.json()["errors"][0]["pointer"] == "#/reason"
    done = milan.post(f"{task}/complete", {"outcome": "approve"})
    assert done.status_code == 200 and done.json()["state"] == "done", done.content
    assert get_case(case.pk).tasks.filter(state="open").count() == 1
    again = milan.post(f"{task}/complete", {"outcome": "approve"})
    assert again.status_code == 409
    assert again.json()["type"] == "/api/v1/problems/task-not-open"


def test_only_the_holder_completes_and_a_supervisor_hands_over(
    desk: Any, calls_of: Any, people: Any
) -> None:
    case = desk.open("review")
    task = desk.claim(case, people.milan)
    ayse, petra, eve = (calls_of(one) for one in (people.ayse, people.petra, people.eve))
    body = {"outcome": "approve"}
    held = ayse.post(f"tasks/{task.pk}/complete", body)
    assert (held.status_code, held.json()["type"]) == (409, "/api/v1/problems/task-held")
    assert ayse.post(f"tasks/{task.pk}/release").status_code == 403
    for act in ("claim", "release", "complete", "hand-over", "take-back"):
        assert eve.post(f"tasks/{task.pk}/{act}", body).status_code in (404, 422)
        assert eve.get(f"tasks/{task.pk}").status_code == 404
    handed = petra.post(
        f"tasks/{task.pk}/hand-over", {"to": people.ayse.pk, "reason": "Milan is ill."}
    )
    assert handed.status_code == 200 and handed.json()["holder"]["id"] == people.ayse.pk
    assert petra.post(f"tasks/{task.pk}/release", {"reason": "x"}).json()["holder"] is None


def test_a_decision_rests_on_what_was_seen(desk: Any, calls_of: Any, people: Any) -> None:
    case = desk.open("review")
    task = desk.claim(case, people.milan)
    seen = get_case(case.pk).head_number
    desk.send_document(case, "payslip")
    body = {"outcome": "approve", "seen": seen}
    refused = calls_of(people.milan).post(f"tasks/{task.pk}/complete", body)
    assert refused.status_code == 409
    assert refused.json()["type"] == "/api/v1/problems/case-changed"
    assert "payslip received" in refused.json()["detail"]


def test_a_program_holds_no_task(desk: Any, program: Any, people: Any) -> None:
    case = desk.open("review")
    robot = program("read:*", "tasks:*")
    refused = robot.post(f"tasks/{desk.task_of(case).pk}/claim")
    assert refused.status_code == 403 and "Only a person" in refused.json()["detail"]


def test_a_decision_is_taken_back_over_the_api(
    office: Any, engine: Any, world: Any, calls_of: Any
) -> None:
    case = office.to_underwriting(engine)
    task = office.do(case, "decline", reason="Income too low.")
    calls = calls_of(office.underwriter)
    address = f"tasks/{task.pk}/take-back"
    assert calls.post(address).json()["errors"][0]["pointer"] == "#/reason"
    back = calls.post(address, {"reason": "The wrong file."})
    assert back.status_code == 200 and back.json()["step"]["name"] == "underwriting"
    assert Task.objects.get(pk=task.pk).state == "taken_back"
    again = calls.post(address, {"reason": "The wrong file."})
    assert (again.status_code, again.json()["type"]) == (409, "/api/v1/problems/task-not-open")
    # What cannot be undone stands
    office.do(case, "decline", reason="Income too low.")
    engine.settle()
    late = Task.objects.filter(case=case.pk, state="done").latest("pk")
    stands = calls.post(f"tasks/{late.pk}/take-back", {"reason": "x"})
    assert stands.status_code == 409
    assert stands.json()["case"]["outcome"] == "declined"


@pytest.mark.django_db(transaction=True)
def test_of_a_hundred_who_take_a_task_at_once_one_gets_it(
    transactional_db: None, people: Any, desk: Any, calls_of: Any
) -> None:
    case = desk.open("review")
    task = desk.task_of(case)
    role = Group.objects.get(name="underwriter")
    crowd = []
    for number in range(100):
        person = Person.objects.create_user(f"u{number}", team=people.sanne.team)
        person.groups.add(role)
        crowd.append(calls_of(person))

    def claim(calls: Any) -> Any:
        try:
            return calls.post(f"tasks/{task.pk}/claim")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(claim, crowd))
    won = [one for one in answers if one.status_code == 200]
    lost = [one for one in answers if one.status_code == 409]
    assert (len(won), len(lost)) == (1, 99), {one.status_code for one in answers}
    assert {one.json()["type"] for one in lost} == {"/api/v1/problems/task-held"}
    winner = won[0].json()["holder"]["id"]
    assert Task.objects.get(pk=task.pk).holder_id == winner
    assert Event.objects.filter(case_id=case.pk, type="task.claimed").count() == 1
