"""`make up`, for real: whatever is killed comes back, and a killed supervisor leaves nothing."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.children import processes
from config.environment import CHECKOUT
from config.health import is_ready
from config.up import free_port

pytestmark = pytest.mark.slow
PATIENCE_SECONDS = 300  # a loaded machine starts five Pythons slowly, and first loads the demo


class Installation:
    """A data folder, its ports, and the supervisors that run on it."""

    def __init__(self) -> None:
        self.data = Path(tempfile.mkdtemp(prefix="longcase-test-up-"))
        self.data.chmod(0o755)
        self.port = free_port("127.0.0.1")
        ours = ("LONGCASE_", "CELERY_", "DJANGO_", "DATABASE_URL", "EMAIL_URL", "STANDINS_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        self.environ = kept | {
            "LONGCASE_DATA_DIR": str(self.data),
            "PORT": str(self.port),
            "STANDINS_PORT": str(free_port("127.0.0.1")),
        }
        self.running: list[subprocess.Popen[str]] = []

    def up(self) -> subprocess.Popen[str]:
        supervisor = subprocess.Popen(
            [sys.executable, "-m", "config.up"],
            cwd=CHECKOUT,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.running.append(supervisor)
        return supervisor

    def answers(self) -> bool:
        return is_ready(port=self.port)

    def pid(self, name: str) -> int:
        try:
            return int((self.data / "run" / f"{name}.pid").read_text())
        except (FileNotFoundError, ValueError):
            return 0

    def postgres_pid(self) -> int:
        try:
            lock = self.data / "postgres" / "cluster" / "postmaster.pid"
            return int(lock.read_text().splitlines()[0])
        except (FileNotFoundError, IndexError):
            return 0

    def left(self) -> list[str]:
        """Processes that still belong to it, by the port or the folder that they name."""
        marks = (str(self.data), f"-{self.running[-1].pid}@")
        return [command for _, _, command in processes() if any(m in command for m in marks)]

    def end(self) -> None:
        for supervisor in self.running:
            if supervisor.poll() is None:
                supervisor.send_signal(signal.SIGINT)
                supervisor.communicate(timeout=PATIENCE_SECONDS)
        shutil.rmtree(self.data, ignore_errors=True)


@pytest.fixture
def installation() -> Iterator[Installation]:
    made = Installation()
    yield made
    made.end()


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, "this took too long"
        time.sleep(0.1)


def test_what_is_killed_comes_back_and_nothing_outlives_the_supervisor(
    installation: Installation,
) -> None:
    first = installation.up()
    until(installation.answers)

    # Another start on the same folder says why it does not.
    second = installation.up()
    said, _ = second.communicate(timeout=PATIENCE_SECONDS)
    assert second.returncode == 1 and "running already" in said
    installation.running.remove(second)

    # Each process that is killed comes back, the database too.
    for name in ("web", "worker-short", "worker-long", "clock", "standins"):
        before = installation.pid(name)
        os.kill(before, signal.SIGKILL)
        until(lambda name=name, before=before: installation.pid(name) not in {0, before})  # type: ignore[misc]
    database = installation.postgres_pid()
    os.kill(database, signal.SIGKILL)
    until(lambda: installation.postgres_pid() not in {0, database})
    until(installation.answers)

    # Killed itself, it leaves nothing running, and the next one goes on.
    first.kill()
    first.communicate()
    until(lambda: not installation.left())
    third = installation.up()
    until(installation.answers)

    # Ctrl-C ends all of it in good order.
    third.send_signal(signal.SIGINT)
    said, _ = third.communicate(timeout=PATIENCE_SECONDS)
    assert third.returncode == 0, said
    assert "Stopped." in said
    assert not installation.left()
    assert "database system is shut down" in (installation.data / "log/postgres.log").read_text()


def test_a_port_in_use_is_told_with_one_that_is_free(installation: Installation) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", installation.port))
        holder.listen()
        supervisor = installation.up()
        said, _ = supervisor.communicate(timeout=PATIENCE_SECONDS)
    assert supervisor.returncode == 1
    assert f"Port {installation.port} on 127.0.0.1 is in use" in said
    assert re.search(r"PORT=\d+ make up", said)
    assert not (installation.data / "postgres").exists()
