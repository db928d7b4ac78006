"""The stand-ins as a process of their own: HTTP in, and the appraiser's answers out.

POST /identity, /credit, /appraiser/orders, /bank/payouts, with an Idempotency-Key
GET  /bank/payouts, /appraiser/orders, /journal
GET, POST, DELETE /control: {"service": "bank", "mode": "drop", "times": 2}, or {"delay_seconds": 2}
"""

from __future__ import annotations

import heapq
import json
import threading
import urllib.error
import urllib.request
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from processes.standins.journal import Journal
from processes.standins.world import Broken, Order, Reply, World, Wrong
from timers import clock

BODY_BYTES = 64 * 1024
LONGEST_PAUSE_SECONDS = 30.0


class Postman(threading.Thread):
    """Brings the appraiser's answers to their addresses, some seconds after the order."""

    def __init__(self, world: World, delay_seconds: float) -> None:
        super().__init__(name="postman", daemon=True)
        self.world = world
        self.delay_seconds = delay_seconds
        self.changed = threading.Condition()
        self.due: list[tuple[float, int, int, Order]] = []  # when, order of arrival, tries
        self.count = 0

    def take(self, order: Order, *, tries: int = 0, after_seconds: float | None = None) -> None:
        delay = self.delay_seconds if after_seconds is None else after_seconds
        with self.changed:
            self.count += 1
            heapq.heappush(self.due, (clock.monotonic() + delay, self.count, tries, order))
            self.changed.notify()

    def run(self) -> None:
        while True:
            with self.changed:
                wait = self.due[0][0] - clock.monotonic() if self.due else None
                if wait is None or wait > 0:
                    self.changed.wait(wait)
                    continue
                _, _, tries, order = heapq.heappop(self.due)
            if order.state == "ordered" and not order.is_silent:
                self._bring(order, tries)

    def _bring(self, order: Order, tries: int) -> None:
        address, answer = self.world.appraise(order)
        request = urllib.request.Request(
            address,
            data=json.dumps(answer).encode(),
            headers={"Content-Type": "application/json", "Idempotency-Key": order.order},
        )
        try:
            with urllib.request.urlopen(request, timeout=10):
                self.world.answered(order)
        except urllib.error.HTTPError as refusal:
            if 400 <= refusal.code < 500:
                self.world.answered(order)  # nobody wants it any more
            else:
                self._again(order, tries)
        except (OSError, ValueError):
            self._again(order, tries)

    def _again(self, order: Order, tries: int) -> None:
        pause = min(0.5 * 2**tries, LONGEST_PAUSE_SECONDS)
        self.take(order, tries=tries + 1, after_seconds=pause)


class Standins(ThreadingHTTPServer):
    """The server. `serve_forever()` it; `server_address` says where it listens."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, *, host: str, port: int, journal: Journal, delay_seconds: float) -> None:
        self.world = World(journal=journal)
        self.postman = Postman(self.world, delay_seconds)
        self.world.ordered = self.postman.take
        super().__init__((host, port), Handler)
        self.postman.start()
        for order in self.world.open_orders():  # an earlier run ended before it answered these
            self.postman.take(order)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that went away is no news."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    server: Standins

    def do_GET(self) -> None:
        self.serve()

    def do_POST(self) -> None:
        self.serve()

    def do_DELETE(self) -> None:
        self.serve()

    def serve(self) -> None:
        try:
            length = int(self.headers.get("Content-Length") or 0)
        except ValueError:
            length = -1
        if not 0 <= length <= BODY_BYTES:
            self.close_connection = True
            self.reply(Reply(413, {"reason": f"At most {BODY_BYTES} bytes."}))
            return
        body = self.rfile.read(length)
        try:
            self.reply(self.answer(body))
        except Wrong as wrong:
            self.reply(Reply(wrong.status, {"reason": str(wrong)}))
        except Broken:
            self.close_connection = True

    def answer(self, body: bytes) -> Reply:
        world = self.server.world
        path = self.path.partition("?")[0]
        if path == "/control":
            return self.control(body)
        if path == "/journal":
            with world.journal.lock:
                effects = list(world.journal.effects.values())
                return Reply(200, {"calls": dict(world.journal.calls), "effects": effects})
        return world.answer(
            self.command,
            path,
            key=self.headers.get("Idempotency-Key", ""),
            body=body,
            pause=clock.sleep,
        )

    def control(self, body: bytes) -> Reply:
        world, postman = self.server.world, self.server.postman
        if self.command == "DELETE":
            world.reset()
        elif self.command == "POST":
            try:
                told = json.loads(body)
                if "delay_seconds" in told:
                    postman.delay_seconds = float(told.pop("delay_seconds"))
                if told:
                    world.behave(**told)
            except (ValueError, TypeError) as error:
                raise Wrong(400, f"This tells me nothing: {error}") from error
        behaviours = {
            service: [asdict(one) for one in queue] for service, queue in world.behaviours.items()
        }
        return Reply(200, {"behaviours": behaviours, "delay_seconds": postman.delay_seconds})

    def reply(self, reply: Reply) -> None:
        is_text = isinstance(reply.body, str)
        content = (reply.body if is_text else json.dumps(reply.body)).encode()  # type: ignore[union-attr]
        self.send_response(reply.status)
        self.send_header("Content-Type", "text/html" if is_text else "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Bodies and addresses hold people's data; the journal has what matters."""
