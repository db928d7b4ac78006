"""A stand-in for a service outside, in this process, that can be told to be wrong."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class World:
    """A payment service. `answers` are the statuses of the next calls: 0 hangs up before it has
    booked, -1 afterwards; any other but 200 books nothing. When none are left, all is well."""

    def __init__(self) -> None:
        self.answers: list[int] = []
        self.calls: list[tuple[str, int]] = []  # (idempotency key, answer)
        self.booked: dict[str, str] = {}
        world = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                key = self.headers["Idempotency-Key"]
                status = world.answers.pop(0) if world.answers else 200
                world.calls.append((key, status))
                if status in (200, -1):
                    world.booked.setdefault(key, body["amount"])
                if status <= 0:
                    self.close_connection = True
                    self.connection.close()
                    return
                answer = b'"paid"' if status == 200 else f"answer {status}".encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
