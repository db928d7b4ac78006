"""Step code as it can be read: the function of a step, and the helpers of its kind it calls."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import textwrap
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from django.apps import apps

from processes.engine.places import place
from processes.engine.runner import StepCode
from processes.kinds import kinds

_MISSING = object()


class Piece:
    """One function: its tree, the names around it, and where it stands."""

    def __init__(self, function: Any) -> None:
        self.function = inspect.unwrap(function)
        lines, self.first = inspect.getsourcelines(self.function)
        self.file = inspect.getsourcefile(self.function) or ""
        self.tree = ast.parse(textwrap.dedent("".join(lines)))
        self.nodes = list(ast.walk(self.tree))
        self.globals: dict[str, Any] = self.function.__globals__
        closed = inspect.getclosurevars(self.function).nonlocals
        self.names = {**vars(builtins), **self.globals, **closed, **dict(self._imported())}
        self.own = set(self._bound())

    def _bound(self) -> Iterator[str]:
        """Names that the function itself binds: what they stand for is not known."""
        for node in self.nodes:
            if isinstance(node, ast.arg):
                yield node.arg
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id

    def _imported(self) -> Iterator[tuple[str, Any]]:
        """What the function imports by itself, of the modules that are there already."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.name if alias.asname else alias.name.partition(".")[0]
                    if name in sys.modules:
                        yield alias.asname or name, sys.modules[name]
            elif isinstance(node, ast.ImportFrom) and node.module in sys.modules:
                for alias in node.names:
                    if hasattr(sys.modules[node.module], alias.name):
                        yield (
                            alias.asname or alias.name,
                            getattr(sys.modules[node.module], alias.name),
                        )

    def place(self, node: ast.AST) -> str:
        return place(self.file, self.first + getattr(node, "lineno", 1) - 1)

    def stands_for(self, node: ast.AST) -> Any:
        """The object that an expression such as `datetime.now` names, if that can be known."""
        if isinstance(node, ast.Name):
            return _MISSING if node.id in self.own else self.names.get(node.id, _MISSING)
        if isinstance(node, ast.Attribute):
            owner = self.stands_for(node.value)
            if owner is _MISSING:
                return _MISSING
            try:
                return (
                    inspect.getattr_static(owner, node.attr)
                    if _is_lazy(owner)
                    else getattr(owner, node.attr, _MISSING)
                )
            except AttributeError:
                return _MISSING
        return _MISSING

    def calls(self) -> Iterator[tuple[ast.Call, str, Any]]:
        """Each call: the node, its words, and what it calls (or MISSING)."""
        for node in self.nodes:
            if isinstance(node, ast.Call):
                yield node, ast.unparse(node.func), self.stands_for(node.func)


MISSING = _MISSING


def _is_lazy(owner: Any) -> bool:
    """Whether asking for an attribute could do something, as with settings and instances."""
    return not (inspect.ismodule(owner) or inspect.isclass(owner) or inspect.isfunction(owner))


@lru_cache(maxsize=4096)
def piece_of(function: Any) -> Piece:
    """A function, read. Steps share helpers, and each is read by several checks."""
    return Piece(function)


@lru_cache(maxsize=1024)
def reading_of(code: StepCode) -> Reading:
    """A step's code, read."""
    return Reading(code)


def read_anew() -> None:
    """Forget what was read: names may stand for something else now."""
    piece_of.cache_clear()
    reading_of.cache_clear()


class Reading:
    """All that a step's code can run of its own kind's code."""

    def __init__(self, code: StepCode) -> None:
        self.code = code
        self.pieces = list(self._pieces())
        nodes = [node for piece in self.pieces for node in piece.nodes]
        # What its modules name, tables of transitions among it.
        modules = {piece.function.__module__ for piece in self.pieces}
        self.named = {name for module in modules for name in _named(module)}
        # Whether it looks up attributes by names that cannot be read.
        self.looks_up = any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "getattr"
            and len(node.args) > 1
            and not isinstance(node.args[1], ast.Constant)
            for node in nodes
        )

    def _pieces(self) -> Iterator[Piece]:
        homes = (self.code.function.__module__, *_homes(self.code))
        seen: set[Any] = set()
        todo: list[Any] = [self.code.function]
        while todo:
            function = todo.pop()
            if function in seen:
                continue
            seen.add(function)
            try:
                piece = piece_of(function)
            except (OSError, TypeError, SyntaxError):
                continue
            yield piece
            for node in piece.nodes:
                # A helper may be called, or handed on by its name.
                helper = piece.stands_for(node) if isinstance(node, ast.Name | ast.Attribute) else 0
                is_own = inspect.isfunction(helper) and not hasattr(helper, "_django_fsm")
                if is_own and f"{helper.__module__}.".startswith(tuple(f"{h}." for h in homes)):
                    todo.append(helper)


@lru_cache
def _named(module: str) -> frozenset[str]:
    """The attributes and texts in the source of a module."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError, KeyError):
        return frozenset()
    found = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return frozenset(found | {one for one in texts if isinstance(one, str)})


def _homes(code: StepCode) -> list[str]:
    """The package of the kind whose step this is: its app's."""
    kind = kinds().get(code.kind)
    config = apps.get_containing_app_config(kind.model.__module__) if kind else None
    return [config.name] if config else []
