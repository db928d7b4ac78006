"""The stand-ins: the same answer to the same key, also after a kill."""

from __future__ import annotations

import json
import threading
import urllib.error
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from processes.standins.journal import Journal, OtherContent
from timers import clock

ORDER = {"amount": "1000", "reference": "LN-1"}


def test_an_effect_happens_once_a_key(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    made: list[int] = []

    def book() -> dict[str, Any]:
        made.append(1)
        return {"booking": len(made)}

    assert journal.once("bank", "booked", "k", ORDER, book) == {"booking": 1}
    assert journal.once("bank", "booked", "k", ORDER, book) == {"booking": 1}
    with pytest.raises(OtherContent):
        journal.once("bank", "booked", "k", {"amount": "2"}, book)
    assert len(made) == 1
    assert len((tmp_path / "j").read_bytes().splitlines()) == 1


def test_a_half_written_line_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "j"
    Journal(path).once("bank", "booked", "k", ORDER, lambda: {"booking": "1"})
    with path.open("ab") as file:
        file.write(b'{"service": "bank", "wh')
    again = Journal(path)
    again.once("bank", "booked", "other", ORDER, lambda: {"booking": "2"})
    assert [json.loads(line)["key"] for line in path.read_bytes().splitlines()] == ["k", "other"]


def test_a_kill_loses_nothing_that_was_answered(standins: Any) -> None:
    first = standins.call("POST", "/bank/payouts", ORDER, key="killed")
    standins.kill()
    standins.start()
    assert standins.call("POST", "/bank/payouts", ORDER, key="killed") == first
    assert len([e for e in standins.effects("bank", "booked") if e["key"] == "killed"]) == 1


def test_it_can_be_told_how_to_behave_for_some_calls(standins: Any) -> None:
    standins.tell(service="credit", mode="status", status=503, times=1)
    ask = {"national_id": "999900001", "amount": "10", "income": "10", "term_months": 1}
    with pytest.raises(urllib.error.HTTPError, match="503"):
        standins.call("POST", "/credit", ask, key="told")
    assert 300 <= standins.call("POST", "/credit", ask, key="told")["score"] <= 850


@pytest.mark.parametrize(
    "told", [{"service": "moon"}, {"service": "bank", "mode": "odd"}, {"delay_seconds": "x"}]
)
def test_what_it_does_not_understand_it_refuses(standins: Any, told: dict[str, Any]) -> None:
    with pytest.raises(urllib.error.HTTPError, match="400"):
        standins.tell(**told)


@pytest.fixture
def doorstep() -> Iterator[Any]:
    """An address that takes answers, after refusing the first."""
    came: list[Any] = []

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            came.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(503 if len(came) == 1 else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Door)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/answer/x", came
    server.shutdown()
    server.server_close()


def test_the_appraiser_brings_its_answer_until_it_is_taken(standins: Any, doorstep: Any) -> None:
    # Given an order, and a stand-in that is killed before it answers
    address, came = doorstep
    standins.tell(delay_seconds=30)
    order = {"answer_to": address, "security": "A house", "amount": "1000"}
    standins.call("POST", "/appraiser/orders", order, key="order")
    standins.kill()
    standins.start()
    assert came == []

    # When it runs again, and the first delivery meets a closed door
    standins.tell(delay_seconds=0)
    (kept,) = standins.call("GET", "/appraiser/orders")["orders"]
    standins.call(
        "POST", f"/appraiser/orders/{kept['order']}/chase", {"answer_to": address}, key="chase"
    )

    # Then it comes again, and then no more
    end = clock.monotonic() + 10
    while len(came) < 2 and clock.monotonic() < end:
        clock.sleep(0.05)
    assert [one["value"] for one in came] == [kept["value"]] * 2
