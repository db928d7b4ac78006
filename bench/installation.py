"""An installation of its own in a temporary folder: Postgres with fsync on, a worker, a clock."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from config.postgres import Postgres

PROJECT = Path(__file__).resolve().parent.parent
TICKS = os.sysconf("SC_CLK_TCK")
FILLING = {
    "fsync": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "8GB",
    "autovacuum": "off",
    "maintenance_work_mem": "512MB",
    # As one sets it for a database of this size; 128 MB are for a demo.
    "shared_buffers": "1GB",
}


class Installation:
    """`with Installation() as installed:` — Django is set up for it, and its processes run."""

    def __init__(self, *, kinds: str = "bench.kind", filling: bool = False) -> None:
        """`filling`: much is written that need not outlive the machine, and then only read."""
        self.kinds = kinds
        self.folder = Path(tempfile.mkdtemp(prefix="longcase-bench-"))
        self.folder.chmod(0o755)  # root lends Postgres another user
        self.log = self.folder / "executions.log"
        self.postgres = Postgres(
            data=self.folder, tell=lambda line: None, settings=FILLING if filling else {}
        )
        self.children: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Installation:
        self.postgres.start()
        self.postgres.ensure_database()
        (self.folder / "static").mkdir()
        os.environ.update(
            DATABASE_URL=self.postgres.url(user="postgres", name="longcase"),
            LONGCASE_KINDS=self.kinds,
            LONGCASE_SECRET_KEY="measured-" + "x" * 50,
            LONGCASE_MASTER_KEYS="measured:" + "bWVh" * 10 + "bWU=",
            LONGCASE_DATA_DIR=str(self.folder),
            LONGCASE_TLS="0",
            LONGCASE_HOSTS="testserver",
            BENCH_LOG=str(self.log),
            DJANGO_SETTINGS_MODULE="config.settings",
        )
        subprocess.run(
            [sys.executable, "-m", "config.prepare"], cwd=PROJECT, check=True, capture_output=True
        )
        import django

        django.setup()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for child in self.children:
            child.terminate()
        for child in self.children:
            try:
                child.wait(timeout=12)
            except subprocess.TimeoutExpired:
                child.kill()
        self.postgres.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start_processes(self) -> None:
        """As `make up` starts them: one Celery worker that hosts the drain, one clock."""
        celery = [sys.executable, "-m", "celery", "--quiet", "-A", "config", "worker"]
        celery += ["-l", "WARNING", "-P", "threads", "-c", "2", "-Q", "wake", "--without-gossip"]
        celery += ["--without-mingle", "--without-heartbeat"]
        for command in (celery, [sys.executable, "manage.py", "clock"]):
            with (self.folder / f"process-{len(self.children)}.log").open("wb") as log:
                self.children.append(
                    subprocess.Popen(
                        command,
                        cwd=PROJECT,
                        env={**os.environ, "LONGCASE_DRAIN": "1"},
                        stdout=log,
                        stderr=log,
                        start_new_session=True,
                    )
                )
        from processes.models import Worker
        from timers.models import Service

        wait(lambda: Worker.objects.exists() and Service.objects.exists())

    def cpu_seconds(self) -> float:
        """Of the database and of all processes that run here, with their children."""
        roots = [child.pid for child in self.children]
        if self.postgres.process is not None:
            roots.append(self.postgres.process.pid)
        parents, spent = {}, {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            pid = int(stat.parent.name)
            parents[pid] = int(fields[1])
            spent[pid] = sum(map(int, fields[11:15])) / TICKS  # its own, and ended children's
        ours = {pid for pid in roots if pid in spent}
        while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
            ours |= more
        return sum(spent[pid] for pid in ours)

    def executions(self, step: str) -> dict[str, tuple[float, float]]:
        """When each case began and ended this activity, of those that did."""
        found: dict[str, tuple[float, float]] = {}
        if self.log.exists():
            for line in self.log.read_text().splitlines():
                case, name, began, ended = line.split()
                if name == step:
                    found.setdefault(case, (float(began), float(ended)))
        return found


def wait(test: Callable[[], object], *, seconds: float = 300, every: float = 0.05) -> None:
    end = time.monotonic() + seconds
    while not test():
        if time.monotonic() > end:
            raise TimeoutError("It did not come to that; the logs were in the temporary folder.")
        time.sleep(every)
