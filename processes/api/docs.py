"""The schema, the page that shows it, and what each type of problem means. Served by ourselves."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
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
    """The reference of the API, to read and to try."""
    return render(request, "processes/api.html")
