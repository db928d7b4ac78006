"""The reference of the authoring words, made from their docstrings: docs/authoring.md holds it."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from cases import fsm
from processes import activities, kinds, letters, retention, services, shapes
from processes.engine import words
from processes.work import inline
from timers import spans

BEGIN = "<!-- The reference: written by `manage.py words --write`, not by hand. -->"
END = "<!-- The end of the reference. -->"

_RESULTS = ("Outcome", "Answer", "SubcaseEnd", "First")  # what words give, and no words


def entries() -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """The headings of the reference, and under each the words with what they stand for."""
    public = _public(words)
    yield "What a step's code can ask for", [w for w in public if w[0] not in _RESULTS]
    yield "What they give", [w for w in public if w[0] in _RESULTS]
    yield "Spans of time", [(n, v) for n, v in _public(spans) if n[0].islower() and n != "decode"]
    kind = kinds.Kind
    yield (
        "A kind, its steps and clocks",
        [
            ("Kind", kind.__init__),
            ("Retention", retention.Retention),
            ("kind.step", kind.step),
            ("kind.staff_step", kind.staff_step),
            ("kind.clock", kind.clock),
            ("transition", fsm.transition),
        ],
    )
    yield (
        "Activities and letters",
        [
            ("activity", activities.activity),
            ("Attempt", activities.Attempt),
            ("attempt.heartbeat", activities.Attempt.heartbeat),
            ("attempt.address_of", activities.Attempt.address_of),
            ("Refused", activities.Refused),
            ("send_letter", letters.send_letter),
            ("Correspondent", letters.Correspondent),
        ],
    )
    yield (
        "Services outside, and the shapes of messages",
        [
            ("Service", services.Service),
            ("service.call", services.Service.call),
            ("service.field", services.Service.field),
            *[(n, v) for n, v in _public(shapes) if inspect.isfunction(v)],
        ],
    )
    # Here, because they need pytest, which an installation may not have.
    from processes.testing.case import CaseUnderTest
    from processes.testing.fakes import Fakes, Outside
    from processes.testing.kit import Kit
    from processes.testing.walking import Walker

    yield (
        "The test kit: fixtures",
        [
            ("open_case", Kit.open),
            ("person", Kit.person),
            ("clock.advance", inline.Inline.advance),
            ("clock.until", inline.Inline.until),
            ("fake", Fakes.__call__),
            *_members("outside", Outside),
            ("walk", Walker.__init__),
        ],
    )
    yield "The test kit: a case under test", _members("case", CaseUnderTest)


def _members(name: str, of: type) -> list[tuple[str, Any]]:
    """The public methods and properties of a class, as they are called on `name`."""
    return [
        (f"{name}.{word}", thing)
        for word, thing in vars(of).items()
        if not word.startswith("_") and (inspect.isfunction(thing) or isinstance(thing, property))
    ]


def _public(module: Any) -> list[tuple[str, Any]]:
    """The functions and classes that a module offers, in the order of their names."""
    offered = set(getattr(module, "__all__", ()))
    return [
        (name, thing)
        for name, thing in sorted(vars(module).items())
        if not name.startswith("_")
        and (inspect.isfunction(thing) or inspect.isclass(thing))
        and (thing.__module__ == module.__name__ or name in offered)
    ]


def text() -> str:
    """The reference as Markdown."""
    parts = [BEGIN, ""]
    for heading, found in entries():
        parts += [f"### {heading}", ""]
        for name, thing in found:
            parts += [f"**`{name}{signature(thing)}`**", "", about(thing), ""]
    return "\n".join([*parts, END])


def signature(thing: Any) -> str:
    """The parameters of a word with their defaults; nothing for what is not called."""
    if isinstance(thing, property):
        return ""
    if inspect.isclass(thing) and (issubclass(thing, Exception) or thing.__name__ in _RESULTS):
        return "" if issubclass(thing, Exception) else f"({', '.join(_fields(thing))})"
    found = []
    starred = False
    for one in inspect.signature(thing).parameters.values():
        if one.name in ("self", "attempt"):
            continue
        if one.kind is one.KEYWORD_ONLY and not starred:
            starred = True
            found.append("*")
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            starred = starred or one.kind is one.VAR_POSITIONAL
            found.append(("*" if one.kind is one.VAR_POSITIONAL else "**") + one.name)
        elif one.default is one.empty:
            found.append(one.name)
        else:
            found.append(f"{one.name}={_short(one.default)}")
    return f"({', '.join(found)})"


def _fields(thing: Any) -> list[str]:
    return [name for name in thing.__annotations__ if not name.startswith("_")]


def _short(value: Any) -> str:
    if isinstance(value, spans.Span):
        return f"{value.unit}({value.amount})"
    said = repr(value)
    return said if len(said) <= 20 else "…"


def about(thing: Any) -> str:
    """The docstring of a word, for a page."""
    thing = getattr(thing, "function", thing)
    said = inspect.getdoc(thing)
    if not said:
        raise ValueError(f"{thing!r} has no docstring, so the reference would not tell what it is.")
    return textwrap.dedent(said).strip()
