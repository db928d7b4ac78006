"""What stands in the row of an erased case where a personal fact stood."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from django.db import models

from audit.erased import Erased
from processes.kinds import Kind

ERASED = "[erased]"
_NEUTRAL: dict[str, Any] = {
    "DateField": date(1900, 1, 1),
    "DateTimeField": datetime(1900, 1, 1, tzinfo=UTC),
    "DecimalField": Decimal(0),
    "FloatField": 0.0,
    "BooleanField": False,
}


def personal_facts(kind: Kind) -> list[models.Field[Any, Any]]:
    """The facts of a kind that tell who somebody is or what they said."""
    return [one for one in kind.model.fact_fields() if is_personal(kind, one)]


def is_personal(kind: Kind, field: models.Field[Any, Any]) -> bool:
    """Whether a kind says so, or does not say otherwise of a text."""
    if field.attname in kind.personal_facts:
        return True
    is_text = isinstance(field, (models.CharField, models.TextField))
    return is_text and not field.choices and field.attname not in kind.plain


def is_gone(told: Any) -> bool:
    """Whether history no longer says what a fact was: its key is destroyed. What was no text reads
    as nothing then."""
    return told is None or isinstance(told, Erased)


def placeholder_of(field: models.Field[Any, Any], value: Any) -> Any:
    """What is written over a personal fact: "[erased]" over a text where it has room, nothing over
    any other that may be empty, else a value that says nothing. What is empty stays empty."""
    if value in (None, ""):
        return value
    if isinstance(field, (models.CharField, models.TextField)):
        room = field.max_length
        return ERASED if room is None or room >= len(ERASED) else ""
    if field.null:
        return None
    return _NEUTRAL.get(field.get_internal_type(), 0)


def is_placeholder(field: models.Field[Any, Any], value: Any) -> bool:
    """Whether nothing is left of a personal fact."""
    return value in (None, "", ERASED) or value == placeholder_of(field, value)
