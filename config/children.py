"""The processes that `make up` looks after: start, watch, start again, stop.

Each child has a session of its own, so that Ctrl-C reaches the supervisor alone, and the kernel
ends it should the supervisor be killed. A stop signals the main process only (prefork dead-locks
when its children get the signal too), waits, and then ends what is left of its group.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from config import environment
from config.postgres import die_with_parent

FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
STEADY_SECONDS = 30.0  # after this long a child counts as well, and its pause starts small again
LOG_BYTES = 20_000_000  # a log that grows past this keeps one older part


@dataclass
class Child:
    """One process, by name, with the time it may take to stop."""

    name: str
    command: list[str]
    grace_seconds: float
    environ: dict[str, str]
    data: Path
    tell: Callable[[str], None]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0  # monotonic
    start_again_at: float | None = None  # monotonic; set while it is down
    pause_seconds: float = FIRST_PAUSE_SECONDS
    log: Path = field(init=False)
    mark: Path = field(init=False)

    def __post_init__(self) -> None:
        self.log = self.data / "log" / f"{self.name}.log"
        self.mark = self.data / "run" / f"{self.name}.pid"

    def start(self) -> None:
        self.turn_log()
        with self.log.open("ab") as log:
            self.log_start = log.tell()
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=environment.CHECKOUT,
                env=self.environ,
                start_new_session=True,
                preexec_fn=die_with_parent(signal.SIGTERM),
            )
        self.started_at = time.monotonic()
        self.start_again_at = None
        with contextlib.suppress(OSError):  # a full disk stops no restart
            self.mark.write_text(f"{self.process.pid}\n")

    def watch(self) -> None:
        """Notice an end, and start again after a pause that grows while it keeps ending."""
        if self.start_again_at is not None:
            if time.monotonic() >= self.start_again_at:
                self.start()
            return
        if self.process is None or self.process.poll() is None:
            return
        self.end_group()
        if time.monotonic() - self.started_at > STEADY_SECONDS:
            self.pause_seconds = FIRST_PAUSE_SECONDS
        self.tell(
            f"{self.name} {how_it_ended(self.process.returncode)}; "
            f"starting it again in {self.pause_seconds:g} s (log: {self.log})"
        )
        if self.process.returncode > 0:
            for line in self.last_words():
                self.tell(f"  {self.name}: {line}")
        self.start_again_at = time.monotonic() + self.pause_seconds
        self.pause_seconds = min(self.pause_seconds * 2, LONGEST_PAUSE_SECONDS)

    def ask_to_stop(self) -> None:
        self.start_again_at = None
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def end_group(self) -> None:
        """Kill whatever is left of the child's session."""
        if self.process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        self.mark.unlink(missing_ok=True)

    def last_words(self, lines: int = 4) -> list[str]:
        with self.log.open("rb") as log:
            log.seek(max(self.log_start, self.log.stat().st_size - 4000))
            said = log.read().decode(errors="replace").strip().splitlines()
        return [line[:300] for line in said[-lines:]]

    def turn_log(self) -> None:
        """Keep the log bounded. It is written in append mode, so emptying it in place is safe."""
        with contextlib.suppress(FileNotFoundError):
            if self.log.stat().st_size > LOG_BYTES:
                older = self.log.with_suffix(".log.1")
                with self.log.open("rb") as source, older.open("wb") as target:
                    copy_end(source, target)
                os.truncate(self.log, 0)


def copy_end(source: IO[bytes], target: IO[bytes]) -> None:
    """The last LOG_BYTES of one file into another."""
    source.seek(0, os.SEEK_END)
    source.seek(max(0, source.tell() - LOG_BYTES))
    while part := source.read(1 << 20):
        target.write(part)


def stop_all(children: Iterable[Child], *, hurry: Callable[[], bool]) -> None:
    """Ask all at once, give each its grace, then end what is left."""
    waiting = list(children)
    began = time.monotonic()
    for child in waiting:
        child.ask_to_stop()
    while waiting:
        for child in list(waiting):
            overdue = hurry() or time.monotonic() - began > child.grace_seconds
            if child.is_running() and overdue:
                child.tell(f"{child.name} did not stop in time: ending it.")
            if not child.is_running() or overdue:
                child.end_group()
                waiting.remove(child)
        time.sleep(0.05)


def how_it_ended(returncode: int) -> str:
    if returncode >= 0:
        return f"ended with code {returncode}"
    with contextlib.suppress(ValueError):
        return f"was ended by {signal.Signals(-returncode).name}"
    return f"was ended by signal {-returncode}"


def end_orphans(data: Path) -> list[str]:
    """End processes that an earlier, killed supervisor left behind. Says which.

    On Linux the kernel has mostly done it already. A number alone proves nothing, since numbers
    come again: a process counts as ours only if it runs in the kept group with our Python.
    """
    ended = []
    for mark in sorted((data / "run").glob("*.pid")):
        with contextlib.suppress(ValueError, FileNotFoundError):
            group = int(mark.read_text())
            ours = [pid for pid, of, command in processes() if of == group and is_ours(command)]
            for pid in ours:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            if ours:
                ended.append(mark.stem)
        mark.unlink(missing_ok=True)
    return ended


def is_ours(command: str) -> bool:
    return command.startswith(sys.executable + " ")


def processes() -> Iterator[tuple[int, int, str]]:
    """Every process as (pid, group, command line)."""
    if Path("/proc/self/stat").exists():
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                with contextlib.suppress(OSError, IndexError):
                    group = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[2])
                    command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                    yield int(folder.name), group, command.decode(errors="replace")
        return
    shown = subprocess.run(
        ["ps", "-A", "-o", "pid=,pgid=,command="], capture_output=True, text=True
    ).stdout
    for line in shown.splitlines():
        fields = line.split(None, 2)
        yield int(fields[0]), int(fields[1]), fields[2]
