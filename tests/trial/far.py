"""Activities for workers in processes of their own: they tell a file what they did."""

from __future__ import annotations

import json
import os
import signal
import time

from processes.activities import Attempt, activity
from timers.spans import seconds as spanning


def tell(kind: str, attempt: Attempt, **more: object) -> None:
    """One line, written at once, so that a killed process has told all that it did."""
    line = {"kind": kind, "key": attempt.key, "pid": os.getpid(), "attempt": attempt.number, **more}
    path = os.environ.get("TRIAL_EFFECTS")
    if path:
        file = os.open(path, os.O_WRONLY | os.O_APPEND)
        os.write(file, (json.dumps(line) + "\n").encode())
        os.close(file)


@activity(attempts=3, first_retry_seconds=0.2)
def work(attempt: Attempt, *, seconds: float) -> str:
    """Short work."""
    tell("begun", attempt)
    time.sleep(seconds)
    tell("done", attempt)
    return "done"


@activity(attempts=4, timeout=spanning(60), lane="long", first_retry_seconds=0.2)
def long_work(attempt: Attempt, *, seconds: float) -> str:
    """Long work in small pieces, each reported."""
    tell("begun", attempt)
    for piece in range(int(seconds / 0.2)):
        time.sleep(0.2)
        attempt.heartbeat(pieces=piece)
        tell("piece", attempt)
    tell("done", attempt)
    return f"attempt {attempt.number}"


@activity(attempts=4, timeout=spanning(60), lane="long", first_retry_seconds=0.2)
def silent_work(attempt: Attempt, *, seconds: float) -> str:
    """Long work that reports nothing itself; its claim is renewed beside it."""
    tell("begun", attempt)
    time.sleep(seconds)
    tell("done", attempt)
    return f"attempt {attempt.number}"


@activity(attempts=5, first_retry_seconds=0.2)
def kill_worker(attempt: Attempt) -> None:
    """Takes its worker with it, each time."""
    tell("killing", attempt)
    os.kill(os.getpid(), signal.SIGKILL)


@activity(attempts=2)
def large(attempt: Attempt) -> str:
    return "x" * 50_000
