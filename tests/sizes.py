"""The suite in two sizes: short for every change (`make test`), long before a release
(`make long`)."""

from __future__ import annotations

import os
from typing import TypeVar

IS_LONG = bool(os.environ.get("LONGCASE_LONG"))

T = TypeVar("T")


def sized(short: T, long: T) -> T:
    """One of two sizes of the same test: how many examples, walks, pages, dates."""
    return long if IS_LONG else short
