"""The pages of accounts and tokens: made, shown once, changed, revoked."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group

from cases.models import Client, Token


@pytest.fixture
def admin(people: Any, client: Any) -> Any:
    people.petra.groups.add(Group.objects.get_or_create(name="administrator")[0])
    client.force_login(people.petra)
    return client


def send(client: Any, address: str, **data: Any) -> Any:
    return client.post(address, {"key": str(uuid4()), **data}, follow=True)


def text_of(page: Any) -> str:
    return re.findall(r"lc_[\w-]{43}", page.content.decode())[0]


def test_an_administrator_makes_an_account_and_sees_its_token_once(
    admin: Any, nobody: Any, engine: Any
) -> None:
    page = send(admin, "/clients/", name="portal", title="Portal", scopes="read:trial open:trial")
    text = text_of(page)
    assert "Shown this once" in page.content.decode()
    again = admin.get("/clients/portal/")
    assert text not in again.content.decode() and text[:8] in again.content.decode()
    assert Token.objects.get().made_by.startswith("person:")
    calls = type(nobody)(text)
    assert calls.get("cases").status_code == 200
    # A wrong scope is told beside its field
    wrong = send(admin, "/clients/portal/", scopes="fly:trial", is_active="on")
    assert wrong.status_code == 422 and "is no scope" in wrong.content.decode()
    # Rotated with a new text, then revoked, then ended
    token = Token.objects.get()
    second = text_of(send(admin, f"/tokens/{token.pk}/change/", overlap_hours="0"))
    assert calls.get("cases").status_code == 401
    newer = type(nobody)(second)
    assert newer.get("cases").status_code == 200
    send(admin, f"/tokens/{Token.objects.latest('pk').pk}/revoke/")
    assert newer.get("cases").status_code == 401
    third = type(nobody)(text_of(send(admin, "/clients/portal/token/")))
    assert third.get("cases").status_code == 200
    send(admin, "/clients/portal/", scopes="read:trial")
    assert Client.objects.get().is_active is False and third.get("cases").status_code == 401


def test_a_form_sent_twice_makes_one_token(admin: Any, engine: Any) -> None:
    data = {"key": str(uuid4()), "name": "portal", "title": "Portal", "scopes": "read:*"}
    for _n in range(2):
        assert admin.post("/clients/", data).status_code == 303
    assert Token.objects.count() == Client.objects.count() == 1


def test_people_make_tokens_of_their_own(people: Any, client: Any, nobody: Any, desk: Any) -> None:
    case = desk.open("patience")
    client.force_login(people.sanne)
    page = send(client, "/settings/tokens/", title="Sheet", scopes="read:trial", days="30")
    calls = type(nobody)(text_of(page))
    assert calls.get(f"cases/{case.reference}").status_code == 200
    assert calls.post(f"cases/{case.reference}/transitions/withdraw").status_code == 403
    token = Token.objects.get()
    # Others do not see it, nor the accounts
    client.force_login(people.eve)
    assert client.get(f"/tokens/{token.pk}/revoke/").status_code == 404
    assert send(client, f"/tokens/{token.pk}/change/", overlap_hours="0").status_code == 404
    assert client.get("/clients/").status_code == 403
    assert client.get("/clients/portal/").status_code == 403
    client.force_login(people.sanne)
    send(client, f"/tokens/{token.pk}/revoke/")
    assert calls.get(f"cases/{case.reference}").status_code == 401
