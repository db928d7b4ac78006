"""While the database is away, pages and programs are told to try again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection, connections
from django.test import Client

from config import unavailable

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The database refuses connections, as it does while it restarts."""

    def refuse(*_: Any) -> None:
        raise psycopg.OperationalError("connection refused")

    connection.close()
    monkeypatch.setattr(type(connections["default"]), "get_new_connection", refuse)
    yield
    monkeypatch.undo()


@pytest.mark.parametrize(
    ("method", "address"),
    [("get", "/work/"), ("get", "/cases/"), ("post", "/login/"), ("post", "/cases/new/trial/")],
)
def test_pages_say_try_again(people: Any, away: Any, address: str, method: str) -> None:
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = "x" * 32
    form = {"username": "sanne", "password": "x"}
    response = getattr(client, method)(address, form if method == "post" else None)
    assert response.status_code == 503, response.content
    assert response["Retry-After"] == "5" and response["Cache-Control"] == "no-store"
    assert b"Nothing was saved" in response.content and b"Traceback" not in response.content


def test_programs_get_a_problem(people: Any, away: Any) -> None:
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = "x" * 32
    response = client.get("/work/", headers={"Accept": "application/json"})
    assert (response.status_code, response["Content-Type"]) == (503, "application/problem+json")
    assert response.json()["status"] == 503 and response["Retry-After"] == "5"


def test_afterwards_pages_are_served_again(people: Any, client: Client) -> None:
    client.force_login(people.sanne)
    assert client.get("/work/").status_code == 200


def test_a_read_only_database_is_away_and_a_bug_is_not() -> None:
    with pytest.raises(Exception) as caught, connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        try:
            cursor.execute("UPDATE cases_case SET title = ''")
        finally:
            cursor.execute("SET default_transaction_read_only = off")
    assert unavailable.is_away(caught.value)
    wrapped = ValueError("while reading")
    wrapped.__context__ = OperationalError("gone")
    assert unavailable.is_away(wrapped)
    assert not unavailable.is_away(ValueError("a bug")) and not unavailable.is_away(None)


def test_a_bug_stays_a_500(people: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr("cases.worklist.my_work", broken)
    client = Client(raise_request_exception=False)
    client.force_login(people.sanne)
    response = client.get("/work/")
    assert response.status_code == 500 and "Retry-After" not in response


FREEZE = """
import os, signal, django
django.setup()
from django.db import connection, transaction
with transaction.atomic(), connection.cursor() as cursor:
    cursor.execute("SELECT id FROM cases_team FOR UPDATE")
    print("locked", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
"""


def test_a_frozen_process_does_not_hold_rows_for_ever(people: Any) -> None:
    # Given a process that froze while it held a lock
    from processes.work.drain import _conninfo

    address = dict(psycopg.conninfo.conninfo_to_dict(_conninfo()))
    parts = "&".join(f"{name}={address[name]}" for name in ("host", "port") if name in address)
    url = f"postgresql:///{address['dbname']}?user={address['user']}&{parts}"
    frozen = subprocess.Popen(
        [sys.executable, "-c", FREEZE],
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": url,
            "LONGCASE_IDLE_TRANSACTION_SECONDS": "1",
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert frozen.stdout is not None and frozen.stdout.readline() == "locked\n"

        # When another waits for the row, then it gets it, though nobody woke the first
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = '60s'")
            cursor.execute("UPDATE cases_team SET name = name")
            cursor.execute("RESET statement_timeout")
        assert frozen.poll() is None
    finally:
        frozen.send_signal(signal.SIGKILL)
        frozen.wait()


def test_every_connection_has_a_limit() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("1min",)
