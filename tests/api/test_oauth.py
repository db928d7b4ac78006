"""OAuth 2: a program trades its secret for a token of an hour."""

from __future__ import annotations

import base64
import re
from typing import Any
from uuid import uuid4

import pytest
from authlib.integrations.requests_client import OAuth2Session
from django.contrib.auth.models import Group

from cases.actors import service
from cases.models import Token
from processes.acts import clients

ADMIN = service("test")


@pytest.fixture
def portal(program: Any) -> Any:
    return program("read:trial", "open:*", name="portal").client


@pytest.fixture
def secret(portal: Any) -> str:
    return clients.issue_token(actor=ADMIN, client=portal, is_secret=True)[1]


def ask(calls: Any, secret: str, name: str = "portal", **form: str) -> Any:
    basic = base64.b64encode(f"{name}:{secret}".encode()).decode()
    return calls.browser.post(
        "/api/v1/oauth/token",
        {"grant_type": "client_credentials", **form},
        headers={"Authorization": f"Basic {basic}"},
    )


def test_a_secret_buys_a_token_of_an_hour(
    people: Any, engine: Any, nobody: Any, portal: Any, secret: str, clock: Any
) -> None:
    answer = ask(nobody, secret)
    assert answer.status_code == 200 and answer["Cache-Control"] == "no-store"
    told = answer.json()
    assert told["token_type"] == "Bearer" and told["expires_in"] == 3600
    assert told["scope"] == "open:* read:trial"
    calls = type(nobody)(told["access_token"])
    assert calls.get("cases").status_code == 200
    assert told["access_token"] not in str(list(Token.objects.values()))
    clock.advance(hours=1)
    assert calls.get("cases").status_code == 401
    # The secret itself opens nothing, and goes on buying
    assert type(nobody)(secret).get("cases").status_code == 401
    assert ask(nobody, secret).status_code == 200


def test_a_token_may_be_cut_down_and_never_widened(
    people: Any, engine: Any, nobody: Any, portal: Any, secret: str
) -> None:
    narrow = type(nobody)(ask(nobody, secret, scope="read:trial").json()["access_token"])
    assert narrow.get("cases").status_code == 200
    refused = narrow.post("cases", {"kind": "trial", "facts": {}})
    assert refused.status_code == 403 and refused.json()["type"].endswith("scope-missing")
    for wide in ("read:*", "read:loan", "operate:*", "nonsense", "read:trial move:trial"):
        answer = ask(nobody, secret, scope=wide)
        assert answer.status_code == 400 and answer.json()["error"] == "invalid_scope", wide
    # open:* holds open:trial; what an administrator takes away is gone from living tokens too
    opens = type(nobody)(ask(nobody, secret, scope="open:trial").json()["access_token"])
    assert opens.post("cases", {"kind": "trial"}).status_code == 422
    clients.change_client(client=portal, scopes=["read:trial"], is_active=True, actor=ADMIN)
    assert opens.post("cases", {"kind": "trial"}).status_code == 403


def test_wrong_names_and_wrong_secrets_fail_alike_and_not_for_long(
    people: Any, nobody: Any, portal: Any, secret: str, settings: Any, clock: Any
) -> None:
    settings.LONGCASE_API_FAILURES = 5
    wrong = [ask(nobody, "lcs_wrong"), ask(nobody, secret, name="nobody-here")]
    assert {one.status_code for one in wrong} == {401}
    assert wrong[0].json() == wrong[1].json() and wrong[0].json()["error"] == "invalid_client"
    assert ask(nobody, secret, grant_type="password").json()["error"] == "unsupported_grant_type"
    # A secret in the address is none, and a plain token is no secret
    inside = f"/api/v1/oauth/token?client_id=portal&client_secret={secret}"
    assert nobody.browser.post(inside, {"grant_type": "client_credentials"}).status_code == 401
    plain = clients.issue_token(actor=ADMIN, client=portal)[1]
    assert ask(nobody, plain).status_code == 401
    # Tokens tried at the API count as well
    assert type(nobody)("lc_wrong").get("cases").status_code == 401
    late = ask(nobody, secret)
    assert late.status_code == 429 and int(late["Retry-After"]) <= 60
    assert type(nobody)(plain).get("cases").status_code == 429
    clock.advance(minutes=1)
    assert ask(nobody, secret).status_code == 200


def test_a_token_ends_with_its_secret_its_account_or_when_given_back(
    people: Any, engine: Any, nobody: Any, portal: Any, secret: str, clock: Any
) -> None:
    def bought(with_secret: str = secret) -> Any:
        calls = type(nobody)(ask(nobody, with_secret).json()["access_token"])
        assert calls.get("cases").status_code == 200
        return calls

    first, second = bought(), bought()
    form = {"token": first.token, "client_id": "portal", "client_secret": secret}
    assert nobody.browser.post("/api/v1/oauth/revoke", form).status_code == 200
    assert (first.get("cases").status_code, second.get("cases").status_code) == (401, 200)
    # One that is not its own is answered alike, and lives on
    other = clients.make_client(name="other", title="", scopes=["read:trial"], actor=ADMIN)
    theirs = clients.issue_token(actor=ADMIN, client=other, is_secret=True)[1]
    form = {"token": second.token, "client_id": "other", "client_secret": theirs}
    assert nobody.browser.post("/api/v1/oauth/revoke", form).status_code == 200
    assert second.get("cases").status_code == 200
    row = Token.objects.get(digest=clients.digest_of(secret))
    clients.revoke_token(token=row, actor=ADMIN)
    assert second.get("cases").status_code == 401 and ask(nobody, secret).status_code == 401
    newest = clients.issue_token(actor=ADMIN, client=portal, is_secret=True)[1]
    third = bought(newest)
    clients.change_client(client=portal, scopes=portal.scopes, is_active=False, actor=ADMIN)
    assert third.get("cases").status_code == 401 and ask(nobody, newest).status_code == 401
    # Tokens of an hour are not kept for ever, secrets are
    clock.advance(days=31)
    clients.forget_old()
    assert not Token.objects.filter(bought_with__isnull=False).exists()
    assert Token.objects.filter(is_secret=True).count() == 3


def test_an_ordinary_client_library_finds_its_way(
    people: Any,
    engine: Any,
    live_server: Any,
    portal: Any,
    secret: str,
    settings: Any,
    monkeypatch: Any,
) -> None:
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    settings.LONGCASE_PUBLIC_URL = live_server.url
    with OAuth2Session("portal", secret, scope="read:trial") as session:
        about = session.get(
            f"{live_server.url}/.well-known/oauth-authorization-server", withhold_token=True
        ).json()
        session.fetch_token(about["token_endpoint"], grant_type="client_credentials")
        assert session.get(f"{live_server.url}/api/v1/cases").status_code == 200
        session.revoke_token(about["revocation_endpoint"], session.token["access_token"])
        assert session.get(f"{live_server.url}/api/v1/cases").status_code == 401


def test_an_administrator_makes_a_secret_on_the_page(
    people: Any, portal: Any, client: Any, nobody: Any
) -> None:
    people.petra.groups.add(Group.objects.get_or_create(name="administrator")[0])
    client.force_login(people.petra)
    page = client.post("/clients/portal/secret/", {"key": str(uuid4())}, follow=True)
    shown = re.findall(r"lcs_[\w-]{43}", page.content.decode())
    assert len(shown) == 1 and "Secret for OAuth 2" in page.content.decode()
    assert ask(nobody, shown[0]).status_code == 200
    # What it buys is no line on the page
    page = client.get("/clients/portal/").content.decode()
    assert page.count("Made by") == 2 and shown[0] not in page
    client.force_login(people.milan)
    assert client.get("/clients/portal/secret/").status_code == 403


def test_odd_forms_are_refused_in_the_form_of_the_protocol(
    people: Any, nobody: Any, portal: Any, secret: str
) -> None:
    for form in ({"grant_type": "é“\0"}, {"scope": "read:“x”"}, {"client_id": "\x00"}, {}):
        answer = ask(nobody, secret, **{"grant_type": "", **form})
        assert answer.status_code == 400 and answer.json()["error"], form


def test_a_token_that_is_cut_down_has_no_webhooks(
    people: Any, engine: Any, nobody: Any, portal: Any, secret: str
) -> None:
    narrow = type(nobody)(ask(nobody, secret, scope="read:trial").json()["access_token"])
    whole = type(nobody)(ask(nobody, secret).json()["access_token"])
    body = {"url": "https://receiver.example/hook"}
    assert narrow.post("webhooks", body).status_code == 403
    made = whole.post("webhooks", body)
    assert made.status_code == 201, made.content
    for path in ("webhooks", f"webhooks/{made.json()['id']}/secret"):
        assert narrow.get(path).status_code == 403, path
        assert whole.get(path).status_code == 200, path
