"""Somebody who follows a page to the letter: carries out its blocks in order, and nothing else.

The first line of a block names its file. If there is no such file, the block is the file. If there
is, a function, class or name that is there is replaced, what is new goes to the end and imports to
the top. A class that begins with `...` keeps what it has, and gets the members shown.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Block:
    """One block of code of a page."""

    language: str
    text: str
    line: int  # of the page

    @property
    def path(self) -> str:
        """The file that its first line names."""
        first = self.text.partition("\n")[0]
        found = re.fullmatch(r"(?:# |\{# )(\S+\.\w+)(?: #\})?", first)
        assert found, f"line {self.line}: a block must name its file first, not {first!r}"
        return found[1]


def blocks_of(page: Path) -> list[Block]:
    """All blocks of a page, in order."""
    text = page.read_text()
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [Block(one[1], one[2], text[: one.start()].count("\n") + 1) for one in found]


def write(block: Block, folder: Path) -> Path:
    """Do with a block what the page says about blocks."""
    path = folder / block.path
    if block.language == "python" and path.exists():
        path.write_text(merged(path.read_text(), block.text.partition("\n")[2]))
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)
    if block.language == "python":
        compile(path.read_text(), str(path), "exec")
    return path


def merged(text: str, shown: str) -> str:
    """A file with the statements of a block taken in."""
    for node in ast.parse(shown).body:
        piece = _source(shown, node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            text = _with_import(text, piece)
        elif isinstance(node, ast.ClassDef) and _keeps(node):
            text = _with_members(text, shown, node)
        else:
            text = _replaced(text, ast.parse(text).body, _name(node), piece)
    return text


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return ""


def _span(node: ast.AST) -> tuple[int, int]:
    """First and last line of a statement, from 1, with its decorators."""
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)])  # type: ignore[attr-defined]
    return first, node.end_lineno  # type: ignore[attr-defined]


def _source(text: str, node: ast.AST) -> str:
    first, last = _span(node)
    return "\n".join(text.split("\n")[first - 1 : last])


def _keeps(node: ast.ClassDef) -> bool:
    first = node.body[0]
    return isinstance(first, ast.Expr) and ast.unparse(first) == "..."


def _with_import(text: str, piece: str) -> str:
    if piece in text:
        return text
    last = max(
        _span(n)[1] for n in ast.parse(text).body if isinstance(n, ast.Import | ast.ImportFrom)
    )
    lines = text.split("\n")
    return "\n".join([*lines[:last], piece, *lines[last:]])


def _replaced(text: str, siblings: list[ast.stmt], name: str, piece: str, gap: int = 2) -> str:
    lines = text.rstrip("\n").split("\n")
    for node in siblings:
        if name and _name(node) == name:
            first, last = _span(node)
            return "\n".join([*lines[: first - 1], piece, *lines[last:]]) + "\n"
    end = _span(siblings[-1])[1]
    return "\n".join([*lines[:end], *[""] * gap, piece, *lines[end:]]) + "\n"


def _with_members(text: str, shown: str, part: ast.ClassDef) -> str:
    for member in part.body[1:]:
        whole = next(n for n in ast.parse(text).body if _name(n) == part.name)
        assert isinstance(whole, ast.ClassDef)
        text = _replaced(text, whole.body, _name(member), _source(shown, member), gap=1)
    return text
