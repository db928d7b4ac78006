"""What can be known at start: `manage.py check` reads the code of the steps."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, Error, Info, Warning, register
from django.db import Error as DatabaseError

from cases.fsm import edges
from processes.engine import versions
from processes.engine.places import place
from processes.engine.runner import StepCode
from processes.kinds import Kind, kinds

_REFUSED = {
    "time": "now(), sleep() or deadline()",
    "datetime.now": "now()",
    "datetime.utcnow": "now()",
    "datetime.today": "now()",
    "date.today": "now()",
    "timezone.now": "now()",
    "clock.now": "now()",
    "random": "random()",
    "secrets": "an activity",
    "uuid": "uuid()",
    "os": "an activity",
    "open": "an activity",
    "requests": "an activity",
    "httpx": "an activity",
    "socket": "an activity",
    "subprocess": "an activity",
    "print": "nothing; step code is run again and again",
}
_WORDS = {"random", "uuid", "now"}  # also words of a step, when called bare


@register("processes")
def check_kinds(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Each kind: its graph can be walked, each step waits for somebody, its code is pure."""
    found: list[CheckMessage] = []
    for kind in kinds().values():
        found += _graph(kind)
        for codes in kind.codes.values():
            for code in codes.values():
                found += _offenders(code)
    return found


def _graph(kind: Kind) -> Iterator[CheckMessage]:
    graph = edges(kind.model)
    steps = [value for value, _ in kind.model.Step.choices]  # type: ignore[attr-defined]
    reached = {kind.initial}
    for _ in steps:
        for edge in graph:
            if "*" in edge.sources or reached & set(edge.sources):
                reached.add(edge.target)
    for step in steps:
        label = f"Kind “{kind.name}”, step “{step}”"
        if step not in reached:
            yield Warning(f"{label}: no transition leads to it.", id="processes.W001")
        if kind.is_closing(step):
            continue
        if kind.code_of(step) is None and step not in kind.staff_steps:
            yield Error(
                f"{label}: it can wait for nobody.",
                hint="Give it code with @kind.step(…), or declare kind.staff_step(…, role=…).",
                id="processes.E001",
            )
        if not any(step in e.sources or "*" in e.sources for e in graph):
            yield Error(f"{label}: no transition leads out of it.", id="processes.E002")
    for name in vars(kind.model):
        inherited = [b for b in kind.model.__mro__[1:] if hasattr(vars(b).get(name), "_django_fsm")]
        if inherited and not hasattr(vars(kind.model)[name], "_django_fsm"):
            yield Error(
                f"Kind “{kind.name}”: {name}() overrides a transition without being one.",
                hint="Decorate it with @transition.",
                id="processes.E003",
            )


def _offenders(code: StepCode) -> Iterator[CheckMessage]:
    """Calls that step code must not make, found by reading it and the helpers beside it."""
    for function, line, node in versions.calls_of(code):
        where = place(inspect.getsourcefile(function) or code.file, line)
        called = ast.unparse(node.func)
        root = called.split(".")[0]
        ending = ".".join(called.split(".")[-2:])  # also as datetime.datetime.now
        instead = _REFUSED.get(ending) or (_REFUSED.get(root) if "." in called else None)
        if called in ("open", "print"):
            instead = _REFUSED[called]
        if instead and not (called in _WORDS and "." not in called):
            yield Error(
                f"{where}: step “{code.step}” calls {called}(), and replay could not give the same "
                "answer again.",
                hint=f"Use {instead}.",
                id="processes.E010",
            )
        if ".objects." in called or called.endswith((".save", ".refresh_from_db")):
            yield Error(
                f"{where}: step “{code.step}” reads or writes the database with {called}().",
                hint="Use the facts of the case, or an activity.",
                id="processes.E011",
            )
        if called == "changed" and not (node.args and isinstance(node.args[0], ast.Constant)):
            yield Error(
                f"{where}: step “{code.step}” calls changed() with a name that is computed.",
                hint="Write the name out, so that it is known when the marker may go.",
                id="processes.E012",
            )


@register("processes", deploy=True)
def check_versions(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """No open case stands in a version of a step's code that this release does not have."""
    try:
        return [Error(one.sentence, id="processes.E020") for one in versions.missing()]
    except DatabaseError as error:
        said = f"The versions that open cases stand in could not be looked up: {error}"
        return [Info(said.strip(), id="processes.I020")]
