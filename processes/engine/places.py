"""Places in source text as people read them: `loan/steps.py, line 88`."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import PurePath
from types import FrameType
from typing import Any


@dataclass(frozen=True, slots=True)
class Pause:
    """Where a step's code stands: one entry a strand, the main one first."""

    file: str
    line: int
    text: str
    values: dict[str, str]


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


def frame_of(coroutine: Any) -> Any:
    """Where a coroutine stands in the kind's own code, in the innermost of its functions."""
    frame = None
    while inspect.iscoroutine(coroutine) and coroutine.cr_frame is not None:
        if "/processes/engine/" not in coroutine.cr_frame.f_code.co_filename:
            frame = coroutine.cr_frame
        coroutine = coroutine.cr_await
    return frame


def pause(frame: Any) -> Pause:
    lines, first = inspect.getsourcelines(frame.f_code)
    at = frame.f_lineno - first
    return Pause(
        file=frame.f_code.co_filename,
        line=frame.f_lineno,
        text=lines[at].strip() if 0 <= at < len(lines) else "",
        values={name: repr(value)[:500] for name, value in frame.f_locals.items()},
    )
