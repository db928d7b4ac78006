"""What can be wrong with a decision table, or with a question to one."""

from __future__ import annotations


class BadTable(ValueError):
    """A table that cannot be used. Says the file, the line, the column, and what would work."""

    def __init__(self, words: str, *, file: str = "", line: int = 0, column: int = 0) -> None:
        self.words, self.file, self.line, self.column = words, file, line, column
        places = [file] if file else []
        if line:
            places.append(f"line {line}")
        if column:
            places.append(f"column {column}")
        super().__init__(f"{', '.join(places)}: {words}" if places else words)


class NoDecision(LookupError):
    """A table that gives no answer for these facts, or more than one where one is wanted."""
