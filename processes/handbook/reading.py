"""What a step does, found by reading its code: waits, activities, letters, timers, tables, ways.

Reading goes through the helpers of the kind's own package, with the arguments that a call gives
them. What is known only when a case runs is shown as the words of the code.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from django.utils.functional import Promise

from cases.words import plain
from processes.activities import Definition
from processes.decisions.tables import DecisionTable
from processes.engine import words
from processes.engine.runner import StepCode
from processes.handbook.findings import (
    Choice,
    Code,
    Finding,
    either,
    in_words,
    outputs_of,
    subject_of,
)
from processes.handbook.telling import TELLERS
from processes.kinds import Kind, kind_of
from processes.letters import send_letter
from timers import spans
from timers.spans import Span

DEPTH = 8  # helpers within helpers


@dataclass(slots=True)
class Reading:
    """All that reading found in one version of a step."""

    code: StepCode
    about: str = ""
    found: list[Finding] = field(default_factory=list)
    ways: list[str] = field(default_factory=list)  # transitions that the code takes

    def of(self, *sorts: str) -> list[Finding]:
        return [one for one in self.found if one.sort in sorts]

    @property
    def waits(self) -> list[Finding]:
        return self.of("task", "documents", "message", "party", "subcase", "timer")

    @property
    def parties(self) -> list[str]:
        """Whom the step can wait for, each once."""
        found = [
            party
            for one in self.of("task", "documents", "message", "party")
            for party in one.on.split(" / ")
            if party
        ]
        return list(dict.fromkeys(found))


def read(code: StepCode) -> Reading:
    """Read one version of a step with its helpers."""
    reading = Reading(code, about=inspect.cleandoc(code.function.__doc__ or ""))
    _Reader(reading, code.function, {}, package_of(kind_of(code.kind)), 0, set()).read()
    reading.found = list(dict.fromkeys(reading.found))
    reading.ways = list(dict.fromkeys(reading.ways))
    return reading


def package_of(kind: Kind) -> str:
    """The dotted name of the package in which all of a kind lies, however deep its code."""
    return str(kind.model._meta.app_config.name)


class _Reader:
    """Reads one function with what its arguments are known to be."""

    def __init__(
        self,
        reading: Reading,
        function: Any,
        known: dict[str, Any],
        package: str,
        depth: int,
        path: set[Any],
    ) -> None:
        self.reading = reading
        self.function = function
        self.known = dict(known)
        self.package = package
        self.depth = depth
        self.path = path | {function}
        self.names = function.__globals__
        self.then: list[str] = []  # what passed deadlines around this place lead to
        self.first = 0

    def read(self) -> None:
        try:
            lines, self.first = inspect.getsourcelines(self.function)
        except (OSError, TypeError):
            return
        tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
        assert isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in tree.body:
            self.visit(statement)

    def learn(self, node: ast.Assign) -> None:
        """Remember what a name stands for, where reading can tell."""
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Name):
            found = self.value(node.value)
            if not isinstance(found, Code) or isinstance(found, Choice):
                self.known[target.id] = found

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.AsyncWith | ast.With):
            added = 0
            for item in node.items:
                self.visit(item.context_expr)
                call = item.context_expr
                if isinstance(call, ast.Call) and self.target(call) is words.deadline:
                    self.then.append(self.text(self.arguments(call).get("then")))
                    added += 1
            for statement in node.body:
                self.visit(statement)
            del self.then[len(self.then) - added :]
            return
        if isinstance(node, ast.Assign):
            self.learn(node)
        elif isinstance(node, ast.Call):
            self.call(node)
        elif isinstance(node, ast.Attribute) and self.is_way(node):
            self.reading.ways.append(node.attr)
        for child in ast.iter_child_nodes(node):
            self.visit(child)

    def is_way(self, node: ast.Attribute) -> bool:
        """Whether this is a transition of the case: `case.decline`."""
        if not (isinstance(node.value, ast.Name) and node.value.id == "case"):
            return False
        model = kind_of(self.reading.code.kind).model
        return hasattr(getattr(model, node.attr, None), "_django_fsm")

    def document_title(self, name: str) -> str:
        return str(kind_of(self.reading.code.kind).document_titles.get(name, plain(name)))

    def message_title(self, name: str) -> str:
        return str(kind_of(self.reading.code.kind).message_titles.get(name, plain(name)))

    # -- calls

    def call(self, node: ast.Call) -> None:
        target = self.target(node)
        if target is None:
            return
        line = self.first + node.lineno - 1
        if isinstance(target, Definition):
            self.add_activity(target, node, line)
        elif target in TELLERS:
            given = self.arguments(node)
            values = [self.value(one) for one in node.args if not isinstance(one, ast.Starred)]
            stars = [self.value(one.value) for one in node.args if isinstance(one, ast.Starred)]
            self.reading.found += TELLERS[target](self, values, given, stars, line)
        elif self.is_helper(target):
            bound = self.bound(target, node)
            reader = _Reader(self.reading, target, bound, self.package, self.depth + 1, self.path)
            reader.then = list(self.then)
            reader.read()

    def is_helper(self, target: Any) -> bool:
        """Whether this is a function of the kind's own package that is not being read already."""
        own = inspect.isfunction(target) and target.__module__.startswith(self.package)
        return own and target not in self.path and self.depth < DEPTH

    def bound(self, target: Any, node: ast.Call) -> dict[str, Any]:
        """What is known of a helper's arguments at this call."""
        parameters = inspect.signature(target).parameters
        known = {
            name: one.default
            for name, one in parameters.items()
            if one.default is not inspect.Parameter.empty
        }
        for name, value in zip(parameters, node.args, strict=False):
            known[name] = self.value(value)
        known.update({k.arg: self.value(k.value) for k in node.keywords if k.arg})
        return known

    def add_activity(self, target: Definition, node: ast.Call, line: int) -> None:
        if target is send_letter:
            template = self.value(self.arguments(node).get("template"))
            name = Path(str(template)).stem if not isinstance(template, Code) else str(template)
            title = subject_of(str(template)) or plain(name)
            self.reading.found.append(Finding("letter", str(template), title, line=line))
            return
        title = plain(target.name)
        self.reading.found.append(
            Finding("activity", target.name, title, target.on, line=line, activity=target)
        )

    def target(self, node: ast.Call) -> Any:
        """The object that is called, where its name says which."""
        return self.named(node.func)

    def named(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.named(node.value)
            return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
        return None

    def arguments(self, node: ast.Call) -> dict[str, ast.expr]:
        return {one.arg: one.value for one in node.keywords if one.arg}

    # -- values

    def value(self, node: ast.expr | None) -> Any:
        """What an expression is, where reading can tell; else a Code."""
        match node:
            case None:
                return ""
            case ast.Constant():
                return node.value
            case ast.Name() if node.id in self.known:
                return self.known[node.id]
            case ast.Name() | ast.Attribute():
                found = self.named(node)
                if isinstance(found, (str, int, float, Span, Promise, tuple, list, DecisionTable)):
                    return found
            case ast.JoinedStr():
                return self.joined(node)
            case ast.List() | ast.Tuple():
                return [self.value(one) for one in node.elts]
            case ast.IfExp():
                return self.chosen(node)
            case ast.BoolOp():
                found = [self.value(one) for one in node.values]
                known = [v for v in found if v and (not isinstance(v, Code) or type(v) is Choice)]
                return known[0] if known else Code(ast.unparse(node))
            case ast.Await():
                return self.value(node.value)
            case ast.Subscript(slice=ast.Constant(value=str() as key)):
                table = self.value(node.value)
                if isinstance(table, DecisionTable):
                    return Choice(either(outputs_of(table, key)))
            case ast.Call():
                target = self.target(node)
                if target is words.decide and node.args:
                    return self.value(node.args[0])
                if target is not None and getattr(target, "__module__", "") == spans.__name__:
                    values = [self.value(one) for one in node.args]
                    if not any(isinstance(one, Code) for one in values):
                        return target(*values)
        return Code(ast.unparse(node)) if node is not None else ""

    def chosen(self, node: ast.IfExp) -> Any:
        """Of `a if test else b` the one that is known to be meant, or both."""
        if isinstance(node.test, ast.Name) and node.test.id in self.known:
            test = self.known[node.test.id]
            return self.value(node.body if test or isinstance(test, Code) else node.orelse)
        options = [self.value(node.body), self.value(node.orelse)]
        return options[0] if options[0] == options[1] else Choice(either(options))

    def joined(self, node: ast.JoinedStr) -> Any:
        parts = []
        for one in node.values:
            if isinstance(one, ast.FormattedValue):
                value = self.value(one.value)
                if isinstance(value, Code):
                    return Code(ast.unparse(node))
                parts.append(str(value))
            else:
                parts.append(str(self.value(one)))
        return "".join(parts)

    def text(self, node: ast.expr | None) -> str:
        return in_words(self.value(node))
