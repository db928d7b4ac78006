"""Versions of steps' code side by side: which are in use, which may go, which are missing."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Min

from cases.models import Case
from processes.engine.places import place
from processes.engine.runner import StepCode
from processes.kinds import kinds


@dataclass(frozen=True, slots=True)
class VersionUse:
    """One version of a step's code, and the open cases that stand in it."""

    kind: str
    step: str
    version: int
    cases: int
    since: datetime | None  # when the first of them entered
    is_newest: bool
    place: str  # empty: this release does not have it

    @property
    def is_missing(self) -> bool:
        return self.cases > 0 and not self.place

    @property
    def may_go(self) -> bool:
        """Whether it can be deleted: no case stands in it, and none will enter it."""
        return bool(self.place) and not self.is_newest and not self.cases

    @property
    def sentence(self) -> str:
        """What is wrong with a missing version, and what would help."""
        cases = "1 open case stands" if self.cases == 1 else f"{self.cases} open cases stand"
        return (
            f"{cases} in version {self.version} of step “{self.step}” of {self.kind}, which this "
            f"release does not have. Bring it back, with @….step(…, version={self.version}), or "
            f"move the cases: manage.py movecases {self.kind} {self.step} "
            f"--from {self.version} --to N."
        )


def in_use() -> list[VersionUse]:
    """Each version that this release has or that an open case stands in."""
    counted = (
        Case.objects.filter(closed_at=None, visit__gt=0)
        .exclude(code_digest="")
        .values_list("kind", "step", "step_version")
        .annotate(cases=Count("pk"), since=Min("entered_at"))
        .order_by()
    )
    standing = {tuple(row[:3]): (row[3], row[4]) for row in counted}
    known = {
        (kind.name, step, version): code
        for kind in kinds().values()
        for step, versions in kind.codes.items()
        for version, code in versions.items()
    }
    found = []
    for key in sorted({*standing, *known}):
        cases, since = standing.get(key, (0, None))
        code = known.get(key)
        newest = code is not None and version_is_newest(code)
        where = place(code.file, code.line) if code else ""
        kind_name, step, version = key
        found.append(VersionUse(kind_name, step, version, cases, since, newest, where))
    return found


def missing() -> list[VersionUse]:
    """Versions in which open cases stand and which this release does not have."""
    return [one for one in in_use() if one.is_missing]


def known_versions(kind: str, step: str) -> list[int]:
    """The versions of a step's code that this release has."""
    found = kinds().get(kind)
    return sorted(found.codes.get(step, {})) if found is not None else []


def version_is_newest(code: StepCode) -> bool:
    return code.version == max(kinds()[code.kind].codes[code.step])


# -- markers of small changes


@dataclass(frozen=True, slots=True)
class Marker:
    """One changed("…") in the code of a step."""

    kind: str
    step: str
    version: int
    name: str
    place: str


def markers() -> list[Marker]:
    """The markers in the code of all kinds, found by reading it and the helpers beside it."""
    found: dict[tuple[str, str, int, str], Marker] = {}
    for kind in kinds().values():
        for versions in kind.codes.values():
            for code in versions.values():
                for function, line, call in calls_of(code):
                    if ast.unparse(call.func).split(".")[-1] != "changed" or not call.args:
                        continue
                    name = call.args[0]
                    if isinstance(name, ast.Constant) and isinstance(name.value, str):
                        key = (code.kind, code.step, code.version, name.value)
                        file = inspect.getsourcefile(function) or ""
                        found.setdefault(key, Marker(*key, place(file, line)))
    return sorted(found.values(), key=lambda one: (one.kind, one.step, one.version, one.name))


def calls_of(code: StepCode) -> Iterator[tuple[Any, int, ast.Call]]:
    """Each call in a step's code and in the helpers of its module: (function, line, call)."""
    own = code.function.__globals__
    seen: set[str] = set()
    todo: list[Any] = [code.function]
    while todo:
        function = todo.pop()
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            continue
        for node in ast.walk(ast.parse(textwrap.dedent("".join(lines)))):
            if not isinstance(node, ast.Call):
                continue
            yield function, first + node.lineno - 1, node
            called = ast.unparse(node.func)
            helper = own.get(called)
            is_own = inspect.isfunction(helper) and helper.__module__ == code.function.__module__
            if is_own and called not in seen:
                seen.add(called)
                todo.append(helper)
