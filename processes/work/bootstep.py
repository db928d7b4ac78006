"""A Celery worker that hosts the drain of the short lane."""

from __future__ import annotations

import threading
from typing import Any

from celery import bootsteps

from processes.work import drain


class Drain(bootsteps.StartStopStep):
    """Starts the drain with the worker and lets it finish when the worker stops."""

    requires = {"celery.worker.components:Pool"}

    def __init__(self, parent: Any, **kwargs: Any) -> None:
        super().__init__(parent, **kwargs)
        self.drain: drain.Drain | None = None
        self.thread: threading.Thread | None = None

    def start(self, parent: Any) -> None:
        self.drain = drain.Drain()
        self.thread = threading.Thread(target=self.drain.run, daemon=True, name="drain")
        self.thread.start()

    def stop(self, parent: Any) -> None:
        if self.drain is not None and self.thread is not None:
            self.drain.stop.set()
            self.drain.results.put(None)
            self.thread.join(timeout=10)
