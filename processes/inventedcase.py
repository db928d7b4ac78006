"""What the fields of a letter template say for a case that does not exist: for the preview of
administrators, who see no cases."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.db import models
from django.utils import translation
from django.utils.translation import gettext as _

from cases import dates
from cases.sentences import said_fact
from cases.words import Words
from processes import lettertexts
from processes.kinds import Kind, kinds
from timers import clock


def fill(*, kind: str, chosen: lettertexts.Choice) -> lettertexts.Filled:
    """A template with the words of an invented case of this kind, or of any, in its language."""
    with translation.override(chosen.language or translation.get_language()):
        fields = _common(kinds()[kind] if kind else next(iter(kinds().values())))
        if kind:
            fields |= _facts(kinds()[kind])
    return lettertexts.fill(subject=chosen.subject, text=chosen.text, fields=fields)


def _common(kind: Kind) -> dict[str, str]:
    today = clock.now()
    return {
        "name": "Zoë Example",
        "reference": f"{kind.prefix}-{dates.local_date(today).year}-000000",
        "title": "Zoë Example",
        "kind": str(kind.title),
        "step": kind.step_label(kind.initial),
        "today": dates.day(today),
        "opened": dates.day(today),
        "caseworker": "Sam Example",
        "missing": "- " + _("a document that is still missing"),
        "received": "- " + _("a document that came in"),
    }


def _facts(kind: Kind) -> dict[str, str]:
    words = Words(kind)
    found = {}
    for field in kind.model.fact_fields():
        value = _value(field)
        if isinstance(value, str) and field.name in kind.fact_words:
            said = str(field.verbose_name)  # a code that only its kind can read
        else:
            said = "" if value is None else said_fact(words, field.name, value)
        found[f"fact.{field.name}"] = said
    return found


def _value(field: Any) -> Any:
    """Something that such a field could hold; None where nothing can be made up."""
    if field.choices:
        return field.flatchoices[0][0]
    match field:
        case models.EmailField():
            return "zoe@applicant.example"
        case models.CharField() | models.TextField():
            return _("Example")
        case models.BooleanField():
            return True
        case models.DecimalField():
            return Decimal("1234.5").quantize(Decimal(1).scaleb(-field.decimal_places))
        case models.DateTimeField():
            return clock.now()
        case models.DateField():
            return dates.local_date(clock.now())
        case models.IntegerField():
            return 3
    return None
