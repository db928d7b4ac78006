"""Step code may not reach for the world: replay must give the same answer again.

While a step's code runs, a profile function sees each call that it makes, also through helpers,
and refuses those that read the clock, chance, files, the network or the database. It is switched
on for the code alone, so the engine itself pays nothing.
"""

from __future__ import annotations

import gc
import sys
from functools import lru_cache
from types import CodeType, FrameType, ModuleType
from typing import Any

_CLOCK = "now() for the moment, or sleep() and deadline() to wait"
_CHANCE = "random() or uuid(), which replay the same"
_WORLD = "an activity"

# name of the C function -> (what its owner or module must be, what to use instead)
_REFUSED_BUILTINS: dict[str, tuple[frozenset[str], str]] = {
    "time": (frozenset({"time"}), _CLOCK),
    "time_ns": (frozenset({"time"}), _CLOCK),
    "monotonic": (frozenset({"time"}), _CLOCK),
    "perf_counter": (frozenset({"time"}), _CLOCK),
    "localtime": (frozenset({"time"}), _CLOCK),
    "gmtime": (frozenset({"time"}), _CLOCK),
    "sleep": (frozenset({"time"}), _CLOCK),
    "now": (frozenset({"datetime"}), _CLOCK),
    "utcnow": (frozenset({"datetime"}), _CLOCK),
    "today": (frozenset({"datetime", "date"}), _CLOCK),
    "random": (frozenset({"Random"}), _CHANCE),
    "getrandbits": (frozenset({"Random"}), _CHANCE),
    "urandom": (frozenset({"posix", "nt"}), _CHANCE),
    "generate_time_safe": (frozenset({"_uuid"}), _CHANCE),
    "open": (frozenset({"_io", "io", "posix", "nt"}), _WORLD),
    "open_code": (frozenset({"_io", "io"}), _WORLD),
    "listdir": (frozenset({"posix", "nt"}), _WORLD),
    "stat": (frozenset({"posix", "nt"}), _WORLD),
    "system": (frozenset({"posix", "nt"}), _WORLD),
    "fork_exec": (frozenset({"_posixsubprocess"}), _WORLD),
    "connect": (frozenset({"socket"}), _WORLD),
    "send": (frozenset({"socket"}), _WORLD),
    "sendall": (frozenset({"socket"}), _WORLD),
    "recv": (frozenset({"socket"}), _WORLD),
    "getaddrinfo": (frozenset({"_socket", "socket"}), _WORLD),
    "start_new_thread": (frozenset({"_thread"}), _WORLD),
}
_REFUSED_FILES = (
    ("/django/db/backends/", "the facts of the case, or an activity that reads the database"),
    ("/psycopg/", "the facts of the case, or an activity that reads the database"),
    ("/redis/", _WORLD),
    ("/kombu/", _WORLD),
)


class Reached(BaseException):
    """Thrown into step code that reached for the world. No `except Exception` of it may go on from
    there; the runner makes a NotDeterministic of it."""


def _owner(function: Any) -> str:
    owner = getattr(function, "__self__", None)
    if owner is None:
        return getattr(function, "__module__", "") or ""
    if isinstance(owner, ModuleType):
        return str(owner.__name__)
    name = _known_class(owner if isinstance(owner, type) else type(owner))
    return "" if name and getattr(owner, "replays", False) else name  # the word random() gave it


# What follows runs at each call that step code makes, also in replay, so it looks only once.


@lru_cache(maxsize=1024)
def _known_class(owner: type) -> str:
    return next((base.__name__ for base in owner.__mro__ if base.__name__ in _CLASSES), "")


_harmless: set[str] = set()  # files that were looked at


_CLASSES = frozenset().union(*(owners for owners, _ in _REFUSED_BUILTINS.values()))


def _watch(frame: FrameType, event: str, argument: Any) -> None:
    if event == "call":
        if frame.f_code.co_filename not in _harmless:
            _look_at_file(frame)
    elif event == "c_call" and argument.__name__ in _REFUSED_BUILTINS:
        owners, instead = _REFUSED_BUILTINS[argument.__name__]
        owner = _owner(argument)
        if owner in owners:
            _refuse(frame, f"{owner}.{argument.__name__}()", instead)


def _look_at_file(frame: FrameType) -> None:
    file = frame.f_code.co_filename
    for part, instead in _REFUSED_FILES:
        if part in file:
            _refuse(frame, f"the {part.strip('/')} module", instead)
            return
    _harmless.add(file)


def _refuse(frame: FrameType, what: str, instead: str) -> None:
    if _is_collecting(frame):
        return
    sys.setprofile(None)
    file, line = _place(frame)
    raise Reached(
        f"{file}, line {line}: step code may not call {what}, because replay could not give the "
        f"same answer again. Use {instead} instead."
    )


def _is_collecting(frame: FrameType | None) -> bool:
    """Whether Python tidies up here, or tells one who measures that it does: that comes when it
    comes and is no step's call."""
    told = {_code(callback) for callback in gc.callbacks}
    while frame is not None:
        if frame.f_code.co_name == "__del__" or frame.f_code in told:
            return True
        frame = frame.f_back
    return False


def _code(callback: Any) -> CodeType | None:
    """The code that a call of this runs: of a function, a method, or an object like one."""
    for one in (callback, type(callback).__call__):
        code = getattr(one, "__code__", None)
        if isinstance(code, CodeType):
            return code
    return None


def _place(frame: FrameType) -> tuple[str, int]:
    """The line of the kind's own code: the nearest one that is no library's."""
    found: FrameType | None = frame
    while found is not None and (
        "site-packages" in found.f_code.co_filename or "/lib/python" in found.f_code.co_filename
    ):
        found = found.f_back
    found = found or frame
    return found.f_code.co_filename, found.f_lineno
