"""What each activity does: a dictionary, and a line in the log of executions."""

from typing import Any

from processes.activities import Attempt, activity

try:
    from common import activity as perform  # of the harness that measures several engines
except ImportError:
    from bench.executions import perform


@activity(name="bench.perform", repeatable=True)
def do(attempt: Attempt, *, case: str, step: str) -> dict[str, Any]:
    return perform(case, step)
