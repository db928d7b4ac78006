"""Real processes that start at once: forked from one that has loaded all of Longcase.

A worker takes seconds of processor time to load, the same each time, and the tests start and kill
some hundred. What is forked here is as separate and as mortal as what a shell starts: own process
group, own connections, and `kill -9` leaves nothing of it. That processes also start from nothing
is proven by `make up` in `tests/config/test_up.py`.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from config.environment import CHECKOUT
from config.postgres import die_with_parent

# What may differ between processes of one mother: it is read when a process begins its work.
LATE = {"LONGCASE_DRAIN", "TRIAL_EFFECTS", "PORT", "WEB_WORKERS", "WEB_THREADS"}
OF_NO_PROCESS = {"PYTEST_CURRENT_TEST"}
LOADED = (
    "celery.apps.worker celery.bin.celery celery.bin.worker celery.concurrency.prefork "
    "celery.concurrency.thread config.urls gunicorn.app.wsgiapp gunicorn.workers.gthread "
    "kombu.transport.pgmq processes.management.commands.clock processes.work.bootstep"
)


class Forked:
    """A running process, as `subprocess.Popen` shows it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        """None while it lives. What it returned is nobody's."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def send_signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float) -> int:
        end = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(0.005)
        return 0


class Mother:
    """The process that has loaded everything, for one environment."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.forking"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=CHECKOUT,
            env=dict(environ),
            text=True,
            start_new_session=True,
            preexec_fn=die_with_parent(signal.SIGKILL),
        )

    def bear(self, words: list[str], *, environ: Mapping[str, str], log: Path) -> Forked:
        assert self.process.stdin and self.process.stdout
        told = {"words": words, "environ": dict(environ), "log": str(log)}
        self.process.stdin.write(json.dumps(told) + "\n")
        self.process.stdin.flush()
        return Forked(int(self.process.stdout.readline()))


_mothers: dict[tuple[tuple[str, str], ...], Mother] = {}


def start(words: list[str], *, environ: Mapping[str, str], log: Path) -> Forked:
    """Run `python WORDS` in a process group of its own that says its words into `log`. Mothers
    stay for the session, and die with it and all that they bore."""
    settled = {n: v for n, v in environ.items() if n not in LATE | OF_NO_PROCESS}
    key = tuple(sorted(settled.items()))
    if key not in _mothers:
        _mothers[key] = Mother(settled)
    return _mothers[key].bear(words, environ=environ, log=log)


# -- the mother's side


def main() -> None:
    import importlib

    import django

    django.setup()
    for name in LOADED.split():
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries what has died
    for line in sys.stdin:
        told = json.loads(line)
        in_child = die_with_parent(signal.SIGKILL)
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            if in_child is not None:
                in_child()
            become(**told)
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
        print(pid, flush=True)


def become(*, words: list[str], environ: dict[str, str], log: str) -> None:
    """Be the process that `python WORDS` would be, to the end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    said = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(said, 1)
    os.dup2(said, 2)
    os.environ.clear()
    os.environ.update(environ)
    status = 1
    try:
        if words[0] == "-m":
            sys.argv = words[1:]
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = words
            runpy.run_path(words[0], run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        if status:
            sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
