"""Chance values that fit a field: facts of a case, and what the form of a task asks."""

from __future__ import annotations

import random
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from processes.kinds import Kind

WORDS = ["amber", "brook", "cedar", "dune", "elm", "fern", "grove", "heath", "iris", "juniper"]


def facts_of(kind: Kind, chance: random.Random) -> dict[str, Any]:
    """Facts that open a case of this kind: those without which it cannot be opened."""
    return {
        field.name: value_of(field, chance)
        for field in kind.model.fact_fields()
        if not (field.has_default() or field.null or field.blank)
    }


def value_of(field: Any, chance: random.Random) -> Any:
    """A chance value of a model's field. Raises TypeError for one of which nothing is known."""
    if field.choices:
        return chance.choice([value for value, _ in field.flatchoices])
    least, most = _bounds(field)
    if isinstance(field, models.BooleanField):
        return chance.random() < 0.5
    if isinstance(field, models.EmailField):
        return f"{chance.choice(WORDS)}@applicant.example"
    if isinstance(field, models.CharField | models.TextField):
        text = " ".join(chance.sample(WORDS, 2)).title()
        return text[: field.max_length] if field.max_length else text
    if isinstance(field, models.DecimalField):
        top = min(most, Decimal(10) ** (field.max_digits - field.decimal_places) - 1)
        digits = chance.uniform(0, float(len(str(int(top))) - 1))
        value = Decimal(round(10**digits * 100)) / 100
        return max(Decimal(least), min(value, top)).quantize(
            Decimal(1).scaleb(-field.decimal_places)
        )
    if isinstance(field, models.IntegerField):
        return chance.randint(int(least), int(min(most, Decimal(int(least) + 1000))))
    if isinstance(field, models.DateField):
        return date(2026, 1, 1) + timedelta(days=chance.randint(0, 700))
    raise TypeError(
        f"Nothing is known of what fits {field.model.__name__}.{field.name} "
        f"({type(field).__name__}). Make the facts yourself: walk(…, facts=lambda chance: {{…}})."
    )


def _bounds(field: Any) -> tuple[Decimal, Decimal]:
    least, most = Decimal(0), Decimal(1_000_000)
    for validator in field.validators:
        if isinstance(validator, MinValueValidator):
            least = max(least, Decimal(str(validator.limit_value)))
        elif isinstance(validator, MaxValueValidator):
            most = min(most, Decimal(str(validator.limit_value)))
    return least, most


def asked(kind: str, chance: random.Random) -> Any:
    """An answer to what the form of a task asks: text, money, date, yes."""
    if kind == "money":
        return Decimal(chance.randint(1, 1_000_000)) / 100
    if kind == "date":
        return date(2027, 1, 1) + timedelta(days=chance.randint(0, 300))
    if kind == "yes":
        return chance.random() < 0.5
    return " ".join(chance.sample(WORDS, 2))
