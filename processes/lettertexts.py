"""The organisation's own letters: text with fields of the case, and nothing that runs.

    Dear {{ name }}, we have not received: {{ missing }}

A field is a name between braces, replaced by its words. There is no other syntax: no conditions,
no attributes, no code. Names that do not exist are refused when the template is saved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from cases import dates
from cases.errors import Invalid
from cases.models import Case, LetterTemplate, Requirement, TemplateVersion
from cases.sentences import said_fact
from cases.words import Words, plain
from processes.kinds import Kind, kinds
from timers import clock

_FIELD = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
MISSING = "missing_papers"  # the one that comes with Longcase


def common_fields() -> dict[str, str]:
    """The fields that every case has, with what they stand for."""
    return {
        "name": _("whom the letter is to"),
        "reference": _("the reference of the case"),
        "title": _("the title of the case"),
        "kind": _("the kind of the case"),
        "step": _("the step it is on"),
        "today": _("the day on which the letter is written"),
        "opened": _("the day on which the case was opened"),
        "caseworker": _("the caseworker, or the team"),
        "missing": _("the documents that are still missing, one a line"),
        "received": _("the documents that came in, one a line"),
    }


def known_fields(kind: str) -> dict[str, str]:
    """All fields that a template for this kind may use; for every kind, those of every case."""
    found = common_fields()
    if kind:
        model = kinds()[kind].model
        found |= {f"fact.{one.name}": str(one.verbose_name) for one in model.fact_fields()}
    return found


def check(*, kind: str, subject: str, text: str) -> None:
    """Raise Invalid for a template that could not be filled in, naming the fields that are not."""
    if kind and kind not in kinds():
        raise Invalid(_("There is no such kind."), {"kind": _("There is no such kind.")})
    known = known_fields(kind)
    for name, content in (("subject", subject), ("text", text)):
        if not content.strip() or "\0" in content:
            raise Invalid(_("A letter has a subject and a text."), {name: _("Write it.")})
        unknown = sorted({one for one in _FIELD.findall(content) if one not in known})
        if unknown:
            said = _("There is no field “%(unknown)s”. There are: %(known)s.") % {
                "unknown": "”, “".join(unknown),
                "known": ", ".join(known),
            }
            raise Invalid(said, {name: said})
        if "{{" in (rest := _FIELD.sub("", content)) or "}}" in rest:
            said = _("A field begins with {{ and ends with }}; one of them has no other half.")
            raise Invalid(said, {name: said})


class Filled(NamedTuple):
    """A template with the fields of one case. `empty` are those that this case has no words for."""

    subject: str
    text: str
    empty: list[str]


def fill(*, subject: str, text: str, fields: Mapping[str, str]) -> Filled:
    """Replace each field by its words, once: words that look like a field stay words."""
    empty: list[str] = []

    def words(found: re.Match[str]) -> str:
        said = fields.get(found[1], "")
        if not said and found[1] not in empty:
            empty.append(found[1])
        return said

    title = " ".join(_FIELD.sub(words, subject).split())[:200]
    return Filled(title, _FIELD.sub(words, text).strip() + "\n", empty)


def fields_of(
    case: Case, *, kind: Kind, words: Words, requirements: Iterable[Requirement]
) -> dict[str, str]:
    """What the fields say for one case."""
    to = getattr(case, "correspondent", None)
    wanted = [one for one in requirements if one.is_open]
    missing = [one.title for one in wanted if one.state in ("asked", "rejected")]
    received = [one.title for one in wanted if one.state in ("received", "accepted")]
    found = {
        "name": to.name if to is not None else case.title,
        "reference": case.reference,
        "title": case.title,
        "kind": str(kind.title),
        "step": kind.step_label(case.step),
        "today": dates.day(clock.now()),
        "opened": dates.day(case.opened_at),
        "caseworker": str(case.owner or case.team or ""),
        "missing": "\n".join(f"- {one}" for one in missing),
        "received": "\n".join(f"- {one}" for one in received),
    }
    for one in type(case).fact_fields():
        value = getattr(case, one.attname)
        empty = value in (None, "", [], {})
        found[f"fact.{one.name}"] = "" if empty else said_fact(words, one.name, value)
    return found


class Choice(NamedTuple):
    """A template that a letter can be written from."""

    code: str  # the number of its version, or the name of one that comes with Longcase
    title: str
    language: str
    subject: str
    text: str
    version: TemplateVersion | None = None


def choices_for(kind: str) -> list[Choice]:
    """What a letter on a case of this kind can be written from, the newest version of each."""
    rows = TemplateVersion.objects.filter(
        template__is_active=True, template__kind__in=["", kind]
    ).select_related("template")
    newest: dict[int, TemplateVersion] = {}
    for row in rows.order_by("template__title", "template__language", "version"):
        newest[row.template_id] = row
    found = [
        Choice(str(one.pk), one.template.title, one.template.language, one.subject, one.text, one)
        for one in newest.values()
    ]
    if MISSING not in {one.template.name for one in newest.values()}:
        found.append(_missing_papers())
    return found


def _missing_papers() -> Choice:
    title = _("Documents that are still missing")
    with translation.override(settings.LANGUAGE_CODE):  # the letter's, not the reader's
        subject, text = _missing_papers_here()
    return Choice(MISSING, title, settings.LANGUAGE_CODE, subject, text)


def _missing_papers_here() -> tuple[str, str]:
    text = _(
        "Dear {{ name }},\n\nWe have received from you:\n{{ received }}\n\nThese are still missing:"
        "\n{{ missing }}\n\nWe can go on once we have them.\n\nKind regards\n{{ caseworker }}\n\n"
        "Your reference: {{ reference }}"
    )
    subject = _("What we still need from you ({{ reference }})")
    return subject, text


def name_of(title: str) -> str:
    """The name of a new template, from its title."""
    from django.utils.text import slugify

    return slugify(title).replace("-", "_")[:60] or "letter"


def newest_version(template: LetterTemplate) -> TemplateVersion | None:
    return template.versions.order_by("-version").first()


def kind_words(kind: str) -> str:
    return str(kinds()[kind].title) if kind in kinds() else plain(kind)
