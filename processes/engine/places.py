"""Places in source text as people read them: `loan/steps.py, line 88`."""

from __future__ import annotations

from pathlib import PurePath
from types import FrameType


def place(file: str, line: int) -> str:
    """A file by its package and name, which are enough to find it, and the line."""
    return f"{'/'.join(PurePath(file).parts[-2:])}, line {line}"


def of_caller(frame: FrameType | None) -> str:
    """The line of a step's own code that led to this frame of the engine; empty if none did."""
    while frame is not None:
        code = frame.f_code
        if "/processes/engine/" not in code.co_filename:
            return place(code.co_filename, frame.f_lineno)
        if code.co_name == "resume":
            break
        frame = frame.f_back
    return ""
