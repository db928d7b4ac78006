"""What calls of the API cost: list, read, open and message, over HTTP, on the cores there are."""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from bench.grow import grow
from bench.installation import Installation
from cases.actors import service
from cases.models import Case
from config.environment import CHECKOUT
from processes.acts import clients

ALL = "tasks,requirements,documents,clocks,events,transitions,parent,children"
LOAN = {"applicant_name": "Ana Example", "national_id": "999900001", "amount": "20000"}
CALLERS = 4  # at a time, each with one connection
SECONDS = 10.0  # of each measure
WARM_SECONDS = 1.0
BENCH = service("bench")

Call = Callable[[httpx.Client], httpx.Response]


def api(installed: Installation, *, size: int, events: int) -> Iterator[str]:
    """Fill the installation where a size is given, then ask with several callers at once."""
    if size:
        grow(cases=size, events=events)
    scopes = [f"{act}:*" for act in ("read", "open", "messages")]
    client = clients.make_client(name="bench", title="Bench", scopes=scopes, actor=BENCH)
    _row, token = clients.issue_token(actor=BENCH, client=client)
    with _server(installed) as url:
        count = Case.objects.count()
        yield f"api           {count} cases, {CALLERS} callers at once, {_cores()} cores"
        yield f"  {'':40} p50 ms  p95 ms  calls/s"
        for what, call in _calls(random.Random(7)):
            yield _measured(what, call, url=url, token=token)


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def _calls(rng: random.Random) -> Iterator[tuple[str, Call]]:
    some = list(Case.objects.filter(restricted=False).order_by("-pk")[:3000])
    loans = [one.reference for one in some if one.kind == "loan" and one.is_open]
    team = next(one.team.name for one in some if one.team_id)
    numbers = itertools.count(1)

    def get(address: Callable[[], str]) -> Call:
        return lambda client: client.get(address())

    def post(address: str, body: Callable[[int], dict[str, Any]]) -> Call:
        def call(client: httpx.Client) -> httpx.Response:
            number = next(numbers)
            return client.post(
                address, json=body(number), headers={"Idempotency-Key": f"bench-{number}"}
            )

        return call

    def opened(number: int) -> dict[str, Any]:
        return {"kind": "loan", "title": f"Ana {number}", "team": team, "facts": LOAN}

    def sent(number: int) -> dict[str, Any]:
        return {"to": rng.choice(loans), "name": "offer_answer", "data": {"answer": "accept"}}

    yield "list, 50 open cases", get(lambda: "/api/v1/cases?state=open")
    yield "list, by due date", get(lambda: "/api/v1/cases?state=open&order=due")
    yield "read", get(lambda: f"/api/v1/cases/{rng.choice(some).reference}")
    yield (
        "read with all that can be included",
        get(lambda: f"/api/v1/cases/{rng.choice(some).reference}?include={ALL}"),
    )
    yield "open a loan", post("/api/v1/cases", opened)
    yield "send a message to a loan", post("/api/v1/messages", sent)


def _measured(what: str, call: Call, *, url: str, token: str) -> str:
    times: list[float] = []
    failed: list[str] = []
    headers = {"Authorization": f"Bearer {token}"}

    def ask(seconds: float, kept: list[float]) -> None:
        with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
            end = time.monotonic() + seconds
            while time.monotonic() < end and not failed:
                began = time.perf_counter()
                answer = call(client)
                kept.append(1000 * (time.perf_counter() - began))
                if answer.status_code >= 300:
                    failed.append(f"{answer.status_code} {json.dumps(answer.json())[:300]}")

    def all_ask(seconds: float, kept: list[float]) -> float:
        threads = [threading.Thread(target=ask, args=(seconds, kept)) for _ in range(CALLERS)]
        began = time.monotonic()
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        return time.monotonic() - began

    all_ask(WARM_SECONDS, [])
    took = all_ask(SECONDS, times)
    if failed:
        raise SystemExit(f"{what}: {failed[0]}")
    times.sort()
    p95 = times[int(0.95 * (len(times) - 1))]
    return f"  {what:40} {times[len(times) // 2]:6.1f}  {p95:6.1f}  {len(times) / took:7.1f}"


@contextmanager
def _server(installed: Installation) -> Iterator[str]:
    """The web server as `make up` runs it, with a worker process a core and no limit of calls."""
    port = 8000 + os.getpid() % 1000 + 1000
    environ = {
        **os.environ,
        "PORT": str(port),
        "LONGCASE_HOSTS": "127.0.0.1",
        "WEB_WORKERS": str(_cores()),
        "LONGCASE_API_CALLS": "100000000",
    }
    words = ["-m", "gunicorn", "-c", "python:config.gunicorn", "config.wsgi"]
    server = subprocess.Popen([sys.executable, *words], cwd=CHECKOUT, env=environ)
    url = f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + 60
        while True:
            try:
                httpx.get(f"{url}/api/v1/problems", timeout=5)
                break
            except httpx.HTTPError:
                if time.monotonic() > end or server.poll() is not None:
                    raise
                time.sleep(0.2)
        yield url
    finally:
        server.terminate()
        server.wait(30)
