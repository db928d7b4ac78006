"""Calls that wait for the feed: they sleep, and one connection of the process listens for them."""

from __future__ import annotations

import logging
import threading

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection

from audit import feed
from timers import clock

log = logging.getLogger("longcase.feed")

LOOKS_EVERY = 0.2  # seconds, while somebody waits: events of commits that call nobody


class Watch:
    """Wakes whoever waits in this process when the feed has grown."""

    def __init__(self) -> None:
        self._grown = threading.Condition()
        self._count = 0  # how often it grew
        self._waiting = 0
        self._thread: threading.Thread | None = None

    def wait(self, seconds: float) -> bool:
        """Sleep until the feed grows, at most so long. False at once where as many wait as may:
        each holds a thread of the web server."""
        with self._grown:
            if self._waiting >= settings.LONGCASE_FEED_WAITERS:
                return False
            self._waiting += 1
            seen = self._count
            if self._thread is None:
                self._thread = threading.Thread(target=self._listen, daemon=True, name="feed")
                self._thread.start()
            try:
                return self._grown.wait_for(lambda: self._count != seen, timeout=seconds)
            finally:
                self._waiting -= 1

    def _listen(self) -> None:
        """Until nobody waits."""
        try:
            listener = connection.copy()
            try:
                with listener.cursor() as cursor:
                    cursor.execute(f"LISTEN {feed.CHANNEL}")
                while self._is_needed():
                    grown = bool(feed.number())
                    for _call in listener.connection.notifies(timeout=LOOKS_EVERY, stop_after=1):
                        grown = True
                    if grown:
                        self._tell()
            finally:
                listener.close()
        except DatabaseError as error:
            log.warning("database_away", extra={"error": type(error).__name__})
            clock.sleep(LOOKS_EVERY)
        finally:
            connection.close()
            with self._grown:
                self._thread = None
            self._tell()  # whoever came meanwhile looks, and waits anew

    def _is_needed(self) -> bool:
        with self._grown:
            return self._waiting > 0

    def _tell(self) -> None:
        with self._grown:
            self._count += 1
            self._grown.notify_all()


watch = Watch()
