"""The schema, the page that shows it, and what each type of problem means. Served by ourselves."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework import serializers as s
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from processes.api.base import Api
from processes.api.problems import BASE, PROBLEMS


class Schema(SpectacularJSONAPIView):
    """OpenAPI 3.1, the same for everybody."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()


class ProblemType(s.Serializer):
    type = s.CharField()
    status = s.IntegerField()
    title = s.CharField()
    advice = s.CharField()


class ProblemTypes(s.Serializer):
    results = ProblemType(many=True)


class Problems(Api):
    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()

    @extend_schema(
        operation_id="list_problems", tags=["problems"], auth=[], responses={200: ProblemTypes}
    )
    def get(self, request: Request) -> Response:
        """Every type of problem, and what a caller does about it."""
        return Response({"results": [_told(slug) for slug in PROBLEMS]})


class OneProblem(Api):
    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()

    @extend_schema(
        operation_id="read_problem", tags=["problems"], auth=[], responses={200: ProblemType}
    )
    def get(self, request: Request, slug: str) -> Response:
        """What a type of problem means."""
        if slug not in PROBLEMS:
            raise NotFound(_("There is no such type of problem."))
        return Response(_told(slug))


def _told(slug: str) -> dict[str, object]:
    problem = PROBLEMS[slug]
    return {
        "type": BASE + slug,
        "status": problem.status,
        "title": str(problem.title),
        "advice": str(problem.advice),
    }


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """The reference of the API, made from its schema: calls by subject, then the shapes."""
    return render(request, "processes/api.html", reference())


@cache
def reference() -> dict[str, Any]:
    """The schema as the page shows it; it is the same as long as this process lives."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    subjects: dict[str, list[dict[str, Any]]] = {}
    for path, item in schema["paths"].items():
        for method, operation in item.items():
            subjects.setdefault(operation["tags"][0], []).append(_call(path, method, operation))
    shapes = [
        {"name": name, "about": one.get("description", ""), "fields": _fields(one)}
        for name, one in schema["components"]["schemas"].items()
        if one.get("properties")
    ]
    refusals = [
        {
            "status": name.removeprefix("Problem"),
            "examples": [_written(shown["value"]) for shown in _examples(one)],
        }
        for name, one in sorted(schema["components"]["responses"].items())
    ]
    return {"subjects": sorted(subjects.items()), "shapes": shapes, "refusals": refusals}


def _call(path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {})
    bodies = [
        {
            "media_type": media_type,
            "example": _written(one["example"]) if "example" in one else "",
            **words_of(one.get("schema", {})),
        }
        for media_type, one in content.items()
    ]
    answers = []
    for status, one in sorted(operation["responses"].items()):
        if "$ref" not in one:
            kinds: list[dict[str, Any]] = list(one.get("content", {}).values())
            inner = kinds[0].get("schema", {}) if kinds else {}
            examples = [_written(shown["value"]) for shown in _examples(one)]
            answers.append({"status": status, "examples": examples, **words_of(inner)})
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "about": operation.get("description", ""),
        "parameters": [
            {
                "name": one["name"],
                "where": one["in"],
                "must": one.get("required", False),
                "about": one.get("description", ""),
                **words_of(one.get("schema", {})),
            }
            for one in operation.get("parameters", [])
        ],
        "bodies": bodies,
        "answers": answers,
        "refusals": sorted(int(s) for s, one in operation["responses"].items() if "$ref" in one),
    }


def _examples(response: dict[str, Any]) -> list[dict[str, Any]]:
    """The examples of an answer, whether it has one or several."""
    found: list[dict[str, Any]] = []
    for content in response.get("content", {}).values():
        if "example" in content:
            found.append({"value": content["example"]})
        found += content.get("examples", {}).values()
    return found


def _written(example: Any) -> str:
    return json.dumps(example, indent=2, ensure_ascii=False)


def _fields(shape: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "must": name in shape.get("required", ()),
            "about": one.get("description", ""),
            **words_of(one),
        }
        for name, one in shape["properties"].items()
    ]


def words_of(schema: dict[str, Any]) -> dict[str, str]:
    """The type of a value in a few words, and the shape that it names, if any."""
    for one in schema.get("allOf", schema.get("oneOf", schema.get("anyOf", []))):
        if "$ref" in one:
            return words_of(one)
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name.endswith("Enum"):
            return {"type": "one of a list", "shape": ""}
        return {"type": "", "shape": name}
    if "enum" in schema:
        return {"type": ", ".join(str(one) for one in schema["enum"]), "shape": ""}
    kind = schema.get("type", "any")
    if kind == "array":
        inner = words_of(schema.get("items", {}))
        return {"type": f"list of {inner['type']}".strip(), "shape": inner["shape"]}
    kinds = kind if isinstance(kind, list) else [kind]
    said = " or ".join(str(one) for one in kinds)
    return {"type": f"{said} ({schema['format']})" if "format" in schema else said, "shape": ""}
