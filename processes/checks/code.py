"""The code of the steps: nothing in it may answer otherwise when it is run again."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, Error, Warning

from cases.fsm import edges
from processes.activities import Definition
from processes.checks import refused
from processes.checks.reading import MISSING, Piece, reading_of
from processes.engine import clockwords, words
from processes.engine.places import place
from processes.engine.runner import StepCode
from processes.kinds import Kind, kinds

_CLOCKWORDS = frozenset(getattr(clockwords, n) for n in vars(clockwords) if "_clock" in n) | {
    words.clock_limit,
    words.clock_state,
}
_SETS = (ast.Set, ast.SetComp)


def check(kind: Kind) -> Iterator[CheckMessage]:
    """What is wrong with the code of a kind's steps. A helper of several steps is told once."""
    told: set[str] = set()
    for versions in kind.codes.values():
        for code in versions.values():
            for message in [*offenders(code), *_mistakes(kind, code)]:
                if message.msg not in told:
                    told.add(message.msg)
                    yield message


def offenders(code: StepCode) -> Iterator[CheckMessage]:
    """Calls that step code must not make, in the step's function and the helpers of its kind."""
    for piece in reading_of(code).pieces:
        yield from _imports(piece)
        for node, called, thing in piece.calls():
            if _is_orm(called):
                yield Error(
                    f"{piece.place(node)}: step code reads or writes the database with {called}().",
                    hint="Use the facts of the case, or an activity.",
                    id="processes.E011",
                )
            elif instead := refused.instead_of(_name(piece, node.func, thing)):
                yield Error(
                    f"{piece.place(node)}: step code calls {called}(), and replay could not give "
                    "the same answer again.",
                    hint=f"Use {instead}.",
                    id="processes.E010",
                )
            elif thing is words.changed and not (
                node.args and isinstance(node.args[0], ast.Constant)
            ):
                yield Error(
                    f"{piece.place(node)}: step code calls changed() with a name that is computed.",
                    hint="Write the name out, so that it is known when the marker may go.",
                    id="processes.E012",
                )
        yield from _sets(piece)


def _imports(piece: Piece) -> Iterator[CheckMessage]:
    for node in piece.nodes:
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if instead := refused.instead_of(name):
                yield Error(
                    f"{piece.place(node)}: step code imports {name}, and replay could not give the "
                    "same answer again.",
                    hint=f"Use {instead}.",
                    id="processes.E010",
                )


def _is_orm(called: str) -> bool:
    return ".objects." in f"{called}." or called.endswith(
        (".save", ".asave", ".refresh_from_db", ".arefresh_from_db", ".delete", ".adelete")
    )


def _name(piece: Piece, node: ast.AST, thing: Any) -> str:
    """The full name of what is called: `httpx.get`, `datetime.datetime.now`."""
    if thing is not MISSING:
        return refused.full_name(thing)
    rest = ""
    while isinstance(node, ast.Attribute):
        rest = f".{node.attr}{rest}"
        node = node.value
        owner = piece.stands_for(node)
        if owner is not MISSING:
            return refused.full_name(owner) + rest
    return ""


def _sets(piece: Piece) -> Iterator[CheckMessage]:
    for node in piece.nodes:
        if not isinstance(node, ast.For | ast.comprehension):
            continue
        made = node.iter
        is_set = isinstance(made, _SETS) or (
            isinstance(made, ast.Call) and piece.stands_for(made.func) in (set, frozenset)
        )
        if is_set:
            yield Error(
                f"{piece.place(made)}: step code goes through the set {ast.unparse(made)}, whose "
                "order differs from process to process.",
                hint=f"Go through sorted({ast.unparse(made)}).",
                id="processes.E014",
            )


# -- what can only fail once a case gets there


def _mistakes(kind: Kind, code: StepCode) -> Iterator[CheckMessage]:
    reading = reading_of(code)
    for piece in reading.pieces:
        for node, called, thing in piece.calls():
            if isinstance(thing, Definition):
                yield from _arguments(piece, node, called, thing)
            elif thing is words.subcase:
                yield from _subcase(piece, node)
            elif thing is words.message:
                yield from _message(piece, node, kind)
            elif thing is words.documents:
                yield from _documents(piece, node, kind)
            elif thing in _CLOCKWORDS:
                yield from _clock(piece, node, called, kind)
    if reading.pieces:
        yield from _returns(reading.pieces[0], code)
        yield from _transitions(reading.pieces[0], kind, code)


def _arguments(
    piece: Piece, node: ast.Call, called: str, definition: Definition
) -> Iterator[CheckMessage]:
    takes = inspect.signature(definition.function).parameters
    names = [n for n, p in list(takes.items())[1:] if p.kind is not p.VAR_KEYWORD]
    open_ended = any(p.kind is p.VAR_KEYWORD for p in takes.values())
    given = [k.arg for k in node.keywords]
    wrong = ""
    if node.args:
        wrong = "gives it arguments without names"
    elif not open_ended and (extra := [g for g in given if g and g not in names]):
        wrong = f"gives it {', '.join(extra)}, which it does not take"
    elif None not in given:
        needed = [n for n in names if takes[n].default is inspect.Parameter.empty]
        if missing := [n for n in needed if n not in given]:
            wrong = f"does not give it {', '.join(missing)}"
    if wrong:
        yield Error(
            f"{piece.place(node)}: step code asks for the activity {called} but {wrong}.",
            hint=f"await {called}({', '.join(f'{n}=…' for n in names)})",
            id="processes.E018",
        )


def _text(piece: Piece, node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    thing = piece.stands_for(node)
    return thing if isinstance(thing, str) else ""


def _subcase(piece: Piece, node: ast.Call) -> Iterator[CheckMessage]:
    name = _text(piece, node.args[0]) if node.args else ""
    if not name:
        return
    if name not in kinds():
        yield Error(
            f"{piece.place(node)}: step code opens a sub-case of the kind “{name}”, which this "
            "installation does not have.",
            hint=f"It has: {', '.join(sorted(kinds()))}. Kinds are installed by LONGCASE_KINDS.",
            id="processes.E013",
        )
        return
    fields = kinds()[name].model.fact_fields()
    known = {f.name for f in fields} | {f.attname for f in fields}
    given = [k.arg for k in node.keywords]
    extra = [g for g in given if g and g not in known and g not in ("title", "met")]
    missing = [
        f.name
        for f in fields
        if not (f.has_default() or f.null or f.blank) and not {f.name, f.attname} & set(given)
    ]
    if extra:
        words_ = f"gives it {', '.join(extra)}, which are no facts of it"
    elif missing and None not in given:
        words_ = f"does not give it {', '.join(missing)}, without which it cannot be opened"
    else:
        return
    yield Error(
        f"{piece.place(node)}: step code opens a sub-case “{name}” but {words_}.",
        hint=f"Its facts are: {', '.join(f.name for f in fields)}.",
        id="processes.E013",
    )


def _message(piece: Piece, node: ast.Call, kind: Kind) -> Iterator[CheckMessage]:
    name = _text(piece, node.args[0]) if node.args else ""
    if name and kind.messages and name not in kind.messages:
        yield Error(
            f"{piece.place(node)}: step code waits for the message “{name}”, which kind "
            f"“{kind.name}” refuses when it comes.",
            hint=f"Add it to messages={{…}} of the Kind; it takes: {', '.join(kind.messages)}.",
            id="processes.E015",
        )


def _documents(piece: Piece, node: ast.Call, kind: Kind) -> Iterator[CheckMessage]:
    for one in node.args:
        name = _text(piece, one)
        if name and name not in kind.document_titles:
            yield Warning(
                f"{piece.place(one)}: the document “{name}” has no title for people.",
                hint=f'Add it to document_titles={{"{name}": _("…")}} of the Kind.',
                id="processes.W004",
            )


def _clock(piece: Piece, node: ast.Call, called: str, kind: Kind) -> Iterator[CheckMessage]:
    name = _text(piece, node.args[0]) if node.args else ""
    if name and name not in kind.clocks:
        known = f"It has: {', '.join(kind.clocks)}." if kind.clocks else "It has none."
        yield Error(
            f"{piece.place(node)}: step code calls {called}() for the clock “{name}”, which kind "
            f"“{kind.name}” does not have.",
            hint=f'{known} Declare it: {kind.name}.clock("{name}", title=…, limit=days(…))',
            id="processes.E019",
        )


def _returns(piece: Piece, code: StepCode) -> Iterator[CheckMessage]:
    leaves = [n for n in piece.nodes if isinstance(n, ast.Return) and n.value is not None]
    raises = any(isinstance(n, ast.Raise) for n in piece.nodes)
    if not leaves and not raises:
        yield Error(
            f"{place(code.file, code.line)}: the code of step “{code.step}” never returns a "
            "transition, so a case that came to its end would stop there.",
            hint="End it with a transition: return case.…()",
            id="processes.E017",
        )


def _transitions(piece: Piece, kind: Kind, code: StepCode) -> Iterator[CheckMessage]:
    """Transitions that the code takes from a step in which they do not begin."""
    first = next(iter(inspect.signature(piece.function).parameters), "")
    graph = {e.name: e for e in edges(kind.model)}
    for node in piece.nodes:
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            continue
        edge = graph.get(node.attr) if node.value.id == first else None
        if edge and code.step not in edge.sources and "*" not in edge.sources:
            yield Error(
                f"{piece.place(node)}: the code of step “{code.step}” takes “{edge.name}”, which "
                f"begins in {', '.join(edge.sources)}.",
                hint=f"Add Step.{code.step.upper()} to source= of {edge.name}.",
                id="processes.E016",
            )
