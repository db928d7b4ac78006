"""The people's own record of what they were told, on disk before they go on.

One JSON object a line, only appended. What stands here as *sure* must be in history, once.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


class Ledger:
    """One process's ledger. A half-written last line is that of a process killed while writing."""

    def __init__(self, path: Path) -> None:
        self.lines = read(path)
        self.file = path.open("ab")
        whole = sum(len(json.dumps(line)) + 1 for line in self.lines)
        os.truncate(path, whole)

    def write(self, *lines: dict[str, Any]) -> None:
        """Durable on return."""
        self.file.write("".join(json.dumps(line) + "\n" for line in lines).encode())
        self.file.flush()
        os.fsync(self.file.fileno())
        self.lines += lines


def read(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a ledger."""
    if not path.exists():
        return []
    content = path.read_bytes()
    return [json.loads(line) for line in content[: content.rfind(b"\n") + 1].splitlines()]


def last(path: Path) -> dict[str, Any]:
    """The last line, if it is a short one and whole; else nothing."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 200))
            tail = file.read()
    except FileNotFoundError:
        return {}
    line = tail[: tail.rfind(b"\n") + 1].rstrip(b"\n").rpartition(b"\n")[2]
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
