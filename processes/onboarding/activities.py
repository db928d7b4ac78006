"""The outside work of an onboarding. Each is safe to try twice: by its key a repeat is known."""

from __future__ import annotations

from typing import Any

from cases.models import Requirement
from processes.activities import Attempt, activity
from processes.letters import send_letter
from processes.services import Service
from timers import clock
from timers.spans import seconds

register = Service("the company register", "LONGCASE_REGISTER_URL")
identity = Service("the identity register", "LONGCASE_IDENTITY_URL")
sanctions = Service("the sanctions lists", "LONGCASE_SANCTIONS_URL")


@activity(timeout=seconds(15), attempts=8, longest_retry_seconds=900, on="the company register")
def check_business(
    attempt: Attempt, *, registration_number: str, name: str, country: str
) -> dict[str, Any]:
    """Ask the register whether this business exists under this name."""
    answer = register.call(
        "POST",
        "",
        key=attempt.key,
        body={"registration_number": registration_number, "name": name, "country": country},
    )
    return {
        "confirmed": register.field(answer, "confirmed", bool),
        "reason": str(answer.get("reason") or ""),
    }


@activity(timeout=seconds(15), attempts=8, longest_retry_seconds=900, on="the identity register")
def check_person(attempt: Attempt, *, id_number: str, name: str) -> dict[str, Any]:
    """Ask the register whether this number belongs to this person."""
    answer = identity.call(
        "POST", "", key=attempt.key, body={"national_id": id_number, "name": name}
    )
    return {
        "confirmed": identity.field(answer, "confirmed", bool),
        "reason": str(answer.get("reason") or ""),
    }


@activity(timeout=seconds(15), attempts=8, longest_retry_seconds=900, on="the sanctions lists")
def screen(attempt: Attempt, *, name: str, country: str, born: str = "") -> dict[str, Any]:
    """Look a name up: possible matches (list, entry, likeness in percent), and public office."""
    answer = sanctions.call(
        "POST", "", key=attempt.key, body={"name": name, "country": country, "born": born}
    )
    return {
        "hits": [
            {name: str(hit.get(name, "")) for name in ("list", "entry", "likeness")}
            for hit in sanctions.field(answer, "hits", list)[:20]
            if isinstance(hit, dict)
        ],
        "is_exposed": sanctions.field(answer, "is_exposed", bool),
    }


@activity(inside=True)
def note_reminder(attempt: Attempt, *, papers: list[str]) -> list[str]:
    """Count a reminder on each paper that is still missing, and say which those are."""
    missing = _missing(attempt.case_id, papers)
    for requirement in Requirement.objects.filter(case_id=attempt.case_id, name__in=missing):
        requirement.reminders += 1
        requirement.reminded_at = clock.now()
        requirement.save(update_fields=["reminders", "reminded_at"])
    return missing


@activity(inside=True)
def papers_still_missing(attempt: Attempt, *, papers: list[str]) -> list[str]:
    """Which of these papers did not come, or must come again."""
    return _missing(attempt.case_id, papers)


def _missing(case_id: int, papers: list[str]) -> list[str]:
    in_hand = set(
        Requirement.objects.filter(
            case_id=case_id, name__in=papers, state__in=["received", "accepted"]
        ).values_list("name", flat=True)
    )
    return [name for name in papers if name not in in_hand]


def letter(name: str, **more: Any) -> Any:
    """Ask for a letter of the onboarding to the business."""
    return send_letter(template=f"onboarding/letters/{name}.txt", **more)
