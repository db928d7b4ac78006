"""Statements that are gathered and sent together: a round trip costs as much as a small write."""

from __future__ import annotations

from typing import Any


class Script:
    """Takes the place of a cursor for statements that need no parameters."""

    rowcount = -1  # nothing has happened yet

    def __init__(self) -> None:
        self._statements: list[str] = []

    def execute(self, statement: str) -> None:
        self._statements.append(statement)

    def send(self, cursor: Any) -> list[Any]:
        """Let the database do all of it, in order. Returns the last rows that it gives."""
        if not self._statements:
            return []
        cursor.execute(";\n".join(self._statements))
        self._statements.clear()
        answer: list[Any] = []
        while True:
            if cursor.description:
                answer = cursor.fetchall()
            if not cursor.nextset():
                return answer
