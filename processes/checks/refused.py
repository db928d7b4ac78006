"""What step code may not call, by its full name, and what to use instead."""

from __future__ import annotations

import inspect
from typing import Any

_CLOCK = "now() for the moment, or sleep() and deadline() to wait"
_CHANCE = "random() or uuid(), which replay the same"
_WORLD = "an activity"
_ROWS = "the facts of the case, or an activity that reads the database"
_SIDE = "all_of(), first_of() or start(), which the engine keeps"
_NOTHING = "nothing: step code is run again and again"
_SAME = "the value itself: this differs from process to process"

# The longest name that fits counts; an empty answer allows what a shorter name refuses.
_REFUSED = {
    "time": _CLOCK,
    "datetime.datetime.now": _CLOCK,
    "datetime.datetime.utcnow": _CLOCK,
    "datetime.datetime.today": _CLOCK,
    "datetime.date.today": _CLOCK,
    "django.utils.timezone.now": _CLOCK,
    "django.utils.timezone.localdate": _CLOCK,
    "timers.clock": _CLOCK,
    "random": _CHANCE,
    "_random": _CHANCE,
    "secrets": _WORLD,
    "uuid.uuid1": _CHANCE,
    "uuid.uuid4": _CHANCE,
    "os": _WORLD,
    "posix": _WORLD,
    "nt": _WORLD,
    "os.path": "",
    "io.open": _WORLD,
    "_io.open": _WORLD,
    "builtins.open": _WORLD,
    "builtins.input": _WORLD,
    "builtins.print": _NOTHING,
    "builtins.hash": _SAME,
    "builtins.id": _SAME,
    "logging": _NOTHING,
    "pathlib.Path": _WORLD,
    "shutil": _WORLD,
    "tempfile": _WORLD,
    "glob": _WORLD,
    "requests": _WORLD,
    "httpx": _WORLD,
    "aiohttp": _WORLD,
    "urllib.request": _WORLD,
    "urllib3": _WORLD,
    "http.client": _WORLD,
    "smtplib": _WORLD,
    "ftplib": _WORLD,
    "boto3": _WORLD,
    "socket": _WORLD,
    "_socket": _WORLD,
    "ssl": _WORLD,
    "subprocess": _WORLD,
    "celery": _WORLD,
    "redis": _WORLD,
    "kombu": _WORLD,
    "django.core.mail": _WORLD,
    "django.core.cache": _WORLD,
    "django.core.files": _WORLD,
    "django.db": _ROWS,
    "django.db.models": "",  # a model's class is no row; what asks for rows is found by its words
    "psycopg": _ROWS,
    "threading": _SIDE,
    "_thread": _SIDE,
    "multiprocessing": _SIDE,
    "concurrent.futures": _SIDE,
    "asyncio": _SIDE,
    "processes.services": _WORLD,
    "processes.acts": "a transition that the code returns, or an activity",
}


def instead_of(name: str) -> str:
    """What to use instead of what has this full name; empty for what step code may call."""
    while name:
        if name in _REFUSED:
            return _REFUSED[name]
        name = name.rpartition(".")[0]
    return ""


def full_name(thing: Any) -> str:
    """Module and name of a module, class or function; of the class, for anything else."""
    if inspect.ismodule(thing):
        return thing.__name__
    owner = getattr(thing, "__self__", None)
    if owner is not None and not inspect.ismodule(owner):
        owner = owner if inspect.isclass(owner) else type(owner)
        return f"{owner.__module__}.{owner.__qualname__}.{getattr(thing, '__name__', '')}"
    if inspect.isclass(thing) or callable(thing) and hasattr(thing, "__qualname__"):
        module = getattr(thing, "__module__", None) or getattr(owner, "__name__", "")
        return f"{module}.{thing.__qualname__}"
    return f"{type(thing).__module__}.{type(thing).__qualname__}"
