"""What reading finds in a step, and how values of the code are said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.template import TemplateDoesNotExist, TemplateSyntaxError
from django.template.loader import get_template
from django.utils.translation import gettext

from processes.activities import Definition
from processes.decisions.tables import DecisionTable
from timers.spans import Span


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a step does. `sort` is task, documents, message, party, subcase, timer,
    deadline, activity, letter, table or clock."""

    sort: str
    name: str
    title: str
    on: str = ""
    due: str = ""
    met: str = ""
    otherwise: str = ""
    outcomes: tuple[str, ...] = ()
    line: int = 0
    activity: Definition | None = None
    table: DecisionTable | None = None


class Code(str):
    """A value that is known only when a case runs: the words of the code for it."""


class Choice(Code):
    """One of several values that are known: "underwriter / senior underwriter"."""


def either(options: Sequence[Any]) -> str:
    return " / ".join(said(one) for one in options if said(one))


def outputs_of(table: DecisionTable, name: str) -> list[Any]:
    """What a table can say in this column, each once."""
    version = table.newest
    places = [place for place, one in enumerate(version.outputs) if one.name == name]
    values = [rule.outputs[place] for place in places for rule in version.rules]
    return list(dict.fromkeys(value for value in values if value is not None))


def said(value: Any) -> str:
    if isinstance(value, Span):
        return value.words()
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(said(one) for one in value)
    return str(value)


def in_words(value: Any, unknown: str = "") -> str:
    """A value as people read it: of a text that only a case completes, what is certain; `unknown`
    where nothing is."""
    if type(value) is not Code:
        return said(value)
    if value[:2] not in ("f'", 'f"'):
        return unknown
    return _OPEN.sub("…", value[2:-1])


_OPEN = re.compile(r"\{[^{}]*\}")
_SUBJECT = re.compile(r"\{% block subject %\}(.*?)\{% endblock", re.DOTALL)
_TRANSLATED = re.compile(r"""\{% translate (["'])(.*?)\1 %\}""")


def subject_of(template: str) -> str:
    """The subject of a letter, where it does not change from case to case."""
    try:
        text = get_template(template).template.source
    except (TemplateDoesNotExist, TemplateSyntaxError, AttributeError):
        return ""
    block = _SUBJECT.search(text)
    subject = block[1] if block else text.strip().partition("\n")[0]
    subject = _TRANSLATED.sub(lambda found: gettext(found[2]), subject).strip()
    return "" if "{" in subject else subject
