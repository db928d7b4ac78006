"""Examples for the schema: of each body that a call takes, and of each refusal."""

from __future__ import annotations

from typing import Any

from processes.api.problems import BASE, PROBLEMS

BODIES: dict[str, dict[str, Any]] = {
    "open_case": {
        "kind": "loan",
        "title": "Zoë Example",
        "external_reference": "4711",
        "facts": {"applicant_name": "Zoë Example", "national_id": "999900001", "amount": "20000"},
    },
    "change_facts": {"facts": {"purpose": "car"}, "reason": "The applicant corrected it."},
    "take_transition": {"data": {"reason": "The applicant asked us to."}},
    "pause_clock": {"reason": "We wait for the applicant.", "at_most_days": 30},
    "resume_clock": {"until": "2026-11-02"},
    "extend_clock": {"reason": "The expert needs more time."},
    "correct_pause": {
        "since": "2026-10-01",
        "until": "2026-10-12",
        "reason": "The papers came on the 12th.",
    },
    "reopen_case": {"reason": "The applicant was ill and could not answer."},
    "export_cases": {
        "format": "jsonl",
        "cases": ["LN-2026-000123"],
        "reason": "The customer asked for their file.",
    },
    "open_restricted_case": {
        "purpose": "complaint",
        "reason": "The applicant called about the decision.",
    },
    "relate_cases": {"reference": "LN-2026-000123", "reason": "The same applicant."},
    "part_cases": {"reason": "It is another person of the same name."},
    "accept_document": {"reason": "", "dated": "2026-11-02"},
    "reject_document": {"reason": "The second page is missing."},
    "give_up_activity": {"reason": "The register has no entry and will get none.", "never": True},
    "send_message": {"to": "portal:4711", "name": "offer_answer", "data": {"answer": "accept"}},
    "send_signed_message": {
        "to": "LN-2026-000123",
        "name": "offer_answer",
        "data": {"answer": "accept"},
    },
    "link_message": {"case": "LN-2026-000123"},
    "ask_advice": {"of": 7, "question": "Is the turnover plausible for this trade?"},
    "complete_task": {"outcome": "approve", "reason": "", "result": {}, "seen": 17},
    "hand_over_task": {"to": 7, "reason": "I am away from tomorrow."},
    "release_task": {"reason": "I know the applicant."},
    "take_back_decision": {"reason": "It rested on an old payslip."},
    "make_webhook": {
        "url": "https://hooks.example.org/longcase",
        "types": ["step.entered", "task.*"],
    },
    "change_webhook": {"types": ["step.entered"]},
    "replay_webhook": {"since": "2026-11-02T12:00:00Z"},
    "rotate_webhook_secret": {"overlap_hours": 24},
}

# Bodies that are no JSON, with each field as text.
FORMS: dict[str, dict[str, str]] = {
    "hand_in_document": {"name": "payslip", "file": "(the bytes of payslip.pdf)"},
    "open_cases": {"kind": "loan", "file": "(the bytes of cases.csv)"},
    "get_token": {"grant_type": "client_credentials", "scope": "read:loan"},
    "give_back_token": {"token": "lc_…"},
}

# How the addresses of OAuth 2 refuse: as RFC 6749 has it, no problem details.
OAUTH: dict[str, dict[str, str]] = {
    "400": {
        "error": "invalid_scope",
        "error_description": "Customer portal has no scope 'open:claim'; an administrator can "
        "add it.",
    },
    "401": {"error": "invalid_client"},
}


def show_body(operation: dict[str, Any]) -> None:
    """Put the example of its body into an operation of the schema."""
    name = operation["operationId"]
    for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
        known = (BODIES if media_type == "application/json" else FORMS).get(name)
        if known is not None:
            content.pop("examples", None)
            content["example"] = known


def show_oauth(operation: dict[str, Any]) -> None:
    """The bodies and refusals of an address of OAuth 2."""
    show_body(operation)
    for status, known in OAUTH.items():
        for content in operation["responses"][status].get("content", {}).values():
            content["example"] = known


def refusals(status: int) -> dict[str, Any]:
    """An example of each type of problem with this status."""
    return {
        slug: {
            "value": {
                "type": f"{BASE}{slug}",
                "title": str(one.title),
                "status": one.status,
                "detail": str(one.advice),
            }
        }
        for slug, one in PROBLEMS.items()
        if one.status == status
    }
