"""A real installation in a folder of its own, whose processes can be killed and come back at once.

Postgres with fsync on, two workers for short activities and one for long ones, two clocks, web,
stand-ins for the services outside, and the people. The same commands as `make up` runs.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from config import environment
from config.children import Child, stop_all
from config.postgres import Postgres, PostgresProblem
from config.up import free_port

PEOPLE = 3  # processes
COME_BACK_SECONDS = 0.2  # after a kill
NEVER_SECONDS = 10_000_000  # the stand-in for the appraiser leaves its answers to the people

# Chances of dying at each named place, each time it is reached.
WORKER_PLACES = {
    "drain.recorded": 0.002,
    "drain.claimed": 0.002,
    "drain.committed": 0.002,
    "attempt.begun": 0.003,
    "attempt.done": 0.003,
    "perform.claimed": 0.05,
    "perform.done": 0.05,
    "act.recorded": 0.002,
}
CLOCK_PLACES = {"clock.fired": 0.004, "clock.committed": 0.004}
PEOPLE_PLACES = {"act.recorded": 0.002, "act.committed": 0.003}


class Installation:
    """Everything that runs, and how to hit it. Use from one thread: the kernel ends children of a
    thread with it."""

    def __init__(
        self, *, folder: Path, seed: int, cases: int, begin: str, places: bool, small: bool
    ) -> None:
        self.folder = folder
        self.seed = seed
        self.log = (folder / "campaign.log").open("a", buffering=1)
        self.postgres = Postgres(data=folder, tell=self.note)
        self.is_down = threading.Event()  # the database was hit and is not back
        self.children: dict[str, Child] = {}
        self.kills: dict[str, int] = {}  # ends of each process that nobody announced: places
        self.port = free_port("127.0.0.1")
        self.environ = {
            **os.environ,
            "DATABASE_URL": self.postgres.url(),
            "LONGCASE_DATA_DIR": str(folder),
            "LONGCASE_DEMO": "1",
            "LONGCASE_SECRET_KEY": "a-campaign-has-no-secrets-" + "x" * 30,
            "LONGCASE_MASTER_KEYS": "campaign:" + "Y2Ft" * 10 + "Y2E=",
            "LONGCASE_KINDS": "processes.loan",
            "LONGCASE_PUBLIC_URL": f"http://127.0.0.1:{self.port}",
            "LONGCASE_LOG_LEVEL": "WARNING",
            "PORT": str(self.port),
            "STANDINS_PORT": str(free_port("127.0.0.1")),
            "STANDINS_JOURNAL": str(folder / "standins.jsonl"),
            "EMAIL_URL": "console:",
            "PYTHONUNBUFFERED": "1",
        }
        for name in ("LONGCASE_CRASH", "CELERY_BROKER_URL", "LONGCASE_TLS"):
            self.environ.pop(name, None)
        self.begin, self.cases, self.places, self.small = begin, cases, places, small
        self.people = 1 if small else PEOPLE

    def note(self, line: str) -> None:
        """For the log of the campaign, with the time."""
        with suppress(ValueError):
            self.log.write(f"{time.strftime('%H:%M:%S', time.gmtime())} {line}\n")

    # -- life

    def prepare(self) -> None:
        """The database, brought up to this code. `serve` starts the rest."""
        for name in ("log", "run"):
            (self.folder / name).mkdir(exist_ok=True)
        self.postgres.start()
        self.postgres.ensure_database()
        subprocess.run(
            [sys.executable, "-m", "config.prepare"],
            cwd=environment.CHECKOUT,
            env=self.environ,
            check=True,
        )

    def serve(self) -> None:
        python = sys.executable
        celery = [python, "-m", "celery", "--quiet", "-A", "config", "worker", "-l", "WARNING"]
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        for number in (1, 2):
            name = f"worker-short-{number}"
            self.add(
                name,
                [*celery, "-P", "threads", "-c", "2", "-Q", "wake", "-n", f"{name}@%h", *quiet],
                WORKER_PLACES,
                LONGCASE_DRAIN="1",
            )
        if not self.small:
            self.add(
                "worker-long",
                [*celery, "-P", "prefork", "-c", "2", "-Q", "long", "-n", "long@%h", *quiet],
                WORKER_PLACES,
            )
        for number in (1,) if self.small else (1, 2):
            self.add(f"clock-{number}", [python, "manage.py", "clock"], CLOCK_PLACES)
        web = [python, "-m", "gunicorn", "-c", "python:config.gunicorn", "config.wsgi"]
        self.add("web", web, PEOPLE_PLACES)
        patience = ["--appraisal-seconds", str(NEVER_SECONDS)]
        self.add("standins", [python, "manage.py", "standins", *patience], {})
        for mine in range(self.people):
            told = {
                "folder": str(self.folder),
                "mine": mine,
                "of": self.people,
                "seed": self.seed,
                "cases": self.cases,
                "begin": self.begin,
            }
            self.add(
                f"people-{mine}",
                [python, "-m", "crash.people"],
                PEOPLE_PLACES,
                CRASH_PEOPLE=json.dumps(told),
            )
        for child in self.children.values():
            child.start()

    def add(self, name: str, command: list[str], places: dict[str, float], **extra: str) -> None:
        if self.places and places:
            listed = ",".join(f"{place}={chance}" for place, chance in places.items())
            extra["LONGCASE_CRASH"] = f"{listed};seed={self.seed}/{name}"
        self.children[name] = Child(
            name=name,
            command=command,
            grace_seconds=5,
            environ={**self.environ, **extra},
            data=self.folder,
            tell=self.note,
        )

    def watch(self) -> None:
        """Bring back what is gone."""
        if self.postgres.process is not None and self.postgres.process.poll() is not None:
            self.is_down.set()
            try:
                self.postgres.start()
            except PostgresProblem as problem:
                self.note(f"{problem}; again")
                return
            self.note("Postgres is back.")
        self.is_down.clear()
        for name, child in self.children.items():
            was_up = child.start_again_at is None
            child.pause_seconds = COME_BACK_SECONDS
            child.watch()
            if was_up and child.start_again_at is not None:
                self.kills[name] = self.kills.get(name, 0) + 1

    def stop_places(self) -> None:
        """From here on nobody dies by chance: those that would are replaced."""
        for child in self.children.values():
            if child.environ.pop("LONGCASE_CRASH", None) and child.is_running():
                child.process.kill()  # type: ignore[union-attr]

    def stop(self) -> None:
        stop_all(
            list(self.children.values()), hurry=lambda: True
        )  # an orderly stop is no matter here
        self.postgres.stop()
        self.log.close()

    # -- blows

    def named(self, beginning: str) -> list[str]:
        """The children whose names begin so."""
        return [name for name in self.children if name.startswith(beginning)]

    def kill(self, name: str) -> None:
        """The main process; what is left of its group is ended when it is seen."""
        child = self.children[name]
        if child.is_running():
            child.process.kill()  # type: ignore[union-attr]

    def kill_inner(self, name: str, draw: Random) -> str:
        """One of the processes below a child, or the child itself where there is none."""
        child = self.children[name]
        if child.process is None or not child.is_running():
            return "was down"
        below = children_of(child.process.pid)
        if not below:
            self.kill(name)
            return "itself"
        with suppress(ProcessLookupError):
            os.kill(draw.choice(below), signal.SIGKILL)
        return "a process below it"

    def hit_postgres(self, number: signal.Signals) -> None:
        if self.postgres.process is not None:
            self.is_down.set()
            self.postgres.process.send_signal(number)

    def tell_standins(self, told: dict[str, object] | None) -> None:
        """Let a service outside misbehave; None: all behave again. Nothing when they are down."""
        address = f"http://127.0.0.1:{self.environ['STANDINS_PORT']}/control"
        request = urllib.request.Request(
            address,
            data=json.dumps(told).encode() if told is not None else None,
            method="POST" if told is not None else "DELETE",
        )
        with suppress(OSError), urllib.request.urlopen(request, timeout=2):
            pass

    def empty_broker(self) -> int:
        """Purge all queues; returns how many messages were lost."""
        import psycopg

        with psycopg.connect(self.environ["DATABASE_URL"], connect_timeout=3) as connection:
            names = connection.execute("SELECT queue_name FROM pgmq.list_queues()").fetchall()
            return sum(
                connection.execute("SELECT pgmq.purge_queue(%s)", [name]).fetchone()[0]  # type: ignore[index]
                for (name,) in names
            )


def children_of(pid: int) -> list[int]:
    """The processes below this one (Linux; elsewhere none are found)."""
    found = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(word) for word in (task / "children").read_text().split()]
    return found


def eventually(look: Callable[[], bool], *, seconds: float) -> bool:
    """Whether something becomes true in that time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if look():
            return True
        time.sleep(0.05)
    return False
