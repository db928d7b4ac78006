"""What each word of a step says for people: one function for each, from the call in the code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from cases.words import plain
from processes.decisions.tables import DecisionTable
from processes.engine import clockwords, words
from processes.handbook.findings import Code, Finding, in_words, said


class Reads(Protocol):
    """The reader of a function, as far as telling needs it."""

    then: list[str]  # what passed deadlines around this place lead to

    def value(self, node: ast.expr | None) -> Any: ...

    def text(self, node: ast.expr | None) -> str: ...

    def document_title(self, name: str) -> str: ...

    def message_title(self, name: str) -> str: ...


_RECKONED = gettext_noop("as the case reckons it")

Teller = Callable[[Reads, list[Any], dict[str, ast.expr], list[Any], int], Iterator[Finding]]


def _name(values: list[Any], given: dict[str, ast.expr], reader: Reads, key: str = "name") -> Any:
    return values[0] if values else reader.value(given.get(key))


def _certain(name: Any) -> str:
    return in_words(name, "…")


def _otherwise(reader: Reads, given: dict[str, ast.expr]) -> str:
    around = [one for one in reader.then if one]
    return around[-1] if around else reader.text(given.get("otherwise"))


def _task(reader: Reads, values: Any, given: Any, stars: Any, line: int) -> Iterator[Finding]:
    name = _name(values, given, reader)
    outcomes = reader.value(given.get("outcomes"))
    labels = [
        said(one[1]) for one in outcomes or () if isinstance(one, (list, tuple)) and len(one) > 1
    ]
    yield Finding(
        "task",
        said(name),
        reader.text(given.get("title")) or plain(_certain(name)),
        on=reader.text(given.get("role")) or _("whoever the case names"),
        due=reader.text(given.get("due")),
        met=reader.text(given.get("met")),
        otherwise=_otherwise(reader, given)
        or ("the supervisors are told" if "due" in given else ""),
        outcomes=tuple(labels) if not isinstance(outcomes, Code) else (),
        line=line,
    )


def _document(reader: Reads, name: Any) -> str:
    """A document, or the several that it may be, in the words of the kind."""
    if type(name) is Code:
        return str(name)
    parts = name if isinstance(name, (list, tuple)) else str(name).split(" / ")
    return ", ".join(reader.document_title(part) for part in map(said, parts))


def _documents(reader: Reads, values: Any, given: Any, stars: Any, line: int) -> Iterator[Finding]:
    names = [*values, *stars]
    yield Finding(
        "documents",
        said(names),
        ", ".join(_document(reader, one) for one in names),
        on=reader.text(given.get("of")) or "applicant",
        met=reader.text(given.get("met")),
        otherwise=_otherwise(reader, given),
        line=line,
    )


def _waits(sort: str, whom: str, default: str) -> Teller:
    def tell(reader: Reads, values: Any, given: Any, stars: Any, line: int) -> Iterator[Finding]:
        name = _name(values, given, reader)
        yield Finding(
            sort,
            said(name),
            reader.message_title(_certain(name)),
            on=reader.text(given.get(whom)) or default,
            due=reader.text(given.get("open_for")),
            met=reader.text(given.get("met")),
            otherwise=_otherwise(reader, given),
            line=line,
        )

    return tell


def _subcase(reader: Reads, values: Any, given: Any, stars: Any, line: int) -> Iterator[Finding]:
    kind = said(_name(values, given, reader, "kind"))
    met = reader.text(given.get("met"))
    title = reader.text(given.get("title"))
    yield Finding("subcase", kind, title or plain(kind), kind, met=met, line=line)


def _timer(reader: Reads, values: Any, given: Any, stars: Any, line: int) -> Iterator[Finding]:
    span = in_words(values[0] if values else reader.value(given.get("span")), _(_RECKONED))
    name = reader.text(given.get("name"))
    yield Finding("timer", name, plain(name) if name else "", due=span, line=line)


def _deadline(reader: Reads, values: Any, given: Any, stars: Any, line: int) -> Iterator[Finding]:
    span = in_words(values[0] if values else reader.value(given.get("span")), _(_RECKONED))
    yield Finding("deadline", "", "", due=span, otherwise=reader.text(given.get("then")), line=line)


def _table(reader: Reads, values: Any, given: Any, stars: Any, line: int) -> Iterator[Finding]:
    table = values[0] if values else None
    if isinstance(table, DecisionTable):
        yield Finding("table", table.name, table.title, line=line, table=table)


def _clock(what: str) -> Teller:
    def tell(reader: Reads, values: Any, given: Any, stars: Any, line: int) -> Iterator[Finding]:
        name = said(_name(values, given, reader))
        reason = reader.text(given.get("reason"))
        yield Finding("clock", name, what, met=reason, line=line)

    return tell


TELLERS: dict[Any, Teller] = {
    words.ask_review: _task,
    words.ask_task: _task,
    words.documents: _documents,
    words.message: _waits("message", "of", "applicant"),
    words.callback: _waits("party", "on", ""),
    words.subcase: _subcase,
    words.sleep: _timer,
    words.sleep_until: _timer,
    words.deadline: _deadline,
    words.decide: _table,
    clockwords.start_clock: _clock("starts"),
    clockwords.pause_clock: _clock("stands still"),
    clockwords.resume_clock: _clock("goes on"),
    clockwords.extend_clock: _clock("is extended"),
    clockwords.stop_clock: _clock("stops"),
}
