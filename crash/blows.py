"""What hits the installation: drawn from the seed, at random moments, each one printed."""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import psycopg

from crash.installation import Installation

CALM_SECONDS = 20.0  # at most, after all workers were killed, while we look how cases go on
MEAN_SECONDS = 1.0  # between blows of one round
LAST_ROUND, BUSIEST_ROUND = 30, 4  # of those that are hit
PATIENCE_SECONDS = 15.0  # a blow to all workers waits this long for a moment of work
AT_WORK = 3  # activities

# Weights of the kinds of blows.
KINDS = {
    "worker": 24,
    "below": 8,
    "clock": 10,
    "web": 6,
    "standins": 10,
    "people": 10,
    "postgres immediate": 8,
    "postgres kill": 6,
    "broker": 6,
    "outside": 14,
    "all workers": 8,
    "many": 4,
}


@dataclass
class Moving:
    """After a blow to all workers: how long until the slowest case had moved on."""

    waiting: int  # cases whose activities were due or held
    seconds: float | None  # None: not within CALM_SECONDS
    start_seconds: float | None  # of these, until the first new worker was there


class Blows:
    """Strikes whenever `step` is called and the time has come.

    Each blow belongs to a round, more to the early ones, where most is done. It falls some moments
    after that round has begun.
    """

    def __init__(
        self,
        where: Installation,
        *,
        seed: int,
        count: int,
        seconds: float,
        rounds: int,
        say: Callable[[str], None],
    ) -> None:
        self.where = where
        self.draw = Random(f"{seed}/blows")
        last = min(LAST_ROUND, rounds - 1)
        self.rounds = sorted(
            int(self.draw.triangular(0, last, min(BUSIEST_ROUND, last))) for _ in range(count)
        )
        self.say = say
        self.next_at = time.monotonic() + 2.0
        self.until = time.monotonic() + seconds
        self.counts: Counter[str] = Counter()
        self.moving: list[Moving] = []
        self.looking: threading.Thread | None = None
        self.kind = ""  # drawn, and waiting for its moment
        self.patient_until = 0.0

    @property
    def is_over(self) -> bool:
        return not self.rounds or time.monotonic() > self.until

    def step(self, round_number: int) -> None:
        now = time.monotonic()
        if self.is_over or now < self.next_at or self.where.is_down.is_set():
            return
        if round_number < self.rounds[0] or (self.looking and self.looking.is_alive()):
            return  # nothing else while the figure is taken
        if not self.kind:
            self.kind = self.draw.choices(list(KINDS), weights=list(KINDS.values()))[0]
            self.patient_until = now + PATIENCE_SECONDS
        words = self.strike(self.kind)
        if not words:
            return
        self.rounds.pop(0)
        self.counts[self.kind] += 1
        self.kind = ""
        self.say(f"blow {sum(self.counts.values()):3} in round {round_number:2}: {words}")
        self.next_at = now + self.draw.expovariate(1 / MEAN_SECONDS)

    def strike(self, kind: str) -> str:
        """Do it, and say what; empty while its moment has not come."""
        where, draw = self.where, self.draw
        match kind:
            case "worker":
                name = draw.choice(where.named("worker-"))
                where.kill(name)
                return f"kill -9 {name}"
            case "below":
                name = draw.choice([*where.named("worker-long"), "web"])
                return f"kill -9 {where.kill_inner(name, draw)} of {name}"
            case "clock":
                names = where.named("clock-")
                names = draw.sample(names, draw.randrange(1, len(names) + 1))
                for name in names:
                    where.kill(name)
                return f"kill -9 {' and '.join(names)}"
            case "web" | "standins":
                where.kill(kind)
                return f"kill -9 {kind}"
            case "people":
                name = draw.choice(where.named("people-"))
                where.kill(name)
                return f"kill -9 {name}"
            case "postgres immediate":
                where.hit_postgres(signal.SIGQUIT)
                return "Postgres: immediate shutdown"
            case "postgres kill":
                where.hit_postgres(signal.SIGKILL)
                return "Postgres: kill -9"
            case "broker":
                try:
                    return f"broker emptied of {where.empty_broker()} messages"
                except psycopg.Error as error:
                    return f"broker not reached ({type(error).__name__})"
            case "outside":
                return self.trouble()
            case "all workers":
                return self.all_workers()
        names = draw.sample(sorted(where.children), draw.randrange(3, 6))
        for name in names:
            where.kill(name)
        return f"kill -9 {', '.join(names)}"

    def trouble(self) -> str:
        """A service outside misbehaves for some calls, or is slow until further notice."""
        service = self.draw.choice(["identity", "credit", "appraiser", "bank"])
        mode = self.draw.choice(["slow", "slow", "down", "drop", "drop", "wrong", "status"])
        told: dict[str, object] = {"service": service, "mode": mode}
        if mode == "slow":
            told["seconds"] = round(self.draw.uniform(0.05, 0.6), 2)
        else:
            # Fewer than an activity tries, and not on top of what an earlier blow left: an outage
            # that uses up all tries is another story, and no fault.
            self.where.tell_standins({"service": service, "mode": "ok"})
            told["times"] = self.draw.randrange(1, 7)
        self.where.tell_standins(told)
        return f"outside: {', '.join(f'{name} {value}' for name, value in told.items())}"

    def all_workers(self) -> str:
        """Kill them all at a moment when there is work, and look how long that is then delayed."""
        keys = self._in_hand()
        if len(keys) < AT_WORK and time.monotonic() < self.patient_until:
            return ""
        for name in self.where.named("worker-"):
            self.where.kill(name)
        began = time.monotonic()
        self.looking = threading.Thread(target=self._look, args=(keys, began), daemon=True)
        self.looking.start()
        return f"kill -9 of all workers, with {len(keys)} activities in hand or due"

    def _in_hand(self) -> list[tuple[int, int, int]]:
        try:
            with psycopg.connect(self.where.environ["DATABASE_URL"], connect_timeout=2) as db:
                return db.execute(
                    "SELECT case_id, visit, command FROM processes_activity "
                    "WHERE state = 'due' AND (worker_id IS NOT NULL OR failures = 0)"
                ).fetchall()
        except psycopg.Error:
            return []

    def _look(self, keys: list[tuple[int, int, int]], began: float) -> None:
        left = set(keys)
        newest: int | None = None
        started: float | None = None
        while left and time.monotonic() - began < CALM_SECONDS:
            try:
                with psycopg.connect(self.where.environ["DATABASE_URL"], autocommit=True) as db:
                    while left and time.monotonic() - began < CALM_SECONDS:
                        rows = db.execute(
                            "SELECT case_id, visit, command FROM processes_activity "
                            "WHERE state = 'due' AND failures = 0"
                        ).fetchall()
                        left &= set(rows)
                        (number,) = db.execute("SELECT max(id) FROM processes_worker").fetchone()  # type: ignore[misc]
                        newest = number if newest is None else newest
                        if started is None and number != newest:
                            started = time.monotonic() - began
                        time.sleep(0.05)
            except psycopg.Error:
                time.sleep(0.1)
        if keys:
            took = None if left else time.monotonic() - began
            self.moving.append(Moving(len({key[0] for key in keys}), took, started))
