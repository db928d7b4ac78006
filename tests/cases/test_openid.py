"""Signing in at the organisation's own service: a real OpenID provider in a process of its own."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.test import Client as Browser

from cases.models import AccountChange, Identity, Person
from cases.views import openid

PUBLIC = "http://testserver"


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    """The address of a provider that lets everybody in under the name they give."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            try:
                requests.get(f"{address}/.well-known/openid-configuration", timeout=1)
                break
            except requests.ConnectionError:
                time.sleep(0.05)
        yield address
    finally:
        running.kill()
        running.wait()


@pytest.fixture
def service(provider: str, settings: Any, monkeypatch: Any, people: Any) -> str:
    """Longcase set up for it. That the test's addresses have no TLS is said to Authlib."""
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    settings.LONGCASE_OIDC_ISSUER = provider
    settings.LONGCASE_OIDC_CLIENT_ID = "longcase"
    settings.LONGCASE_OIDC_CLIENT_SECRET = "between-us"
    settings.LONGCASE_OIDC_NAME = "Bank of Northern Towns"
    settings.LONGCASE_PUBLIC_URL = PUBLIC
    openid._client.cache_clear()
    return provider


def known(service: str, subject: str, **claims: Any) -> None:
    """Let the provider know what it says of somebody."""
    requests.put(f"{service}/users/{subject}", json=claims, timeout=5).raise_for_status()


def consent(address: str, subject: str) -> str:
    """What a person does at the provider: give their name. Gives the address that leads back."""
    answer = requests.post(address, data={"sub": subject}, allow_redirects=False, timeout=5)
    assert answer.status_code in (302, 303), answer.text[:500]
    return answer.headers["Location"].removeprefix(PUBLIC)


@pytest.fixture
def sign_in(service: str) -> Callable[..., tuple[Browser, Any]]:
    def act(subject: str, *, then: str = "") -> tuple[Browser, Any]:
        browser = Browser()
        away = browser.get("/login/organisation/", {"next": then})
        assert away.status_code == 302, away.content
        return browser, browser.get(consent(away["Location"], subject))

    return act


def person_in(browser: Browser) -> str:
    return str(browser.session.get("_auth_user_id", ""))


def test_the_first_time_a_verified_address_finds_the_person_and_later_the_name_does(
    people: Any, service: str, sign_in: Any
) -> None:
    sanne = Person.objects.get(pk=people.sanne.pk)
    sanne.email = "Sanne.deWit@bank.example"
    sanne.save()
    known(service, "s-417", email="sanne.dewit@bank.example", email_verified=True)
    browser, answer = sign_in("s-417", then="/cases/?state=all")
    assert answer.status_code == 302 and answer["Location"] == "/cases/?state=all"
    assert person_in(browser) == str(sanne.pk)
    assert browser.get("/work/").status_code == 200
    # The link is on record, and holds when the address is somebody else's one day
    assert AccountChange.objects.get(person=sanne).what == "identity.linked"
    Person.objects.filter(pk=sanne.pk).update(email="")
    Person.objects.filter(pk=people.milan.pk).update(email="sanne.dewit@bank.example")
    browser, _answer = sign_in("s-417")
    assert person_in(browser) == str(sanne.pk)
    assert Identity.objects.count() == 1


def test_whom_longcase_does_not_know_is_told_what_helps(
    people: Any, service: str, sign_in: Any
) -> None:
    Person.objects.filter(pk=people.sanne.pk).update(email="sanne@bank.example")
    # An address that nobody has, one that was not verified, and one that two people share
    known(service, "stranger", email="stranger@bank.example", email_verified=True)
    known(service, "claims-to-be-sanne", email="sanne@bank.example", email_verified=False)
    for subject in ("stranger", "claims-to-be-sanne", "without-any"):
        browser, answer = sign_in(subject)
        assert answer.status_code == 403 and "administrator" in answer.content.decode()
        assert not person_in(browser)
    Person.objects.filter(pk=people.milan.pk).update(email="sanne@bank.example")
    known(service, "which", email="sanne@bank.example", email_verified=True)
    assert sign_in("which")[1].status_code == 403
    assert not Identity.objects.exists()


def test_a_leaver_and_a_second_name_for_one_person_are_not_let_in(
    people: Any, service: str, sign_in: Any
) -> None:
    Person.objects.filter(pk=people.sanne.pk).update(email="sanne@bank.example")
    known(service, "s-1", email="sanne@bank.example", email_verified=True)
    known(service, "s-2", email="sanne@bank.example", email_verified=True)
    assert sign_in("s-1")[1].status_code == 302
    assert sign_in("s-2")[1].status_code == 403
    Person.objects.filter(pk=people.sanne.pk).update(is_active=False)
    browser, answer = sign_in("s-1")
    assert answer.status_code == 403 and "closed" in answer.content.decode()
    assert not person_in(browser)


def test_addresses_are_linked_only_where_that_is_wanted(
    people: Any, service: str, sign_in: Any, settings: Any
) -> None:
    settings.LONGCASE_OIDC_BY_ADDRESS = False
    Person.objects.filter(pk=people.sanne.pk).update(email="sanne@bank.example")
    known(service, "s-1", email="sanne@bank.example", email_verified=True)
    assert sign_in("s-1")[1].status_code == 403


def test_a_code_works_once_and_only_where_it_was_asked_for(
    people: Any, service: str, sign_in: Any
) -> None:
    Person.objects.filter(pk=people.sanne.pk).update(email="sanne@bank.example")
    known(service, "s-1", email="sanne@bank.example", email_verified=True)
    browser = Browser()
    away = browser.get("/login/organisation/")
    asked = parse_qs(urlsplit(away["Location"]).query)
    assert asked["code_challenge_method"] == ["S256"] and asked["nonce"] and asked["state"]
    address = consent(away["Location"], "s-1")
    # Somebody else's browser has not asked
    other = Browser()
    assert other.get(address).status_code == 403 and not person_in(other)
    # A changed state is none of ours
    forged = re.sub(r"state=[^&]+", "state=forged", address)
    assert browser.get(forged).status_code == 403
    assert browser.get(address).status_code == 302
    second = Browser()
    assert second.get(address).status_code == 403 and not person_in(second)
    # What the provider refuses is told, not shown as a fault
    assert browser.get("/login/organisation/back/?error=access_denied").status_code == 403
    assert browser.get("/login/organisation/back/").status_code == 403


def test_nobody_is_led_elsewhere_after_signing_in(people: Any, service: str, sign_in: Any) -> None:
    Person.objects.filter(pk=people.sanne.pk).update(email="sanne@bank.example")
    known(service, "s-1", email="sanne@bank.example", email_verified=True)
    for elsewhere in ("https://evil.example/", "//evil.example", "javascript:alert(1)"):
        _browser, answer = sign_in("s-1", then=elsewhere)
        assert answer["Location"] == "/"


def test_a_silent_service_is_said_and_passwords_can_be_switched_off(
    people: Any, service: str, settings: Any
) -> None:
    page = Browser().get("/login/").content.decode()
    assert "Sign in at Bank of Northern Towns" in page and "id_password" in page
    settings.LONGCASE_OIDC_ONLY = True
    browser = Browser()
    assert "id_password" not in browser.get("/login/").content.decode()
    given = {"username": people.sanne.username, "password": "whatever-it-is"}
    assert browser.post("/login/", given).status_code == 403
    settings.LONGCASE_OIDC_ISSUER = "http://127.0.0.1:9"
    answer = browser.get("/login/organisation/")
    assert answer.status_code == 503 and "does not answer" in answer.content.decode()


def test_without_a_service_nothing_of_it_is_shown(db: None) -> None:
    browser = Browser()
    assert "organisation" not in browser.get("/login/").content.decode()
    assert browser.get("/login/organisation/").status_code == 403
