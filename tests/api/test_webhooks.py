"""Webhooks over the API and on their pages: whose they are, and what may be done with them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group

from processes.models import Webhook, WebhookAttempt
from processes.webhooks import delivering

URL = "https://hooks.example.org/longcase"


@pytest.fixture
def portal(program: Any) -> Any:
    return program("read:trial", name="portal")


@pytest.fixture
def admin(people: Any, client: Any) -> Any:
    people.petra.groups.add(Group.objects.get_or_create(name="administrator")[0])
    client.force_login(people.petra)
    return client


def make(calls: Any, **more: Any) -> dict[str, Any]:
    answer = calls.post("webhooks", {"url": URL, **more})
    assert answer.status_code == 201, answer.content
    return answer.json()  # type: ignore[no-any-return]


def test_a_program_makes_changes_and_ends_its_own(portal: Any, desk: Any) -> None:
    made = make(portal, kinds=["trial"], types=["task.*"], title="Tasks")
    path = f"webhooks/{made['id']}"
    assert made["state"] == "active" and made["client"] == "portal" and made["behind"] == 0
    assert portal.get("webhooks").json()["results"] == [made]
    desk.open("hour")
    portal.get("events")
    assert portal.get(path).json()["behind"] > 0
    changed = portal.patch(path, {"types": [], "url": URL + "/2"}).json()
    assert (changed["types"], changed["url"]) == ([], URL + "/2")
    assert portal.post(f"{path}/pause").json()["state"] == "paused"
    assert portal.post(f"{path}/resume").json()["state"] == "active"
    secret = portal.get(f"{path}/secret").json()
    assert len(secret["secrets"]) == 1 and secret["overlap_until"] is None
    portal.post(f"{path}/rotate", {"overlap_hours": 2})
    both = portal.get(f"{path}/secret").json()
    assert both["secrets"][1] == secret["secrets"][0] and both["overlap_until"]
    replayed = portal.post(f"{path}/replay", {"after": "beginning"}).json()
    assert replayed["behind"] > 0
    assert Webhook.objects.get().position == 0
    assert portal.post(f"{path}/end").json()["state"] == "ended"
    again = portal.post(f"{path}/end")
    assert again.status_code == 200
    refused = portal.post(f"{path}/resume")
    assert refused.status_code == 409
    assert refused.json()["type"] == "/api/v1/problems/webhook-ended"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"url": "http://example.org"}, "url"),
        ({"url": "https://10.0.0.1/"}, "url"),
        ({"url": "https://169.254.169.254/latest"}, "url"),
        ({"url": URL, "kinds": ["none"]}, "kinds"),
        ({"url": URL, "types": ["DROP TABLE"]}, "types"),
        ({"url": URL, "after": "nonsense"}, "after"),
        ({"url": URL, "other": 1}, "other"),
    ],
)
def test_what_does_not_fit_is_pointed_at(portal: Any, body: Any, field: str) -> None:
    answer = portal.post("webhooks", body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == f"#/{field}"
    assert not Webhook.objects.exists()


def test_nobody_else_sees_or_touches_it(
    portal: Any, program: Any, calls_of: Any, people: Any
) -> None:
    made = make(portal)
    other = program("read:*", name="other")
    acts = ("rotate", "test", "pause", "resume", "replay", "end")
    for calls, status in ((other, 404), (calls_of(people.sanne), 403), (calls_of(people.ada), 403)):
        for path in ("", "/attempts", "/secret"):
            assert calls.get(f"webhooks/{made['id']}{path}").status_code == status
        for act in acts:
            body = {"after": "now"} if act == "replay" else {}
            assert calls.post(f"webhooks/{made['id']}/{act}", body).status_code == status
        assert calls.patch(f"webhooks/{made['id']}", {"url": URL}).status_code == status
    assert other.get("webhooks").json()["results"] == []
    assert other.post("webhooks", {"url": URL, "client": "portal"}).status_code == 403
    assert program("open:trial").post("webhooks", {"url": URL}).status_code == 403
    # Who manages programs does it for them
    people.petra.groups.add(Group.objects.get_or_create(name="administrator")[0])
    petra = calls_of(people.petra)
    assert [one["id"] for one in petra.get("webhooks").json()["results"]] == [made["id"]]
    assert petra.post("webhooks", {"url": URL}).status_code == 422
    assert petra.post("webhooks", {"url": URL, "client": "other"}).status_code == 201
    assert petra.post(f"webhooks/{made['id']}/pause").json()["state"] == "paused"


def test_each_try_stands_in_the_log(portal: Any, desk: Any, engine: Any, receivers: Any) -> None:
    receiver = receivers()
    made = make(portal, url=receiver.url)
    receiver.behave = lambda _call: 500
    desk.open("hour")
    delivering.deliver_due()
    receiver.behave = lambda _call: 200
    engine.advance(minutes=1)
    delivering.deliver_due()
    path = f"webhooks/{made['id']}/attempts"
    log = portal.get(f"{path}?order=at").json()["results"]
    assert [one["status"] for one in log[:2]] == [500, 200] and log[0]["answer"] == "thanks"
    assert log[0]["webhook_id"] == log[1]["webhook_id"] and log[1]["attempt"] == 2
    failed = portal.get(f"{path}?failed=true").json()["results"]
    assert [one["id"] for one in failed] == [log[0]["id"]]
    engine.advance(days=31)
    delivering.forget_old()
    assert not WebhookAttempt.objects.exists()


def test_administrators_do_all_of_it_on_pages(
    admin: Any, portal: Any, desk: Any, receivers: Any, people: Any
) -> None:
    receiver = receivers()

    def send(address: str, status: int = 200, **data: Any) -> Any:
        page = admin.post(address, {"key": str(uuid4()), **data}, follow=True)
        assert page.status_code == status, page.content.decode()
        return page.content.decode()

    refused = send("/webhooks/", 422, client=portal.client.pk, url="https://10.0.0.1/")
    assert "no public address" in refused
    send("/webhooks/", client=portal.client.pk, url=receiver.url, title="Tasks", types="task.*")
    hook = Webhook.objects.get()
    desk.open("review")
    receiver.answer = b"<script>alert(1)</script>"
    delivering.deliver_due()
    page = admin.get(f"/webhooks/{hook.pk}/").content.decode()
    assert "task.opened" in page and "&lt;script&gt;" in page and "<script>alert" not in page
    for act in ("test", "pause", "resume", "replay", "secret", "change", "end"):
        assert admin.get(f"/webhooks/{hook.pk}/{act}/").status_code == 200
    assert "Paused by hand." in send(f"/webhooks/{hook.pk}/pause/")
    send(f"/webhooks/{hook.pk}/resume/")
    send(f"/webhooks/{hook.pk}/replay/", after="beginning")
    assert "Give a moment" in send(f"/webhooks/{hook.pk}/replay/", 422)
    assert send(f"/webhooks/{hook.pk}/secret/", overlap_hours=1).count("whsec_") == 2
    send(f"/webhooks/{hook.pk}/change/", url=receiver.url, types="", kinds="trial", title="All")
    hook.refresh_from_db()
    assert (hook.title, hook.types, hook.kinds) == ("All", [], ["trial"])
    assert "All" in admin.get("/webhooks/").content.decode()
    send(f"/webhooks/{hook.pk}/end/")
    # Others have no such pages
    admin.force_login(people.sanne)
    for address in ("/webhooks/", f"/webhooks/{hook.pk}/", f"/webhooks/{hook.pk}/secret/"):
        assert admin.get(address).status_code == 403
    assert admin.get(f"/webhooks/{hook.pk}/fly/").status_code == 403
    admin.force_login(people.petra)
    assert admin.get("/webhooks/999/").status_code == 404


def test_a_page_of_many_tries_takes_few_queries(
    admin: Any, portal: Any, desk: Any, receivers: Any, django_assert_max_num_queries: Any
) -> None:
    receiver = receivers()
    made = make(portal, url=receiver.url)
    for _ in range(6):
        desk.open("review")
    delivering.deliver_due()
    for address in ("/webhooks/", f"/webhooks/{made['id']}/"):
        with django_assert_max_num_queries(10):
            admin.get(address)
