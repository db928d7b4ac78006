"""`make up`: the whole of Longcase on one machine, under one supervisor.

Starts Postgres (unless DATABASE_URL names one), brings it up to this code, then runs the web
server, a worker for each lane, the clock and, in a demo, stand-ins for the services outside.
In production the same commands run as services of their own; docs/running.md lists them.
"""

import contextlib
import errno
import fcntl
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from types import FrameType

from config import environment
from config.children import Child, end_orphans, stop_all
from config.health import is_ready
from config.postgres import Interrupted, Postgres, PostgresProblem, full_disk

LEAST_FREE_BYTES = 150_000_000  # Postgres alone takes 40 MB for an empty database
WATCH_SECONDS = 0.1
CARE_SECONDS = 60.0  # between looks at log sizes and the disk


class Problem(Exception):
    """Longcase cannot start here; the text says why and what would help."""


class Supervisor:
    """Owns the processes of one installation, from first start to last stop."""

    def __init__(self) -> None:
        self.data = environment.data_folder()
        self.signals = 0
        self.postgres: Postgres | None = None
        self.children: list[Child] = []
        self.environ = dict(os.environ)
        self.is_embedded = not os.environ.get("DATABASE_URL")
        self.host = environment.text("HOST", "127.0.0.1")
        self.port = environment.whole_number("PORT", 8000, least=1, most=65535)

    # --- The whole life --------------------------------------------------------------------

    def run(self) -> int:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.on_signal)
        try:
            self.make_data_folder()
            with self.only_one():
                self.require_room()
                for name in end_orphans(self.data):
                    tell(f"Ended {name}, which an earlier run had left.")
                self.require_port()
                self.keep_environment()
                try:
                    self.start_database()
                    self.prepare()
                    self.start_children()
                    self.greet()
                    self.look_after()
                finally:
                    self.stop()
        except Interrupted:
            pass
        except (Problem, PostgresProblem, environment.ImproperlyConfigured) as problem:
            tell(f"\nLongcase did not start. {problem}")
            return 1
        except OSError as error:
            if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
                raise
            tell(f"\n{full_disk(self.data)}")
            return 1
        return 0

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        self.signals += 1

    def is_stopping(self) -> bool:
        return self.signals > 0

    def go_on(self) -> None:
        if self.is_stopping():
            raise Interrupted

    # --- Before anything runs ----------------------------------------------------------------

    def make_data_folder(self) -> None:
        try:
            self.data.mkdir(mode=0o755, parents=True, exist_ok=True)
            for name in ("log", "run"):
                (self.data / name).mkdir(exist_ok=True)
            (self.data / "run" / "probe").touch()
            (self.data / "run" / "probe").unlink()
        except OSError as error:
            if error.errno in {errno.ENOSPC, errno.EDQUOT}:
                raise
            raise Problem(
                f"The data folder {self.data} cannot be written ({error.strerror}). Start as the "
                "user who made it, or set LONGCASE_DATA_DIR to another folder."
            ) from error

    @contextlib.contextmanager
    def only_one(self) -> Iterator[None]:
        """One supervisor a data folder; the system drops the lock when its holder dies."""
        with (self.data / "run" / "lock").open("a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                raise Problem(
                    f"It is running already from {self.data} (process {lock.read().strip()}). "
                    "Stop that one with Ctrl-C, or set LONGCASE_DATA_DIR for a second installation."
                ) from None
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
            yield

    def require_room(self) -> None:
        if shutil.disk_usage(self.data).free < LEAST_FREE_BYTES:
            raise Problem(full_disk(self.data))

    def require_port(self) -> None:
        if not is_free(self.host, self.port):
            raise Problem(
                f"Port {self.port} on {self.host} is in use by another program. "
                f"Choose another one, for example: PORT={free_port(self.host)} make up"
            )

    def keep_environment(self) -> None:
        """This installation's own values, made once and kept beside its data."""
        kept = dict(environment.read_kept(self.data))
        if "LONGCASE_SECRET_KEY" not in kept:
            kept["LONGCASE_SECRET_KEY"] = secrets.token_urlsafe(48)
        if "LONGCASE_MASTER_KEYS" not in kept:
            kept["LONGCASE_MASTER_KEYS"] = f"made:{b64encode(secrets.token_bytes(32)).decode()}"
        if "LONGCASE_ANCHOR_KEYS" not in kept:
            kept["LONGCASE_ANCHOR_KEYS"] = secrets.token_hex(32)
        kept.setdefault("LONGCASE_DEMO", "1")
        wished = int(self.environ.get("STANDINS_PORT") or kept.get("STANDINS_PORT") or 8100)
        if not is_free("127.0.0.1", wished):
            other = free_port("127.0.0.1")
            tell(f"Port {wished} is in use: the stand-ins take {other}.")
            wished = other
        kept["STANDINS_PORT"] = str(wished)
        kept["PORT"] = str(self.port)
        path = self.data / "environment"
        half = path.with_suffix(".half")
        half.touch(mode=0o600)
        lines = ["# Kept by `make up`; manage.py reads it when there is no DATABASE_URL."]
        lines += [f"{name}={value}" for name, value in sorted(kept.items())]
        half.write_text("\n".join(lines) + "\n")
        half.replace(path)
        for name, value in kept.items():
            self.environ.setdefault(name, value)
        self.environ["STANDINS_PORT"] = kept["STANDINS_PORT"]

    # --- Start -------------------------------------------------------------------------------

    def start_database(self) -> None:
        if not self.is_embedded:
            return
        self.postgres = Postgres(data=self.data, tell=tell, is_stopping=self.is_stopping)
        self.postgres.start()
        self.postgres.ensure_database()

    def prepare(self) -> None:
        """Migrate, collect static files, and in a demo load its people and cases."""
        self.go_on()
        is_demo = self.environ.get("LONGCASE_DEMO") == "1"
        command = [sys.executable, "-m", "config.prepare", *(["--demo"] if is_demo else [])]
        child = subprocess.Popen(
            command, cwd=environment.CHECKOUT, env=self.environ, start_new_session=True
        )
        while child.poll() is None:
            if self.is_stopping():
                child.terminate()
                child.wait()
            time.sleep(0.05)
        self.go_on()
        if child.returncode != 0:
            raise Problem("The database could not be brought up to this code; see above.")

    def start_children(self) -> None:
        python = sys.executable
        web = [python, "-m", "gunicorn", "-c", "python:config.gunicorn", "config.wsgi"]
        celery = [python, "-m", "celery", "--quiet", "-A", "config", "worker", "-l", "WARNING"]
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        mark = f"{os.getpid()}@%h"
        short = [*celery, "-P", "threads", "-c", "2", "-Q", "wake", "-n", f"short-{mark}", *quiet]
        long = [*celery, "-P", "prefork", "-c", "2", "-Q", "long", "-n", f"long-{mark}", *quiet]
        self.add("web", web, grace_seconds=8, HOST=self.host, PORT=str(self.port))
        self.add("worker-short", short, grace_seconds=12, LONGCASE_DRAIN="1")
        self.add("worker-long", long, grace_seconds=12)
        self.add("clock", [python, "manage.py", "clock"], grace_seconds=5)
        if self.environ.get("LONGCASE_DEMO") == "1":
            self.add("standins", [python, "manage.py", "standins"], grace_seconds=5)
        for child in self.children:
            child.start()

    def add(self, name: str, command: list[str], *, grace_seconds: float, **extra: str) -> None:
        self.children.append(
            Child(
                name=name,
                command=command,
                grace_seconds=grace_seconds,
                environ={**self.environ, "PYTHONUNBUFFERED": "1", **extra},
                data=self.data,
                tell=tell,
            )
        )

    def greet(self) -> None:
        """Say where it is once it answers."""
        shown = "localhost" if self.host in {"127.0.0.1", "0.0.0.0", "::"} else self.host
        deadline = time.monotonic() + 60
        while not is_ready(host=self.host, port=self.port):
            self.go_on()
            self.watch()
            if time.monotonic() > deadline:
                tell(f"The web server does not answer yet; its log is {self.data}/log/web.log")
                break
            time.sleep(WATCH_SECONDS)
        tell(f"\nLongcase runs at http://{shown}:{self.port}/")
        tell(f"Data and logs: {self.data}   Stop: Ctrl-C")

    # --- While it runs -----------------------------------------------------------------------

    def look_after(self) -> None:
        cared_at = time.monotonic()
        while not self.is_stopping():
            self.watch()
            if time.monotonic() - cared_at > CARE_SECONDS:
                cared_at = time.monotonic()
                self.care()
            time.sleep(WATCH_SECONDS)

    def watch(self) -> None:
        if self.postgres and self.postgres.process and self.postgres.process.poll() is not None:
            self.restart_database()
        for child in self.children:
            child.watch()

    def restart_database(self) -> None:
        """Nothing goes on without it, so this waits; pauses grow to 30 s while it keeps failing."""
        assert self.postgres
        pause = 0.5
        tell("Postgres ended; starting it again.")
        while True:
            try:
                self.postgres.start()
                tell("Postgres is back.")
                return
            except PostgresProblem as problem:
                tell(f"{problem}\nTrying again in {pause:g} s.")
            until = time.monotonic() + pause
            while time.monotonic() < until:
                self.go_on()
                time.sleep(WATCH_SECONDS)
            pause = min(pause * 2, 30.0)

    def care(self) -> None:
        for child in self.children:
            child.turn_log()
        free = shutil.disk_usage(self.data).free
        if free < LEAST_FREE_BYTES:
            tell(f"Only {free // 1_000_000} MB are free under {self.data}: make room.")

    # --- Stop --------------------------------------------------------------------------------

    def stop(self) -> None:
        """Processes first, the database last, so that their last words are written."""
        if self.children or self.postgres:
            tell("\nStopping (again Ctrl-C: at once).")
        before = self.signals
        stop_all(self.children, hurry=lambda: self.signals > max(before, 1))
        if self.postgres:
            self.postgres.stop()
            tell("Stopped. Everything is kept; `make up` goes on from here.")


def tell(line: str) -> None:
    with contextlib.suppress(OSError):  # the terminal may be gone
        print(line, flush=True)


def is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EACCES:
                raise Problem(f"This user may not listen on port {port}; try PORT=8000.") from None
            if error.errno != errno.EADDRINUSE:
                raise Problem(f"Cannot listen on {host}:{port}: {error.strerror}.") from None
            return False
    return True


def free_port(host: str) -> int:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    if sys.platform == "win32":
        sys.exit("`make up` needs Linux or macOS; on Windows use WSL or compose.yaml.")
    sys.exit(Supervisor().run())
