"""Whether JSON has the types that the schema names: a number is no text, and text no number."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers as s

_NAMES = {
    "string": lambda one: isinstance(one, str),
    "integer": lambda one: not isinstance(one, bool) and _is_whole(one),
    "number": lambda one: not isinstance(one, bool) and isinstance(one, int | float | Decimal),
    "boolean": lambda one: isinstance(one, bool),
    "object": lambda one: isinstance(one, dict),
    "array": lambda one: isinstance(one, list),
    "null": lambda one: one is None,
}
_OF_FIELDS: tuple[tuple[type[s.Field], str], ...] = (
    (s.BooleanField, "boolean"),
    (s.IntegerField, "integer"),
    (s.ListField, "array"),
    (s.DictField, "object"),
    (s.CharField, "string"),
    (s.ChoiceField, "string"),
    (s.DateField, "string"),
    (s.DateTimeField, "string"),
)


def _is_whole(one: Any) -> bool:
    if isinstance(one, Decimal):
        return one.is_finite() and one == one.to_integral_value()
    return isinstance(one, int)


def misfits(shape: s.Serializer, data: Any) -> dict[str, Any]:
    """The fields of a JSON body that have another type than its shape says, each with why."""
    if not isinstance(data, dict):
        return {}  # the shape itself says so
    known = {name: field for name, field in shape.fields.items() if name in data}
    found = {name: _misfit(field, data[name]) for name, field in known.items()}
    return {name: said for name, said in found.items() if said}


def _misfit(field: Any, value: Any) -> Any:
    if value is None:
        return None  # allowed or not, its field says so
    name = next((name for kind, name in _OF_FIELDS if isinstance(field, kind)), None)
    if name is None:
        return None
    if not _NAMES[name](value):
        return [sentence([name])]
    if name == "array":
        inner = {str(n): _misfit(field.child, one) for n, one in enumerate(value)}
        return {n: said for n, said in inner.items() if said} or None
    return None


def misfit_facts(schema: dict[str, Any], facts: dict[str, Any]) -> dict[str, str]:
    """The facts that have another type than the JSON Schema of their kind says."""
    found = {}
    for name, value in facts.items():
        wanted = schema["properties"].get(name, {}).get("type")
        names = wanted if isinstance(wanted, list) else [wanted] if wanted else []
        if names and not any(_NAMES[one](value) for one in names):
            found[name] = sentence(names)
    return found


_WORDS: dict[str, Callable[[], str]] = {
    "string": lambda: _("This is text: put it in quotes."),
    "integer": lambda: _("This is a whole number, without quotes."),
    "number": lambda: _("This is a number, without quotes."),
    "boolean": lambda: _("This is true or false, without quotes."),
    "object": lambda: _("This is an object: {…}."),
    "array": lambda: _("This is a list: […]."),
}


def sentence(names: list[str]) -> str:
    return _WORDS[next(one for one in names if one != "null")]()
