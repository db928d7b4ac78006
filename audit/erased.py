"""What is read where something personal was, after its key was destroyed."""

from __future__ import annotations


class Erased(str):
    """A text that is gone. It reads “[erased]”, and whoever must know can tell it from a text."""

    __slots__ = ()

    def __new__(cls) -> Erased:
        return super().__new__(cls, "[erased]")

    def __getnewargs__(self) -> tuple[()]:  # type: ignore[override]
        return ()


ERASED = Erased()
