"""Whatever changes something may be sent again: one effect, the first answer."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections

from audit.models import Event
from cases.models import Case, Document, KeptAnswer, Message
from processes.acts import clients
from processes.acts.cases import get_case
from processes.api.urls import urlpatterns
from processes.models import Incident

BODY = {"kind": "trial", "title": "Hartog Bakery", "facts": {"script": "hour"}}
ALL = ("read:*", "open:*", "facts:*", "move:*", "messages:*", "documents:*", "judge:*")


@pytest.fixture
def portal(program: Any, people: Any) -> Any:
    return program(*ALL, team=people.sanne.team, name="portal")


def test_a_repeat_gives_the_first_answer_also_after_the_case_closed(
    portal: Any, engine: Any, clock: Any
) -> None:
    first = portal.post("cases", BODY, key="K-1")
    case = Case.objects.get()
    end = {"data": {"reason": "x"}}
    portal.post(f"cases/{case.reference}/transitions/withdraw", end)
    clock.advance(days=29)
    again = portal.post("cases", BODY, key="K-1")
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again["Idempotency-Replayed"] == "true" and "Idempotency-Replayed" not in first
    assert (again["ETag"], again["Location"]) == (first["ETag"], first["Location"])
    assert Case.objects.count() == 1
    # After thirty days the key is forgotten
    clients.forget_old()
    assert KeptAnswer.objects.filter(key="K-1").exists()
    clock.advance(days=2)
    clients.forget_old()
    assert not KeptAnswer.objects.filter(key="K-1").exists()


def test_another_body_under_the_same_key_is_refused(
    portal: Any, program: Any, people: Any, engine: Any
) -> None:
    portal.post("cases", BODY, key="K-1")
    other = portal.post("cases", {**BODY, "title": "Another"}, key="K-1")
    assert other.status_code == 409
    assert other.json()["type"] == "/api/v1/problems/same-key-other-content"
    # The order of names is no difference, and the key of another caller is another key
    same = dict(reversed(list(BODY.items())))
    assert portal.post("cases", same, key="K-1").status_code == 201
    second = program(*ALL, team=people.sanne.team)
    assert second.post("cases", {**BODY, "title": "Another"}, key="K-1").status_code == 201
    assert Case.objects.count() == 2


def test_a_refused_call_keeps_nothing(portal: Any, engine: Any) -> None:
    assert portal.post("cases", {**BODY, "facts": {}}, key="K-1").status_code == 422
    assert portal.post("cases", BODY, key="K-1").status_code == 201


@pytest.mark.parametrize("key", ["", "with space", "x" * 201, "é"])
def test_a_call_without_a_proper_key_is_refused(portal: Any, key: str) -> None:
    headers = {"Idempotency-Key": key} if key else {}
    response = portal("POST", "cases", BODY, key="", **headers)
    assert response.status_code == 400
    assert response.json()["errors"][0]["pointer"] == "header:Idempotency-Key"


def _at_once(count: int, call: Any) -> list[Any]:
    def one(_number: int) -> Any:
        try:
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(12) as pool:
        return list(pool.map(one, range(count)))


@pytest.mark.django_db(transaction=True)
def test_fifty_repeats_at_once_have_one_effect(
    transactional_db: None, people: Any, portal: Any, desk: Any, calls_of: Any
) -> None:
    case = desk.open("review")
    waiting = desk.open("hour")
    tag = f'"{case.head_number}"'
    task = desk.task_of(case)
    milan = calls_of(people.milan)
    change = {"facts": {"amount": "10"}, "reason": "A typing error."}
    file = b"%PDF-1.4 x"

    def upload() -> Any:
        paper = SimpleUploadedFile("payslip.pdf", file)
        return portal.post(
            f"cases/{case.reference}/documents",
            key="K-paper",
            files={"name": "payslip", "file": paper},
        )

    writes = {
        "open": lambda: portal.post("cases", BODY, key="K-open"),
        "facts": lambda: portal.patch(f"cases/{case.reference}", change, key="K-f", match=tag),
        "claim": lambda: milan.post(f"tasks/{task.pk}/claim", key="K-claim"),
        "paper": upload,
        "message": lambda: portal.post(
            "messages", {"to": waiting.reference, "name": "confirmed", "data": {}}, key="K-m"
        ),
        "complete": lambda: milan.post(
            f"tasks/{task.pk}/complete", {"outcome": "approve"}, key="K-done"
        ),
        "withdraw": lambda: portal.post(
            f"cases/{case.reference}/transitions/withdraw", {"data": {"reason": "x"}}, key="K-w"
        ),
    }
    for name, write in writes.items():
        answers = _at_once(50, write)
        assert len({one.status_code for one in answers}) == 1, (name, answers[0].content)
        assert answers[0].status_code in (200, 201), (name, answers[0].content)
        assert len({one.content for one in answers}) == 1, name
        assert sum("Idempotency-Replayed" not in one for one in answers) == 1, name
    assert Case.objects.count() == 3
    assert Document.objects.count() == Message.objects.filter(source="portal").count() == 1
    for type in ("facts.changed", "task.claimed", "task.completed", "document.received"):
        assert Event.objects.filter(case_id=case.pk, type=type).count() == 1, type
    assert get_case(case.pk).step == "withdrawn"
    assert get_case(waiting.pk).closed_at is not None


@pytest.mark.django_db(transaction=True)
def test_fifty_repeats_of_the_lesser_writes_have_one_effect_too(
    transactional_db: None, people: Any, desk: Any, calls_of: Any, engine: Any
) -> None:
    case, other, stopped = desk.open("review"), desk.open("patience"), desk.stop()
    task = desk.claim(case, people.milan)
    paper = desk.send_document(other, "payslip")
    incident = Incident.objects.get(case=stopped.pk)
    sanne, milan, otto = (calls_of(one) for one in (people.sanne, people.milan, people.otto))
    near = {"reference": other.reference, "reason": "The same owner."}
    related = f"cases/{case.reference}/related"
    writes: dict[str, tuple[Any, str, Any]] = {
        "case.related": (sanne, related, near),
        "case.parted": (sanne, f"{related}/{other.reference}/part", {"reason": "Not so."}),
        "advice.asked": (
            milan,
            f"tasks/{task.pk}/advice",
            {"of": people.ayse.pk, "question": "Is it plausible?"},
        ),
        "task.released": (milan, f"tasks/{task.pk}/release", {"reason": "No time."}),
        "document.accepted": (sanne, f"documents/{paper.pk}/accept", {}),
        "activity.retried": (otto, f"incidents/{incident.pk}/retry", {}),
    }
    for type, (calls, path, body) in writes.items():
        answers = _at_once(50, lambda: calls.post(path, body, key=f"K-{type}"))  # noqa: B023
        assert {one.status_code for one in answers} <= {200, 201}, (type, answers[0].content)
        assert len({one.content for one in answers}) == 1, type
        assert sum("Idempotency-Replayed" not in one for one in answers) == 1, type
        told = 2 if type in ("case.related", "case.parted") else 1  # in both histories
        assert Event.objects.filter(type=type).count() == told, type


# A grant, the id of a signed message, and the offset of an upload are what makes these repeatable.
_OWN_KEYS = ("oauth/", "signed/", "uploads/")


def test_no_write_of_any_address_is_carried_out_without_a_key(
    people: Any, calls_of: Any, program: Any
) -> None:
    """All go through the one place that keeps answers; the few others have keys of their own."""
    petra, hooks = calls_of(people.petra), program("read:*", "open:*")
    tried = 0
    for pattern in urlpatterns:
        path = re.sub(r"<(int|str|path):\w+>", "1", str(pattern.pattern))
        view = getattr(pattern.callback, "cls", None)
        if view is None or not path or path.startswith(_OWN_KEYS) or path == "1":
            continue
        for method in ("POST", "PATCH", "PUT", "DELETE"):
            if not hasattr(view, method.lower()):
                continue
            calls = hooks if path.startswith("webhooks") else petra
            tus = {"Tus-Resumable": "1.0.0"} if "uploads" in path else {}
            answer = calls(method, path, {}, key="", **tus)
            assert answer.status_code == 400, (method, path, answer.content)
            assert answer.json()["errors"][0]["pointer"] == "header:Idempotency-Key", path
            tried += 1
    assert tried > 25


@pytest.mark.django_db(transaction=True)
def test_fifty_cases_in_one_second_get_fifty_numbers(
    transactional_db: None, portal: Any, engine: Any
) -> None:
    answers = _at_once(50, lambda: portal.post("cases", BODY))
    assert {one.status_code for one in answers} == {201}
    numbers = {one.json()["reference"] for one in answers}
    assert len(numbers) == 50 and all(one.startswith("TR-2026-") for one in numbers)


def test_answers_of_long_ago_are_dropped(portal: Any, engine: Any) -> None:
    portal.post("cases", BODY, key="K-1")
    KeptAnswer.objects.update(at=KeptAnswer.objects.get().at - timedelta(days=31))
    assert clients.forget_old() == 1
