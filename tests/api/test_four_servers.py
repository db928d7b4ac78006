"""The same promises when four server processes share the calls."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from cases.models import Case, KeptAnswer
from tests import forking

BODY = {"kind": "trial", "title": "Hartog Bakery", "facts": {"script": "patience"}}


@pytest.fixture
def server(installation: Any) -> Iterator[str]:
    """Four processes that answer at one address, on the database of the test."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environ = {**installation.environ, "PORT": str(port), "WEB_WORKERS": "4", "WEB_THREADS": "4"}
    words = ["-m", "gunicorn", "-c", "python:config.gunicorn", "config.wsgi"]
    process = forking.start(words, environ=environ, log=installation.folder / "web.log")
    address = f"http://127.0.0.1:{port}/api/v1"
    try:
        installation.wait(lambda: _is_up(address), "the servers", seconds=120)
        yield address
    finally:
        process.terminate()
        process.wait(30)


def _is_up(address: str) -> bool:
    try:
        return urllib.request.urlopen(f"{address}/problems", timeout=5).status == 200
    except OSError:
        return False


def post(address: str, token: str, key: str, body: Any) -> tuple[int, bytes]:
    sent = urllib.request.Request(
        f"{address}/cases",
        json.dumps(body).encode(),
        {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Idempotency-Key": key,
        },
    )
    try:
        with urllib.request.urlopen(sent, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_twenty_requests_with_one_key_open_one_case_and_fifty_open_fifty(
    server: str, program: Any
) -> None:
    token = program("open:trial", "read:trial").token
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _n: post(server, token, "K-1", BODY), range(20)))
        many = list(pool.map(lambda n: post(server, token, f"M-{n}", BODY), range(50)))
    done = [one for one in answers if one[0] == 201]
    assert {one[0] for one in answers} <= {201, 409} and done, answers
    for status, body in answers:
        if status == 409:  # its twin was slow; to be sent again
            assert json.loads(body)["type"] == "/api/v1/problems/still-running"
    assert len({body for _status, body in done}) == 1
    assert post(server, token, "K-1", BODY) == done[0]
    assert [status for status, _body in many] == [201] * 50, many
    numbers = {json.loads(body)["reference"] for _status, body in many}
    assert len(numbers) == 50 and Case.objects.count() == 51
    assert KeptAnswer.objects.count() == 51
