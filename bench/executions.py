"""The log of executions: one line for each activity that ran, which a kill -9 leaves standing."""

import os
import time
from typing import Any

_log: int | None = None


def perform(case: str, step: str) -> dict[str, Any]:
    """What every measured activity does."""
    global _log
    began = time.time()
    if _log is None:
        _log = os.open(os.environ["BENCH_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    os.write(_log, f"{case} {step} {began:.6f} {time.time():.6f}\n".encode())
    return {"case": case, "step": step, "ok": True}
