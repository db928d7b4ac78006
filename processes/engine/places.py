"""Places in source text as people read them: `loan/steps.py, line 88`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from types import FrameType
from typing import Any

VALUE_CHARACTERS = 500
_BARE = re.compile(r"<(?:[\w.<>]+\.)?(\w+) object at 0x[0-9a-f]+>")


@dataclass(frozen=True, slots=True)
class Pause:
    """Where a step's code stands: one entry a strand, the main one first."""

    file: str
    line: int
    text: str
    values: dict[str, str]
    through: tuple[tuple[str, int], ...] = ()  # file and line of each function on the way there


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


def frames_of(coroutine: Any) -> list[Any]:
    """Where a coroutine stands in the kind's own code: in the step's function first, then in those
    that this called."""
    found = []
    while inspect.iscoroutine(coroutine) and coroutine.cr_frame is not None:
        if "/processes/engine/" not in coroutine.cr_frame.f_code.co_filename:
            found.append(coroutine.cr_frame)
        coroutine = coroutine.cr_await
    return found


def frame_of(coroutine: Any) -> Any:
    """The innermost of these functions, if there is one."""
    frames = frames_of(coroutine)
    return frames[-1] if frames else None


def pause(frames: Sequence[Any]) -> Pause:
    """Where the innermost of these functions waits, with its variables."""
    frame = frames[-1]
    lines, first = inspect.getsourcelines(frame.f_code)
    at = frame.f_lineno - first
    return Pause(
        file=frame.f_code.co_filename,
        line=frame.f_lineno,
        text=lines[at].strip() if 0 <= at < len(lines) else "",
        values={name: shown(value) for name, value in frame.f_locals.items()},
        through=tuple((one.f_code.co_filename, one.f_lineno) for one in frames),
    )


def shown(value: Any) -> str:
    """A value of the code as text that fits a page. No value can break whoever looks at it."""
    try:
        text = repr(value)
    except Exception as error:
        return f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"
    text = _BARE.sub(r"<\1>", text)  # an address in memory tells nothing, and is never the same
    return text if len(text) <= VALUE_CHARACTERS else f"{text[:VALUE_CHARACTERS]}…"
