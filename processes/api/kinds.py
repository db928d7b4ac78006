"""The kinds of cases: their steps, transitions and messages, and the schema of their facts."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

from django.core.validators import MaxValueValidator, MinLengthValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiTypes, extend_schema
from rest_framework import serializers as s
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from cases.fields import DataField
from cases.fsm import edges
from cases.words import capitalised
from processes.api import shapes
from processes.api.base import Api
from processes.kinds import Kind, kinds

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class KindRow(s.Serializer):
    name = s.CharField()
    title = s.CharField()
    prefix = s.CharField()


class KindStep(s.Serializer):
    name = s.CharField()
    label = s.CharField()
    closes = s.BooleanField()


class KindEdge(s.Serializer):
    name = s.CharField()
    label = s.CharField()
    sources = s.ListField(child=s.CharField())
    target = s.CharField()
    staff = s.BooleanField(help_text="People and programs may take it; others are the code's.")
    role = s.CharField()
    asks = s.ListField(child=s.CharField())
    about = s.CharField()


class KindShape(KindRow):
    initial = s.CharField()
    steps = KindStep(many=True)
    transitions = KindEdge(many=True)
    messages = s.ListField(child=s.CharField(), help_text="Names of messages; empty: any.")
    answers = s.ListField(
        child=s.CharField(),
        help_text="Those of them that are taken only while the case waits for them.",
    )
    documents = shapes.Anything(help_text="Name → title of the documents it knows.")
    schema = shapes.Anything(help_text="JSON Schema of the facts that open a case.")


class KindList(s.Serializer):
    results = KindRow(many=True)


class Kinds(Api):
    acts: ClassVar = {"GET": "read"}

    @extend_schema(operation_id="list_kinds", tags=["kinds"], responses={200: KindList})
    def get(self, request: Request) -> Response:
        """The kinds of cases of this installation that the token names."""
        return Response(
            {"results": [_row(one) for _name, one in sorted(kinds().items()) if named(self, one)]}
        )


class OneKind(Api):
    @extend_schema(operation_id="read_kind", tags=["kinds"], responses={200: KindShape})
    def get(self, request: Request, name: str) -> Response:
        """A kind: its graph, its messages, its documents, and the schema of its facts."""
        kind = kind_for(self, name)
        return Response(
            {
                **_row(kind),
                "initial": kind.initial,
                "steps": [
                    {"name": str(one), "label": str(label), "closes": kind.is_closing(str(one))}
                    for one, label in kind.model.Step.choices  # type: ignore[attr-defined]
                ],
                "transitions": [
                    {
                        "name": one.name,
                        "label": str(one.label),
                        "sources": list(one.sources),
                        "target": one.target,
                        "staff": one.staff,
                        "reopens": one.reopens,
                        "role": one.role,
                        "asks": list(one.asks),
                        "about": one.about,
                    }
                    for one in edges(kind.model)
                ],
                "messages": sorted(kind.messages),
                "answers": sorted(kind.answers),
                "documents": {name: str(said) for name, said in kind.document_titles.items()},
                "schema": schema_of(kind),
            }
        )


class KindSchema(Api):
    @extend_schema(operation_id="kind_schema", tags=["kinds"], responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request, name: str) -> Response:
        """The JSON Schema (2020-12) of the facts that open a case of this kind."""
        return Response(schema_of(kind_for(self, name)))


def named(view: Api, kind: Kind) -> bool:
    return any(view.caller.has_scope(act, kind.name) for act in ("read", "open"))


def kind_for(view: Api, name: str) -> Kind:
    found = kinds().get(name)
    if found is None or not named(view, found):
        raise NotFound(_("There is no kind “%(name)s” here.") % {"name": name})
    return found


def _row(kind: Kind) -> dict[str, Any]:
    return {"name": kind.name, "title": str(kind.title), "prefix": kind.prefix}


def schema_of(kind: Kind) -> dict[str, Any]:
    """The facts that a caller gives, as JSON Schema. What fits together is checked beside it."""
    fields = [one for one in kind.model.fact_fields() if one.name in kind.correctable]
    return {
        "$schema": DIALECT,
        "title": str(kind.title),
        "type": "object",
        "properties": {one.name: property_of(one) for one in fields},
        "required": [
            one.name for one in fields if not (one.has_default() or one.null or one.blank)
        ],
        "additionalProperties": False,
    }


def property_of(field: Any) -> dict[str, Any]:
    """One fact as a property."""
    found = {**_type(field), "title": capitalised(str(field.verbose_name))}
    if field.help_text:
        found["description"] = str(field.help_text)
    if field.choices and "enum" not in found:
        found["enum"] = [value for value, _label in field.flatchoices]
        if field.blank and "" not in found["enum"] and found.get("type") == "string":
            found["enum"].append("")
    if field.null:
        found["type"] = [found["type"], "null"] if "type" in found else found.get("type")
        if "enum" in found:
            found["enum"] = [*found["enum"], None]
    return {name: value for name, value in found.items() if value is not None}


def _type(field: Any) -> dict[str, Any]:
    least, most, short = None, None, None
    for one in field.validators:
        if isinstance(one, MinLengthValidator):
            short = one.limit_value
        elif isinstance(one, MinValueValidator):
            least = one.limit_value
        elif isinstance(one, MaxValueValidator):
            most = one.limit_value
    if isinstance(field, models.BooleanField):
        return {"type": "boolean"}
    if isinstance(field, models.DecimalField):
        whole = field.max_digits - field.decimal_places
        said = _("A decimal as text, such as “1250.50”, with at most %(places)s decimals.")
        about = said % {"places": field.decimal_places}
        if least is not None:
            about += " " + _("At least %(least)s.") % {"least": _number(least)}
        pattern = rf"^-?[0-9]{{1,{whole}}}(\.[0-9]{{1,{field.decimal_places}}})?$"
        return {"type": "string", "pattern": pattern, "description": about}
    if isinstance(field, models.IntegerField):
        return {"type": "integer", "minimum": least, "maximum": most}
    if isinstance(field, models.DateTimeField):
        return {"type": "string", "format": "date-time"}
    if isinstance(field, models.DateField):
        return {"type": "string", "format": "date"}
    if isinstance(field, models.EmailField):
        return {"type": "string", "format": "email", "maxLength": field.max_length}
    if field.get_internal_type() in ("CharField", "TextField") and type(field) is not DataField:
        short = short or (None if field.blank else 1)
        return {"type": "string", "minLength": short, "maxLength": field.max_length}
    return {}


def _number(value: Any) -> str:
    return format(value, "f") if isinstance(value, Decimal) else str(value)
