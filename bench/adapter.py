"""Longcase among other engines: the adapter of the harness that runs one case on each of them.

The harness imports this with a Python of its own, without Django; what is measured runs on the
product's: Celery workers that host the drain, and the timer service.
"""

import asyncio
import hashlib
import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path

import common
import psycopg

PROJECT = Path(__file__).resolve().parent.parent
PYTHON = PROJECT / ".venv" / "bin" / "python"
CONNECTIONS = 16

# The statement of processes.engine.inbox.store: the client is a bare connection without Django.
STORE = """
    WITH stored AS (
        INSERT INTO cases_message
               (source, key, name, "to", data, digest, actor, on_behalf, state, why, received_at)
        VALUES (%s, %s, %s, %s, %s, %s, 'service:bench', '', 'new', '', %s)
        ON CONFLICT (source, key) DO NOTHING RETURNING id
    )
    SELECT (SELECT id FROM stored),
           (SELECT count(pg_notify('longcase_work', '')) FROM stored
             WHERE EXISTS (SELECT 1 FROM processes_worker WHERE is_idle))
"""


class Engine(common.Peer):
    name = "longcase"
    workers = int(os.environ.get("BENCH_LONGCASE_WORKERS", "1"))

    def versions(self):
        return {
            "longcase": (PROJECT / "pyproject.toml")
            .read_text()
            .split('version = "')[1]
            .split('"')[0],
            "store": self.lab.pg.version(),
        }

    def environment(self, **more):
        here = os.path.dirname(common.__file__)
        return self.lab.env(
            DATABASE_URL=self.lab.pg.dsn(),
            PYTHONPATH=f"{here}:{PROJECT}",
            LONGCASE_KINDS="bench.kind",
            LONGCASE_SECRET_KEY="measured-" + "x" * 50,
            LONGCASE_MASTER_KEYS="measured:" + "bWVh" * 10 + "bWU=",
            LONGCASE_DATA_DIR=self.lab.dir,
            LONGCASE_TLS="0",
            LONGCASE_SHORT_LEASE_SECONDS=self.lab.lease_s or 60,
            **more,
        )

    def start_servers(self):
        (Path(self.lab.dir) / "static").mkdir(exist_ok=True)
        prepare = self.lab.spawn(
            "prepare", [PYTHON, "-m", "config.prepare"], env=self.environment()
        )
        if prepare.wait(timeout=120) != 0:
            raise RuntimeError(f"the schema could not be made, see {prepare.log}")
        self.lab.procs.remove(("prepare", prepare))

    def start_worker(self):
        """As `make up` starts them: Celery workers that host the drain, and the timer service."""
        before = self.count("processes_worker"), self.count("timers_service")
        celery = [PYTHON, "-m", "celery", "--quiet", "-A", "config", "worker", "-l", "WARNING"]
        celery += ["-P", "threads", "-c", "2", "-Q", "wake", "--without-gossip"]
        celery += ["--without-mingle", "--without-heartbeat"]
        for number in range(self.workers):
            self.lab.spawn(
                "worker",
                [*celery, "-n", f"short-{os.getpid()}-{number}@%h"],
                env=self.environment(LONGCASE_DRAIN="1"),
            )
        self.lab.spawn("worker", [PYTHON, PROJECT / "manage.py", "clock"], env=self.environment())
        for _, process in self.lab.procs[-self.workers - 1 :]:
            if process.poll() is not None:
                raise RuntimeError(f"ended early, see {process.log}")
        self.wait(lambda: self.count("processes_worker") >= before[0] + self.workers)
        self.wait(lambda: self.count("timers_service") >= before[1] + 1)

    def count(self, table):
        return self.lab.pg.one(f"select count(*) from {table}")

    def wait(self, test, seconds=60):
        end = time.time() + seconds
        while not test():
            if time.time() > end:
                raise TimeoutError(f"not ready, see the logs in {self.lab.dir}")
            time.sleep(0.02)

    async def open(self):
        self.free = asyncio.Queue()
        self.connections = []
        for _ in range(CONNECTIONS):
            one = await psycopg.AsyncConnection.connect(self.lab.pg.dsn(), autocommit=True)
            self.connections.append(one)
            self.free.put_nowait(one)

    async def close(self):
        for one in self.connections:
            await one.close()

    async def store(self, source, key, name, to, data):
        text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        digest = hashlib.sha256("\0".join((name, to, text)).encode()).hexdigest()
        connection = await self.free.get()
        try:
            await connection.execute(
                STORE, (source, key, name, to, text, digest, datetime.now(UTC))
            )
        finally:
            self.free.put_nowait(connection)

    async def start(self, case_id, timer_s):
        facts = {"name": case_id, "timer_s": timer_s}
        await self.store("bench", case_id, "case.open", "benchloan", {"facts": facts})

    async def signal(self, case_id, name):
        await self.store(
            "driver", f"{case_id}.{name}", name, f"bench:{case_id}", {"from": "driver"}
        )

    async def sleeper(self, case_id, due):
        due_at = datetime.fromtimestamp(due, UTC).isoformat(timespec="microseconds")
        facts = {"name": case_id, "due_at": {"$datetime": due_at.replace("+00:00", "Z")}}
        await self.store("bench", case_id, "case.open", "sleeper", {"facts": facts})

    async def closed(self):
        sql = "select count(*) from cases_case where kind = 'benchloan' and closed_at is not null"
        return await asyncio.to_thread(self.lab.pg.one, sql)
