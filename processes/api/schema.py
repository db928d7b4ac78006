"""What the schema says of every call: keys, preconditions, refusals, headers."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import inline_serializer
from rest_framework import serializers as s

from processes.api import examples, samples
from processes.api.problems import MEDIA_TYPE, PROBLEMS
from processes.api.shapes import ProblemShape

_READ = (400, 401, 403, 404, 406, 429, 503)
_WRITE = (*_READ[:5], 409, 412, 413, 415, 422, 428, 429, 503)
_TITLES: dict[int, list[str]] = {status: [] for status in _WRITE}
for _slug, _problem in PROBLEMS.items():
    _TITLES.setdefault(_problem.status, []).append(_slug)

_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": True,
    "description": "Of your choice, new for each new call. Sent again, the call gives its first "
    "answer, for 30 days.",
    "schema": {"type": "string", "pattern": "^[!-~]{1,200}$"},
    "example": "3f0c9a52-3d7e-4a55-8f0e-1c0d2b7f4a10",
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The ETag that you read. If the case changed since: 412, with what changed.",
    "schema": {"type": "string", "pattern": '^"[0-9]{1,9}"$'},
    "example": '"17"',
}
_ON_BEHALF = {
    "name": "Longcase-On-Behalf-Of",
    "in": "header",
    "required": False,
    "description": "For whom it is done, as history keeps it: party:NAME. Gives no rights.",
    "schema": {"type": "string", "pattern": "^party:[a-z][a-z0-9_-]{0,59}$"},
    "example": "party:applicant",
}
# What a generated client calls a shape, where that is not its own name here.
NAMES = {
    "AcceptRequest": "AcceptDocumentRequest",
    "AskRequest": "AskAdviceRequest",
    "ChangeRequest": "ChangeWebhookRequest",
    "GivenBackRequest": "RevokeTokenRequest",
    "GivingUpRequest": "GiveUpRequest",
    "HandOverRequest": "HandOverTaskRequest",
    "KeyShape": "AnchorKey",
    "KeysShape": "AnchorKeys",
    "LinkRequest": "LinkMessageRequest",
    "MakeRequest": "MakeWebhookRequest",
    "NewJobRequest": "OpenCasesRequest",
    "OfCase": "CaseOfEvent",
    "OutcomeRequest": "CompleteTaskRequest",
    "PartRequest": "PartCasesRequest",
    "RejectRequest": "RejectDocumentRequest",
    "RelateRequest": "RelateCasesRequest",
    "ReleaseRequest": "ReleaseTaskRequest",
    "ReopenRequest": "ReopenCaseRequest",
    "ReplayBodyRequest": "ReplayWebhookRequest",
    "RotateBodyRequest": "RotateSecretRequest",
    "RowResultPage": "JobRowPage",
    "RowResultShape": "JobRow",
    "CorrectPauseBodyRequest": "CorrectPauseRequest",
    "ExtendClockBodyRequest": "ExtendClockRequest",
    "MoreShape": "MoreOfCase",
    "PauseClockBodyRequest": "PauseClockRequest",
    "RestShape": "RestOfPart",
    "ResumeClockBodyRequest": "ResumeClockRequest",
    "Said": "RetriedIncident",
    "SendRequest": "SendMessageRequest",
    "StepShape": "CaseStep",
    "TakeBackRequest": "TakeBackDecisionRequest",
    "TokenRequestRequest": "TokenRequest",
    "UploadRequest": "HandInDocumentRequest",
    "Who": "Actor",
}
_REF = "#/components/schemas/"
_HEADERS = {
    "RateLimit-Limit": "Calls that the caller may make a minute.",
    "RateLimit-Remaining": "Calls that are left in this minute.",
    "RateLimit-Reset": "Seconds until the next minute begins.",
}


_OF_REFUSALS = {
    401: {"WWW-Authenticate": "How to say who you are."},
    409: {"Retry-After": "Seconds, where the same call may be sent again (still-running)."},
    429: {"Retry-After": "Seconds."},
    503: {"Retry-After": "Seconds."},
}
_OF_WRITES = {
    "Idempotency-Replayed": "true: this is the first answer to this key, and nothing was done now.",
}


def _headers(named: dict[str, str]) -> dict[str, Any]:
    """Headers that are there where they apply."""
    return {
        name: {"description": about, "schema": {"type": "string"}} for name, about in named.items()
    }


def listed(row: type[s.Serializer], **more: s.Field) -> Any:
    """The shape of one page of a list, and what more its answer says."""
    name = row.__name__.removesuffix("Shape").removesuffix("Row")
    return inline_serializer(
        f"{name}Page",
        {
            "results": row(many=True),
            "next": s.CharField(allow_null=True, help_text="Address of the next page, or null."),
            "previous": s.CharField(allow_null=True),
            **more,
        },
    )


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[misc]
    target_class = "processes.api.callers.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token: lc_…"}


class SignatureScheme(OpenApiAuthenticationExtension):  # type: ignore[misc]
    target_class = "processes.api.signed.SignatureAuthentication"
    name = "signature"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "webhook-signature",
            "description": "After Standard Webhooks, with the secret of the account.",
        }


def only_ours(endpoints: Any, **_kwargs: Any) -> Any:
    return [one for one in endpoints if one[0].startswith("/api/v1/")]


def complete(result: Any, generator: Any, **_kwargs: Any) -> Any:
    """Add to each operation what holds for all of its sort."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = _problem_schema()
    responses = components.setdefault("responses", {})
    for status in sorted({*_READ, *_WRITE, 410, 460}):
        responses[f"Problem{status}"] = {
            "description": ", ".join(_TITLES[status]) or "see the problem's type",
            "headers": _headers(_OF_REFUSALS.get(status, {})),
            "content": {
                MEDIA_TYPE: {
                    "schema": {"$ref": "#/components/schemas/Problem"},
                    "examples": examples.refusals(status),
                }
            },
        }
    _rename(result)
    for path, item in result["paths"].items():
        for method, operation in item.items():
            if method in ("get", "post", "put", "patch", "delete"):
                _complete(path, method, operation)
                samples.show_answers(operation, components["schemas"])
    return result


def _rename(result: dict[str, Any]) -> None:
    """Give each shape the name that a generated client is to have for it, wherever it is named."""
    schemas: dict[str, Any] = result["components"]["schemas"]
    schemas.pop("ProblemShape", None)  # the same as Problem, which says more
    names = {old: NAMES.get(old, old.removesuffix("Shape")) for old in schemas}
    if len(set(names.values())) < len(names):
        twice = [one for one in names.values() if list(names.values()).count(one) > 1]
        raise ValueError(f"Two shapes would be called {twice[0]}: see NAMES.")
    result["components"]["schemas"] = {names[old]: one for old, one in schemas.items()}
    named = {f"{_REF}{old}": f"{_REF}{new}" for old, new in names.items()}
    named[f"{_REF}ProblemShape"] = f"{_REF}Problem"
    _refer(result, named)


def _refer(part: Any, named: dict[str, str]) -> None:
    if isinstance(part, list):
        for one in part:
            _refer(one, named)
    elif isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            part["$ref"] = named.get(part["$ref"], part["$ref"])
        for one in part.values():
            _refer(one, named)


def _complete(path: str, method: str, operation: dict[str, Any]) -> None:
    if "/oauth/" in path:  # as RFC 6749 has it, but for what any address may answer
        examples.show_oauth(operation)
        for status in (413, 429):
            operation["responses"].setdefault(
                str(status), {"$ref": f"#/components/responses/Problem{status}"}
            )
        return
    examples.show_body(operation)
    writes = method != "get"
    for status, response in operation["responses"].items():
        response.setdefault("description", "")
        response["headers"] = {
            name: {"description": about, "schema": {"type": "integer"}}
            for name, about in _HEADERS.items()
        }
        if _is_of_a_case(path) and int(status) in (200, 201):
            response["headers"]["ETag"] = {
                "description": "The number of the last event of the case.",
                "schema": {"type": "string"},
            }
        if writes and "/signed/" not in path and int(status) < 300:
            response["headers"] |= _headers(_OF_WRITES)
        if writes and int(status) == 201:
            response["headers"] |= _headers({"Location": "The address of what was made."})
    for status in _WRITE if writes else _READ:
        operation["responses"].setdefault(
            str(status), {"$ref": f"#/components/responses/Problem{status}"}
        )
    if path == "/api/v1/events":
        operation["responses"]["410"] = {"$ref": "#/components/responses/Problem410"}
    if "/uploads/" in path and method == "patch":
        for gone in ("410", "460"):
            operation["responses"][gone] = {"$ref": f"#/components/responses/Problem{gone}"}
    if "file" in path:
        operation["responses"]["409"] = {"$ref": "#/components/responses/Problem409"}
    # There the webhook-id, or the offset, makes a call safe to repeat.
    if writes and "/signed/" not in path and "/uploads/" not in path:
        operation.setdefault("parameters", [])
        operation["parameters"] += [_KEY, _ON_BEHALF]
        if _is_of_a_case(path):
            must = operation["operationId"] == "change_facts"
            operation["parameters"].append({**_IF_MATCH, "required": must})


def _is_of_a_case(path: str) -> bool:
    return any(part in path for part in ("{reference}", "/tasks/{", "/documents/{"))


def _problem_schema() -> dict[str, Any]:
    properties: dict[str, Any] = {
        name: {"type": "integer" if isinstance(field, s.IntegerField) else "string"}
        for name, field in ProblemShape().fields.items()
        if isinstance(field, s.IntegerField | s.CharField)
    }
    # No list: types are added within a version, and clients take what they do not know yet.
    properties["type"]["examples"] = [f"/api/v1/problems/{slug}" for slug in PROBLEMS]
    entry = {"type": "object", "additionalProperties": True}
    properties["errors"] = {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"pointer": {"type": "string"}, "detail": {"type": "string"}},
            "required": ["pointer", "detail"],
        },
    }
    properties["case"] = entry
    properties["news"] = {"type": "array", "items": entry}
    return {
        "type": "object",
        "description": "Problem details (RFC 9457). `type` is stable; see /api/v1/problems.",
        "properties": properties,
        "required": ["type", "title", "status", "detail"],
    }
