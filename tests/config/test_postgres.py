"""The embedded Postgres after accidents: it goes on, or says why, and deletes nothing."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from config import environment
from config.postgres import Postgres, PostgresProblem


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data folder that every user may enter (root lends Postgres the user `nobody`)."""
    path = Path(tempfile.mkdtemp(prefix="longcase-test-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def server(folder: Path) -> Postgres:
    return Postgres(data=folder, init_options=("--no-sync",), tell=lambda line: None)


@pytest.fixture
def postgres(folder: Path) -> Iterator[Postgres]:
    server_ = server(folder)
    server_.start()
    yield server_
    server_.stop()


def test_it_goes_on_after_a_kill(postgres: Postgres) -> None:
    postgres.ensure_database()
    with postgres.connect(name="longcase") as connection:
        connection.execute("CREATE TABLE kept (n int)")
        connection.execute("INSERT INTO kept VALUES (7)")
    assert postgres.process
    postgres.process.kill()
    postgres.process.wait()

    postgres.start()

    with postgres.connect(name="longcase") as connection:
        assert connection.execute("SELECT n FROM kept").fetchone() == (7,)


def test_a_server_that_was_left_running_is_stopped_and_replaced(postgres: Postgres) -> None:
    assert postgres.process
    second = server(postgres.data)
    second.start()
    try:
        assert postgres.process.wait(5) == 0
        second.connect().close()
    finally:
        second.stop()


def test_a_lock_of_a_dead_or_foreign_process_is_no_obstacle(postgres: Postgres) -> None:
    postgres.stop()
    stranger = subprocess.Popen(["sleep", "60"])
    try:
        lock = postgres.cluster / "postmaster.pid"
        lock.write_text(f"{stranger.pid}\n{postgres.cluster}\n")
        postgres.start()
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_zombie_that_holds_the_lock_is_no_obstacle(postgres: Postgres) -> None:
    postgres.stop()
    zombie = subprocess.Popen(["true"])
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)  # ended, and not reaped
    (postgres.cluster / "postmaster.pid").write_text(f"{zombie.pid}\n{postgres.cluster}\n")

    postgres.start()

    zombie.wait()


def test_a_folder_that_lost_a_part_is_refused_and_left_as_it_is(postgres: Postgres) -> None:
    postgres.stop()
    (postgres.cluster / "PG_VERSION").unlink()
    before = sorted(path.name for path in postgres.cluster.rglob("*"))

    with pytest.raises(PostgresProblem, match="not a whole database"):
        server(postgres.data).start()

    assert sorted(path.name for path in postgres.cluster.rglob("*")) == before


def test_a_first_start_that_broke_off_leaves_nothing_in_the_way(folder: Path) -> None:
    postgres = server(folder)
    postgres.prepare_folders()
    half = postgres.folder / "new-1"
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n")

    postgres.start()
    postgres.stop()

    assert not half.exists()


def test_another_major_version_is_named_and_left_as_it_is(postgres: Postgres) -> None:
    postgres.stop()
    (postgres.cluster / "PG_VERSION").write_text("12\n")
    with pytest.raises(PostgresProblem, match="made by Postgres 12"):
        server(postgres.data).start()


def test_a_server_that_cannot_start_says_what_postgres_said(postgres: Postgres) -> None:
    postgres.stop()
    broken = server(postgres.data)
    broken.settings = {"shared_buffers": "nonsense"}
    with pytest.raises(PostgresProblem, match="shared_buffers"):
        broken.start()


def test_the_server_ends_when_its_parent_is_killed(folder: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from config.postgres import Postgres\n"
        "p = Postgres(data=Path(sys.argv[1]), init_options=('--no-sync',)); p.start()\n"
        "print(p.process.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        stdout=subprocess.PIPE,
        cwd=environment.CHECKOUT,
    )
    assert parent.stdout
    pid = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()

    # The next start waits for it or clears what it left, and answers.
    next_one = server(folder)
    next_one.start()
    try:
        assert next_one.process and next_one.process.pid != pid
        assert not next_one.is_our_server(pid)
    finally:
        next_one.stop()


def test_a_deep_folder_gets_a_short_socket(folder: Path) -> None:
    deep = folder / ("d" * 60) / ("e" * 60)
    assert len(str(environment.socket_folder(deep))) < 80
    assert environment.socket_folder(deep) == environment.socket_folder(deep)
    assert environment.socket_folder(folder) == folder / "postgres" / "socket"
