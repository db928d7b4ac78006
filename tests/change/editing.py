"""A release that changes step code: the real source with one edit, compiled in its place."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from audit.record import Recorded
from processes.engine.runner import StepCode
from processes.engine.words import changed
from processes.kinds import Kind

Passed = Callable[[Sequence[Recorded]], bool]  # of the events of a visit: it would differ


@dataclass(frozen=True)
class Change:
    """One edit of a kind's step code, and which open cases it stops, told from their events.

    `marked` is the same edit behind changed("…"), where that is the remedy.
    """

    sort: str  # insert, remove, rename, reorder, deadline
    step: str  # empty: a helper of several steps
    old: str
    new: str
    differs: Passed
    marked: str = ""

    def __str__(self) -> str:
        return f"{self.sort} in {self.step or 'every step'}"

    def line_in(self, kind: Kind) -> int:
        """The line at which the edit begins."""
        source = Path(module_of(kind, self.old).__file__).read_text()
        return source.count("\n", 0, source.index(self.old)) + 1


def asked(type: str, name: str = "") -> Passed:
    """Cases whose visit has asked for this."""
    return lambda visit: any(
        event.type == type and name in (event.data.get("name", ""), "") for event in visit
    )


def entered(visit: Sequence[Recorded]) -> bool:
    """All cases that stand in the step."""
    return True


def never(visit: Sequence[Recorded]) -> bool:
    return False


def module_of(kind: Kind, old: str) -> Any:
    """The module of a kind's step code in which this text stands, once."""
    functions = [versions[max(versions)].function for versions in kind.codes.values()]
    modules = {one.__name__: one for f in functions if (one := inspect.getmodule(f)) is not None}
    found = {name: Path(str(one.__file__)).read_text().count(old) for name, one in modules.items()}
    (name,) = [name for name, count in found.items() if count] or [""]
    assert found.get(name) == 1, f"{found} times: {old!r}"
    return modules[name]


def edited(kind: Kind, old: str, new: str, folder: Path) -> dict[str, StepCode]:
    """The newest code of the steps of one module, with `old`, which stands there once, as `new`.

    Only functions are compiled anew, so that importing registers nothing twice.
    """
    module = module_of(kind, old)
    original = Path(module.__file__)
    file = folder / original.parent.name / original.name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(original.read_text().replace(old, new))
    tree = ast.parse(file.read_text())
    functions = [
        one for one in tree.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    for one in functions:
        one.decorator_list = []
    space: dict[str, Any] = {**vars(module), "changed": changed}
    exec(compile(ast.Module(functions, []), str(file), "exec"), space)
    codes = {}
    for step, versions in kind.codes.items():
        code = versions[max(versions)]
        if code.function.__module__ == module.__name__:
            function = space[code.function.__name__]
            codes[step] = replace(
                code, function=function, file=str(file), line=function.__code__.co_firstlineno
            )
    return codes


@contextmanager
def deployed(
    kind: Kind, old: str, new: str, folder: Path, *, beside: bool = False
) -> Iterator[dict[str, StepCode]]:
    """A release with this edit: in the place of the newest versions, or as versions beside them."""
    codes = edited(kind, old, new, folder)
    before = {step: dict(versions) for step, versions in kind.codes.items()}
    try:
        for step, code in codes.items():
            version = code.version + 1 if beside else code.version
            kind.codes[step] = {**before[step], version: replace(code, version=version)}
        yield codes
    finally:
        kind.codes.clear()
        kind.codes.update(before)
