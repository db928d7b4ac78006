"""The courier: sends to many webhooks at once, in threads beside the drain of a worker."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection

from audit import feed
from processes.models import Webhook
from processes.webhooks import delivering
from timers import clock

log = logging.getLogger("longcase.webhooks")

LOOKS_EVERY, LOOKS_EVERY_IDLE = 0.25, 2.0  # seconds; idle while there is no webhook at all


class Courier:
    """`run` until `stop` is set. Any number may run, anywhere."""

    def __init__(self, *, threads: int | None = None) -> None:
        self.threads = threads or int(settings.LONGCASE_WEBHOOK_THREADS)
        self.stop = threading.Event()
        self._lock = threading.Lock()
        self._busy = 0
        self._unsteady = 0  # of those, with webhooks that fail or are slow

    def run(self) -> None:
        with ThreadPoolExecutor(self.threads, thread_name_prefix="courier") as pool:
            while not self.stop.is_set():
                try:
                    clock.refresh_if_stale()
                    wanted = Webhook.objects.exclude(state="ended").exists()
                    if wanted:
                        feed.number()
                        self._send_out(pool)
                except (DatabaseError, psycopg.Error) as error:
                    log.warning("database_away", extra={"error": type(error).__name__})
                    connection.close()
                    wanted = False
                self.stop.wait(LOOKS_EVERY if wanted else LOOKS_EVERY_IDLE)
        connection.close()

    def _send_out(self, pool: ThreadPoolExecutor) -> None:
        """Give free threads something to do. Webhooks that fail or are slow get half of them at
        most, so that the others never wait for them."""
        while True:
            with self._lock:
                if self._busy >= self.threads:
                    return
                steady_only = self._unsteady >= max(1, self.threads // 2)
            held = delivering.claim(steady_only=steady_only)
            if held is None:
                return
            hook = Webhook.objects.only("tries", "last_ms").get(pk=held[0])
            is_unsteady = bool(hook.tries) or hook.last_ms >= delivering.SLOW_MS
            with self._lock:
                self._busy += 1
                self._unsteady += is_unsteady
            pool.submit(self._work, *held, is_unsteady)

    def _work(self, webhook_id: int, claimed_by: str, is_unsteady: bool) -> None:
        try:
            delivering.work(webhook_id, claimed_by)
        except (DatabaseError, psycopg.Error) as error:
            log.warning("database_away", extra={"error": type(error).__name__})
        except Exception:
            log.exception("webhook_failed", extra={"webhook": webhook_id})
        finally:
            close_old_connections()
            with self._lock:
                self._busy -= 1
                self._unsteady -= is_unsteady
