"""Slips in step code and in the declaration of a kind that would show only when a case is there."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, Error
from django.utils.module_loading import import_string

from cases.fsm import edges
from processes.activities import Definition
from processes.checks.places import of as place_of
from processes.checks.reading import Piece, reading_of
from processes.engine import words
from processes.engine.runner import StepCode
from processes.kinds import Kind, kinds
from timers import spans

_SPANS: tuple[Any, ...] = (
    *(spans.seconds, spans.minutes, spans.hours, spans.days, spans.months),
    *(spans.working_days, spans.working_hours),
)
_ASKS: tuple[Any, ...] = (
    *(words.message, words.documents, words.ask_review, words.ask_task, words.subcase),
    *(words.sleep, words.sleep_until),
)


def _is_one(thing: Any, some: tuple[Any, ...]) -> bool:
    return any(thing is one for one in some)


def check(kind: Kind) -> Iterator[CheckMessage]:
    """What is wrong with how a kind is declared, and with single calls of its steps."""
    yield from _declared(kind)
    told: set[str] = set()
    for versions in kind.codes.values():
        for code in versions.values():
            for message in _of_step(kind, code):
                if message.msg not in told:
                    told.add(message.msg)
                    yield message


def _of_step(kind: Kind, code: StepCode) -> Iterator[CheckMessage]:
    pieces = reading_of(code).pieces
    for piece in pieces:
        for node, called, thing in piece.calls():
            if _is_one(thing, _SPANS):
                yield from _span(piece, node, thing)
            elif _is_one(thing, (words.deadline, words.sleep)) and node.args:
                yield from _no_span(piece, node.args[0], called)
        yield from _unawaited(piece, {one.function: one for one in pieces})
    if pieces:
        yield from _case(pieces[0], kind)


def _span(piece: Piece, node: ast.Call, span: Any) -> Iterator[CheckMessage]:
    """A span of a written amount that there is not, such as days(-1)."""
    try:
        amount = ast.literal_eval(node.args[0]) if len(node.args) == 1 else None
    except ValueError:
        return
    if amount is None:
        return
    try:
        span(amount)
    except (TypeError, ValueError) as error:
        yield Error(
            f"{piece.place(node)}: {ast.unparse(node)} is no span of time: {error}",
            hint="Write a positive amount; for a moment that is known use sleep_until().",
            id="processes.E022",
        )


def _no_span(piece: Piece, given: ast.expr, called: str) -> Iterator[CheckMessage]:
    if isinstance(given, ast.Constant):
        yield Error(
            f"{piece.place(given)}: {called}({ast.unparse(given)}) says no unit of time.",
            hint=f"Write {called}(days(…)), or working_days, hours, months of timers.spans.",
            id="processes.E022",
        )


def _unawaited(piece: Piece, others: dict[Any, Piece]) -> Iterator[CheckMessage]:
    """Something that is asked for in a line of its own, without waiting for it."""
    for node in piece.nodes:
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            continue
        thing = piece.stands_for(node.value.func)
        if _is_awaited(thing, others):
            yield Error(
                f"{piece.place(node)}: step code calls {ast.unparse(node.value.func)}() and does "
                "not wait for it.",
                hint=f"await {ast.unparse(node.value)[:80]}",
                id="processes.E023",
            )


def _is_awaited(thing: Any, others: dict[Any, Piece]) -> bool:
    """Whether one waits for what it gives: a word, an activity, or a helper that returns such."""
    if isinstance(thing, Definition) or _is_one(thing, _ASKS) or inspect.iscoroutinefunction(thing):
        return True
    helper = others.get(thing) if inspect.isfunction(thing) else None
    return helper is not None and any(
        isinstance(node, ast.Return)
        and isinstance(node.value, ast.Call)
        and isinstance(helper.stands_for(node.value.func), Definition)
        for node in helper.nodes
    )


def _case(piece: Piece, kind: Kind) -> Iterator[CheckMessage]:
    """What the code does with its case: transitions that there are, called as they are, returned;
    facts that it only reads."""
    first = next(iter(inspect.signature(piece.function).parameters), "")
    graph = {edge.name for edge in edges(kind.model)}
    for node in piece.nodes:
        if isinstance(node, ast.Call) and (name := _of_case(node.func, first)):
            if name in graph:
                yield from _arguments(piece, node, kind, name)
            elif not hasattr(kind.model, name):
                yield Error(
                    f"{piece.place(node)}: {first}.{name}() is no transition of kind "
                    f"“{kind.name}”.",
                    hint=f"Its transitions are: {', '.join(sorted(graph))}.",
                    id="processes.E024",
                )
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            if (name := _of_case(node.value.func, first)) in graph:
                yield Error(
                    f"{piece.place(node)}: step code makes the move {first}.{name}() and does not "
                    "return it, so nothing comes of it.",
                    hint=f"return {ast.unparse(node.value)[:80]}",
                    id="processes.E024",
                )
        elif isinstance(node, ast.Return) and node.value is not None:
            if (name := _of_case(node.value, first)) in graph:
                yield Error(
                    f"{piece.place(node)}: step code returns {first}.{name}, which is not called.",
                    hint=f"return {first}.{name}(…)",
                    id="processes.E024",
                )
        elif isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in filter(None, (_of_case(one, first) for one in targets)):
                yield Error(
                    f"{piece.place(node)}: step code sets {first}.{name}, which no history would "
                    "tell.",
                    hint="Give it to a transition, whose method sets it.",
                    id="processes.E025",
                )


def _of_case(node: ast.AST, first: str) -> str:
    """The name after the case: `approve` of `case.approve`."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return node.attr if is_own and node.value.id == first else ""  # type: ignore[attr-defined]


def _arguments(piece: Piece, node: ast.Call, kind: Kind, name: str) -> Iterator[CheckMessage]:
    takes = list(inspect.signature(getattr(kind.model, name)).parameters.values())[1:]
    if node.args or any(one.kind is one.VAR_KEYWORD for one in takes):
        return
    given = [one.arg for one in node.keywords]
    if None in given:
        return
    extra = [one for one in given if one not in {other.name for other in takes}]
    missing = [one.name for one in takes if one.default is one.empty and one.name not in given]
    if extra or missing:
        wrong = f"gives it {', '.join(map(str, extra))}, which it does not take"
        if not extra:
            wrong = f"does not give it {', '.join(missing)}"
        shown = ", ".join(f"{one.name}=…" for one in takes)
        yield Error(
            f"{piece.place(node)}: step code takes the transition “{name}” but {wrong}.",
            hint=f"return {ast.unparse(node.func)}({shown})",
            id="processes.E024",
        )


# -- the declaration


def _declared(kind: Kind) -> Iterator[CheckMessage]:
    facts = {field.name for field in kind.model.fact_fields()}
    steps = [str(value) for value, _ in kind.model.Step.choices]  # type: ignore[attr-defined]
    graph = sorted(edge.name for edge in edges(kind.model))
    in_line = [step for _, some in kind.main_line for step in some]
    named: list[tuple[str, Any, Any]] = [
        ("correctable", kind.correctable, sorted(facts)),
        ("main_line", in_line, steps),
        ("targets", kind.targets, steps),
        ("answer_forms", kind.answer_form_paths, sorted(kind.messages)),
        ("withdraw", {kind.withdraw} - {"", "withdraw"}, graph),
    ]
    for where, names, known in named:
        if unknown := sorted(set(names) - set(known)):
            yield _error(
                kind,
                f"{where} names {', '.join(unknown)}, which there is not",
                f"There is: {', '.join(known)}.",
            )
    if twice := sorted({step for step in in_line if in_line.count(step) > 1}):
        yield _error(
            kind,
            f"main_line has {', '.join(twice)} twice",
            "Name each step once; a case that comes back there is shown so by itself.",
        )
    same = [one.name for one in kinds().values() if one.prefix == kind.prefix and one is not kind]
    if same:
        yield _error(
            kind,
            f"the prefix {kind.prefix} is that of “{same[0]}”, too",
            "Give each kind a prefix of its own.",
        )
    for path in filter(None, (kind.form_path, *kind.answer_form_paths.values())):
        try:
            import_string(path)
        except ImportError as error:
            yield _error(kind, f"the form “{path}” is not there: {error}", "Name it in full.")


def _error(kind: Kind, what: str, hint: str) -> Error:
    where = f"{place_of(kind.model)}: kind “{kind.name}”"
    return Error(f"{where}: {what}.", hint=hint, id="processes.E026")
