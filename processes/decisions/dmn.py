"""Tables from DMN 1.1 to 1.5, as modelling tools write them.

Read are decisions that are decision tables: inputs that name a fact, unary tests, literal outputs.
What a table cannot hold (an expression as input or output, a boxed context) is refused with its
line. Names become ours: "Loan amount" is `loan_amount`. DMN has no day from which a table is valid;
the attributes `version` (or `versionTag`) and `validFrom` of a decision, in any namespace, say it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from processes.decisions.build import Cell, Draft, build
from processes.decisions.csvfile import text_of
from processes.decisions.errors import BadTable
from processes.decisions.tables import TableVersion

_MODEL = re.compile(r"https?://www\.omg\.org/spec/DMN/\d+/MODEL/?")
DEPTH = 50  # of elements, at most
_TYPES = {
    "number": "number",
    "integer": "whole",
    "long": "whole",
    "double": "number",
    "string": "text",
    "boolean": "yes/no",
    "date": "date",
}


@dataclass(slots=True)
class Element:
    """One element with its place. `name` is without its namespace."""

    name: str
    is_dmn: bool
    attributes: dict[str, str]
    line: int
    column: int
    parts: list[Element] = field(default_factory=list)
    text: str = ""

    def all(self, name: str) -> list[Element]:
        return [one for one in self.parts if one.is_dmn and one.name == name]

    def first(self, name: str) -> Element | None:
        return next(iter(self.all(name)), None)

    def words(self, name: str = "text") -> Cell:
        """The text of a part, with its place; empty at this element's place without one."""
        part = self.first(name)
        found = part if part is not None else self
        return Cell(" ".join(part.text.split()) if part else "", found.line, found.column)

    @property
    def cell(self) -> Cell:
        return Cell("", self.line, self.column)

    def walk(self) -> Iterator[Element]:
        yield self
        for part in self.parts:
            yield from part.walk()


def read_dmn(path: Path) -> list[TableVersion]:
    """All tables of a file. Raises BadTable with line and column."""
    return parse_dmn(text_of(path), file=path.name)


def parse_dmn(text: str, *, file: str) -> list[TableVersion]:
    """All tables of a text. A digest covers the whole text: its tables belong together."""
    root = _parse(text, file)
    if root.name != "definitions" or not root.is_dmn:
        raise BadTable(
            "it is no DMN: its root is not definitions of DMN", file=file, line=root.line
        )
    decisions = [one for one in root.walk() if one.is_dmn and one.name == "decision"]
    found = []
    for decision in decisions:
        table = decision.first("decisionTable")
        if table is not None:
            found.append(build(_draft(decision, table, text=text, file=file)))
    if not found:
        raise BadTable("it holds no decision that is a decision table", file=file)
    return found


def _draft(decision: Element, table: Element, *, text: str, file: str) -> Draft:
    draft = Draft(file=file, text=text)
    title = decision.attributes.get("name") or decision.attributes.get("id", "")
    draft.title = title
    draft.name = Cell(ours(title), decision.line, decision.column)
    known = {name.rpartition(" ")[2]: value for name, value in decision.attributes.items()}
    version = known.get("version") or known.get("versionTag") or "1"
    draft.version = Cell(version, decision.line, decision.column)
    draft.valid_from = Cell(known.get("validFrom", ""), decision.line, decision.column)
    policy = table.attributes.get("hitPolicy", "UNIQUE")
    draft.hit_policy = Cell(policy, table.line, table.column)
    draft.aggregation = Cell(table.attributes.get("aggregation", ""), table.line, table.column)
    for one in table.all("input"):
        draft.inputs.append(_input(draft, one))
    for one in table.all("output"):
        draft.outputs.append(_output(draft, one, title))
    for number, one in enumerate(table.all("rule"), start=1):
        draft.rules.append(_rule(draft, number, one))
    return draft


def _input(draft: Draft, one: Element) -> tuple[Cell, Cell, str]:
    asked = one.first("inputExpression")
    if asked is None:
        raise draft.wrong("this input has no expression", one.cell)
    said = asked.words()
    if not re.fullmatch(r"[^\W\d][\w .-]*", said.text):
        words = f"“{said.text}” is an expression; a table here reads facts by their names"
        raise draft.wrong(words, said)
    label = one.attributes.get("label") or said.text
    name = Cell(ours(said.text), said.line, said.column)
    return name, _type(draft, asked, one.first("inputValues")), label


def _output(draft: Draft, one: Element, title: str) -> tuple[Cell, Cell, str]:
    said = one.attributes.get("name") or one.attributes.get("label") or title
    name = Cell(ours(said), one.line, one.column)
    return name, _type(draft, one, one.first("outputValues")), one.attributes.get("label", said)


def _type(draft: Draft, typed: Element, values: Element | None) -> Cell:
    reference = typed.attributes.get("typeRef", "string").rpartition(":")[2]
    kind = _TYPES.get(reference)
    if kind is None:
        known = ", ".join(_TYPES)
        raise draft.wrong(f"“{reference}” is no type that a table has: {known}", typed.cell)
    allowed = values.words() if values is not None else Cell("")
    place = allowed if allowed.text else typed.cell
    return Cell(f"{kind} {allowed.text}".strip(), place.line, place.column)


def _rule(draft: Draft, number: int, rule: Element) -> tuple[Cell, list[Cell], list[Cell], str]:
    tests = [one.words() for one in rule.all("inputEntry")]
    results = [one.words() for one in rule.all("outputEntry")]
    for what, found, wanted in (
        ("inputs", tests, draft.inputs),
        ("outputs", results, draft.outputs),
    ):
        if len(found) != len(wanted):
            words = f"rule {number} has {len(found)} {what}, and the table {len(wanted)}"
            raise draft.wrong(words, rule.cell)
    notes = [one.words().text for one in rule.all("annotationEntry")]
    because = "; ".join(filter(None, [*notes, rule.words("description").text]))
    return Cell(str(number), rule.line, rule.column), tests, results, because


def ours(name: str) -> str:
    """A name of DMN, which may have spaces, as we write names: `loan_amount`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return "_".join(re.findall(r"[^\W_]+", spaced)).lower()


def _parse(text: str, file: str) -> Element:
    """The elements of an XML text. Refuses document types: a table needs none, attacks do."""
    parser = expat.ParserCreate(namespace_separator=" ")
    root: list[Element] = []
    path: list[Element] = []

    def wrong(words: str) -> BadTable:
        line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        return BadTable(words, file=file, line=line, column=column)

    def start(name: str, attributes: dict[str, str]) -> None:
        space, _, local = name.rpartition(" ")
        line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        one = Element(local, bool(_MODEL.fullmatch(space)), attributes, line, column)
        if len(path) >= DEPTH:
            raise wrong(f"elements are nested deeper than {DEPTH}")
        (path[-1].parts if path else root).append(one)
        path.append(one)

    def end(_name: str) -> None:
        path.pop()

    def characters(more: str) -> None:
        path[-1].text += more

    def doctype(*_: Any) -> None:
        raise wrong("a document type is not taken")

    handlers: dict[str, Callable[..., None]] = {
        "StartElementHandler": start,
        "EndElementHandler": end,
        "CharacterDataHandler": characters,
        "StartDoctypeDeclHandler": doctype,
    }
    for name, handler in handlers.items():
        setattr(parser, name, handler)
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        words = f"it is no XML: {expat.ErrorString(error.code)}"
        raise BadTable(words, file=file, line=error.lineno, column=error.offset + 1) from None
    return root[0]
