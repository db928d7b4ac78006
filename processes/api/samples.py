"""An example of each successful answer, made from its shape: what stands in a loan that waits."""

from __future__ import annotations

from typing import Any

DEPTH = 6
AT, LATER = "2026-11-02T09:30:00Z", "2026-12-02T09:30:00Z"

# What a name holds, of one shape or of any. A name that stands nowhere here has a value by its
# type; the test of the schema says when that does not fit.
VALUES: dict[str, Any] = {
    "Actor.code": "service:portal",
    "Actor.name": "Customer portal",
    "Activity.kind": "loan",
    "Activity.name": "loan.check_credit",
    "Activity.attempt": 1,
    "Activity.failures": 0,
    "Activity.losses": 0,
    "Activity.attempts_allowed": 5,
    "Activity.key": "17.2.1",
    "Activity.state": "running",
    "Attempt.answer": "ok",
    "Attempt.attempt": 1,
    "Attempt.error": "",
    "Attempt.type": "step.entered",
    "Case.state": "open",
    "Clock.name": "term",
    "Clock.title": "Legal term",
    "Clock.state": "running",
    "Clock.started": "2026-11-02",
    "Clock.limit_on": "2026-12-28",
    "Delivery.state": "used",
    "Delivery.sentence": "The case has taken it.",
    "Document.name": "payslip",
    "Document.state": "received",
    "Document.version": 1,
    "Document.reason": "",
    "External.reference": "4711",
    "Feed.next": "MTIuMC4xNw",
    "FeedEvent.id": "evt_17_5",
    "Incident.title": "The credit register does not answer",
    "Job.state": "working",
    "JobRow.state": "opened",
    "JobRow.problem": None,
    "Kind.answers": ["offer_answer"],
    "Kind.documents": {"payslip": "Payslip"},
    "Kind.messages": ["appraisal", "offer_answer"],
    "Kind.name": "loan",
    "Kind.schema": {"type": "object", "properties": {"amount": {"type": "string"}}},
    "Kind.title": "Loan",
    "KindEdge.name": "withdraw",
    "KindEdge.label": "Withdraw",
    "KindEdge.about": "The customer takes the application back.",
    "KindEdge.target": "withdrawing",
    "KindRow.name": "loan",
    "KindRow.title": "Loan",
    "KindStep.name": "offer",
    "KindStep.label": "Offer",
    "Message.name": "offer_answer",
    "Message.state": "unmatched",
    "Message.to": "portal:4711",
    "Message.why": "portal sees no case “portal:4711”.",
    "Message.data": {"answer": "accept"},
    "Message.key": "message-1",
    "Person.name": "Sanne de Wit",
    "ProblemType.type": "/api/v1/problems/moved-on",
    "ProblemType.title": "The case changed after you read it",
    "ProblemType.advice": "`news` says what changed. Read again, then send with the new ETag.",
    "ProblemType.status": 412,
    "Relation.reason": "The same applicant.",
    "Requirement.name": "payslip",
    "Requirement.title": "Payslip",
    "Requirement.state": "asked",
    "RetriedIncident.sentence": "It is tried again now.",
    "Stood.tasks": [],
    "Stood.documents": {"payslip": "accepted"},
    "CaseStep.name": "offer",
    "Task.name": "decision",
    "Task.title": "Decision",
    "Task.outcomes": [{"value": "approve", "label": "Approve", "needs_reason": False}],
    "Task.asks": [],
    "Task.outcome": "",
    "Task.reason": "",
    "Task.result": {},
    "Task.closed_at": None,
    "Task.closed_by": "",
    "Task.state": "open",
    "Team.name": "Loans north",
    "TokenAnswer.scope": "read:loan open:loan",
    "Transition.name": "withdraw",
    "Transition.label": "Withdraw",
    "Transition.address": "/api/v1/cases/LN-2026-000123/transitions/withdraw",
    "Undo.address": "/api/v1/cases/LN-2026-000123/events/5/undo",
    "Undo.type": "facts.changed",
    "Upload.document": None,
    "Wait.kind": "message",
    "Wait.name": "offer_answer",
    "Webhook.state": "active",
    "Webhook.title": "Data platform",
    "Webhook.why": "",
    "Worker.kind": "worker",
    "Worker.name": "worker@app1",
    "access_token": "lc_…",
    "actor": {"code": "service:portal", "name": "Customer portal"},
    "asked_of": "applicant",
    "asks": ["reason"],
    "case": "LN-2026-000123",
    "client": "portal",
    "closed_at": None,
    "cursor": "MTIuMC4xNw",
    "data": {"step": "offer", "transition": "make_offer", "visit": 7},
    "detail": "The case has moved on.",
    "ended_at": None,
    "error": "",
    "event": 5,
    "expires_in": 3600,
    "explanation": "Limit 28 Dec 2026: 8 weeks from 2 Nov.",
    "external_reference": "4711",
    "facts": {"applicant_name": "Zoë Example", "amount": "20000.00"},
    "filename": "payslip.pdf",
    "found_alike": False,
    "hash": "9f2c…",
    "initial": "received",
    "judged_at": None,
    "judged_by": "",
    "kind": "loan",
    "kinds": ["loan"],
    "label": "Offer",
    "lane": "short",
    "last_error": "",
    "lease_until": LATER,
    "limit_at": "2026-12-28T23:00:00Z",
    "media_type": "application/pdf",
    "met": "the loan is paid out, or closed if refused",
    "missing": [],
    "next": None,
    "next_after": None,
    "next_try_at": None,
    "on": "customer",
    "on_behalf": None,
    "otherwise": "the offer expires",
    "outcome": "",
    "outcome_reason": "",
    "overlap_until": None,
    "pauses": [],
    "prefix": "LN",
    "previous": None,
    "purpose": "command",
    "received_from": "party:applicant",
    "reference": "LN-2026-000123",
    "related_by": "person:7",
    "remarks": [],
    "rest": None,
    "role": "",
    "secret_overlap_until": None,
    "secrets": ["whsec_…"],
    "sha256": "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c",
    "since": AT,
    "source": "portal",
    "sources": ["offer", "underwriting"],
    "status": 200,
    "step": "offer",
    "step_label": "Offer",
    "target": "withdrawing",
    "title": "Zoë Example",
    "token_type": "Bearer",
    "type": "step.entered",
    "types": ["step.entered", "task.*"],
    "until": LATER,
    "url": "https://hooks.example.org/longcase",
    "valid_until": None,
    "visit": 7,
    "waiting_on": "customer",
    "waiting_until": LATER,
    "webhook_id": "evt_17_5",
}
# The answers of these say nothing by their shape.
WHOLE: dict[str, Any] = {
    "kind_schema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Loan",
        "type": "object",
        "properties": {"applicant_name": {"type": "string"}, "amount": {"type": "string"}},
        "required": ["applicant_name", "amount"],
        "additionalProperties": False,
    }
}


def show_answers(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    """Put an example into each successful JSON answer of an operation of the schema."""
    for status, response in operation["responses"].items():
        content = response.get("content", {}).get("application/json")
        if content is None or not str(status).startswith("2") or "schema" not in content:
            continue
        name = operation["operationId"]
        content["example"] = WHOLE.get(name) or sample(content["schema"], schemas)


def sample(schema: dict[str, Any], schemas: dict[str, Any], name: str = "", depth: int = 0) -> Any:
    """A value that fits this schema; `name` is of the shape, then of the property."""
    for several in ("allOf", "oneOf", "anyOf"):
        if several in schema:
            return sample(schema[several][0], schemas, name, depth)
    if "$ref" in schema:
        shape = schema["$ref"].rpartition("/")[2]
        return sample(schemas[shape], schemas, shape, depth)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "array":
        inner = sample(schema.get("items", {}), schemas, name, depth + 1)
        return [inner] if depth < DEPTH else []
    if kind == "object":
        properties = schema.get("properties", {})
        wanted = {*schema.get("required", properties), "facts"} & set(properties)
        return {
            one: value_of(name, one, properties[one], schemas, depth + 1)
            for one in properties
            if one in wanted
        }
    if kind == "string":
        return {"date-time": AT, "date": "2026-11-02"}.get(schema.get("format", ""), "…")
    return {"integer": 17, "number": 1.5, "boolean": False}.get(kind)


def value_of(
    shape: str, name: str, schema: dict[str, Any], schemas: dict[str, Any], depth: int
) -> Any:
    shape = shape.removesuffix("Page")
    for known in (f"{shape}.{name}", name):
        if known in VALUES and _fits(VALUES[known], schema, schemas):
            return VALUES[known]
    return sample(schema, schemas, name, depth)


def _fits(value: Any, schema: dict[str, Any], schemas: dict[str, Any]) -> bool:
    """Whether a value is of the type of this schema, as far as its outside tells."""
    if "$ref" in schema:
        return _fits(value, schemas[schema["$ref"].rpartition("/")[2]], schemas)
    choices = [one for several in ("allOf", "oneOf", "anyOf") for one in schema.get(several, ())]
    if choices:
        return any(_fits(value, one, schemas) for one in choices)
    if "enum" in schema:
        return value in schema["enum"]
    if "type" not in schema:
        return True
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    name = {type(None): "null", bool: "boolean", int: "integer", str: "string", list: "array"}
    if isinstance(value, dict):
        known = schema.get("properties")
        return "object" in kinds and (known is None or set(value) <= set(known))
    return name.get(type(value), "object") in kinds
