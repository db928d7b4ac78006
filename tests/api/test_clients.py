"""Accounts and tokens: made, shown once, rotated, revoked; and how often they may call."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from cases.actors import Actor
from cases.errors import Invalid, NotAllowed
from cases.models import CallCount, Client, Token
from processes.acts import clients


def run(*words: str) -> str:
    said = StringIO()
    call_command("clients", *words, stdout=said, stderr=StringIO())
    return said.getvalue().strip()


def test_an_account_is_made_by_command_and_its_token_shown_once(
    people: Any, engine: Any, nobody: Any
) -> None:
    text = run("new", "portal", "--scope", "read:trial", "--team", people.sanne.team.name)
    token = Token.objects.get()
    assert text.startswith("lc_") and len(text) > 40
    assert text not in str(Token.objects.values().get()) and token.start == text[:8]
    assert text not in run("list") and "portal: read:trial, team Business credit North" in run(
        "list"
    )
    calls = type(nobody)(text)
    assert calls.get("cases").status_code == 200
    assert "used" in run("list")
    # A new scope holds from the next call on, and so does the end
    assert calls.post("cases", {}).status_code == 403
    run("scopes", "portal", "--scope", "read:trial", "--scope", "open:trial")
    assert calls.post("cases", {}).status_code == 422
    run("end", "portal")
    assert calls.get("cases").status_code == 401


def test_a_token_is_changed_without_an_interruption(people: Any, nobody: Any, clock: Any) -> None:
    first = run("new", "portal", "--scope", "read:*")
    second = run("rotate", first[:8], "--overlap-hours", "2")
    old, new = type(nobody)(first), type(nobody)(second)
    assert old.get("cases").status_code == new.get("cases").status_code == 200
    clock.advance(hours=3)
    assert (old.get("cases").status_code, new.get("cases").status_code) == (401, 200)
    third = run("rotate", second[:8])
    assert new.get("cases").status_code == 401
    newest = type(nobody)(third)
    assert newest.get("cases").status_code == 200
    run("revoke", third[:8])
    assert newest.get("cases").status_code == 401
    with pytest.raises(CommandError, match="over already"):
        run("rotate", third[:8])


def test_a_token_ends_by_itself(people: Any, nobody: Any, clock: Any) -> None:
    calls = type(nobody)(run("new", "portal", "--scope", "read:*", "--days", "30"))
    clock.advance(days=29)
    assert calls.get("cases").status_code == 200
    clock.advance(days=2)
    assert calls.get("cases").status_code == 401


def test_wrong_words_are_named(people: Any, engine: Any) -> None:
    for words, said in (
        (("new", "portal", "--scope", "fly:*"), "“fly:*” is no scope"),
        (("new", "portal", "--scope", "read:nothing"), "“read:nothing” is no scope"),
        (("new", "portal", "--team", "None"), "There is no team “None”"),
        (("new", "a b"), "letters, digits"),
        (("token", "none"), "There is no account “none”"),
        (("revoke", "lc_none"), "No token begins"),
    ):
        with pytest.raises(CommandError, match=re.escape(said)):
            run(*words)
    run("new", "portal")
    with pytest.raises(CommandError, match="already"):
        run("new", "portal")
    assert Client.objects.count() == 1


def test_who_may_make_them(people: Any) -> None:
    sanne, eve = Actor.of(people.sanne), Actor.of(people.eve)
    with pytest.raises(NotAllowed):
        clients.make_client(name="x", title="", scopes=[], actor=sanne)
    token, _text = clients.issue_token(person=people.sanne, scopes=["read:*"], actor=sanne)
    for act in (clients.rotate_token, clients.revoke_token):
        with pytest.raises(NotAllowed):
            act(token=token, actor=eve)
    with pytest.raises(Invalid):
        clients.issue_token(person=people.sanne, scopes=["read"], actor=sanne)
    clients.revoke_token(token=token, actor=sanne)
    assert Token.objects.get().revoked_by == f"person:{people.sanne.pk}"


def test_calls_are_counted_for_each_caller_and_told(
    program: Any, engine: Any, settings: Any
) -> None:
    settings.LONGCASE_API_CALLS = 3
    busy, calm = program("read:*"), program("read:*")
    answers = [busy.get("cases") for _n in range(4)]
    assert [one.status_code for one in answers] == [200, 200, 200, 429]
    assert [one["RateLimit-Remaining"] for one in answers] == ["2", "1", "0", "0"]
    assert answers[3].json()["type"] == "/api/v1/problems/too-many"
    assert 0 < int(answers[3]["Retry-After"]) <= 60
    assert calm.get("cases").status_code == 200
    engine.advance(minutes=1)
    assert busy.get("cases").status_code == 200
    engine.advance(hours=2)
    clients.forget_old()
    assert not CallCount.objects.exists()


def test_other_methods_and_media_are_refused_as_problems(program: Any, engine: Any) -> None:
    calls = program("read:*", "open:*")
    for response, status, slug in (
        (calls("DELETE", "cases"), 405, "wrong-method"),
        (calls("OPTIONS", "cases"), 405, "wrong-method"),
        (calls.get("cases", Accept="text/csv"), 406, "not-acceptable"),
        (calls.post("cases", "{"), 400, "malformed"),
    ):
        assert response.status_code == status
        assert response.json()["type"] == f"/api/v1/problems/{slug}"
        assert response["Content-Type"] == "application/problem+json"
    assert calls("HEAD", "cases").status_code == 200
