"""The work of a permit besides people's: letters, and looks into what is already done."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from cases.models import Letter, Requirement, Task
from processes import letters
from processes.activities import Attempt, activity
from processes.letters import Correspondent, send_letter
from processes.permit import rules
from timers import clock
from timers.spans import seconds

LETTERS = "permit/letters"


def letter(name: str, **more: Any) -> Any:
    """Ask for a letter of the permit process to the applicant."""
    return send_letter(template=f"{LETTERS}/{name}.txt", **more)


@activity(timeout=seconds(20), attempts=30, first_retry_seconds=5, on="the mail")
def ask_adviser(attempt: Attempt, *, party: str, question: str, what: str) -> dict[str, Any]:
    """Write to a party outside for advice, with the address at which it answers."""
    return _send(
        attempt,
        "advice",
        to=Correspondent(rules.PARTIES[party], adviser_address(party)),
        more={"answer_to": attempt.address_of(question), "what": what},
    )


@activity(timeout=seconds(20), attempts=30, first_retry_seconds=5, on="the mail")
def letter_to(
    attempt: Attempt, *, name: str, email: str, about: str, more: dict[str, Any]
) -> dict[str, Any]:
    """Write to somebody else than the applicant: who objects, or appeals."""
    return _send(attempt, about, to=Correspondent(name, email), more=more)


def _send(
    attempt: Attempt, name: str, *, to: Correspondent, more: dict[str, Any]
) -> dict[str, Any]:
    written = letters.write(
        key=attempt.key,
        case_id=attempt.case_id,
        template=f"{LETTERS}/{name}.txt",
        more=more,
        to=to,
    )
    trouble = "" if written.sent_at else letters.send(written)
    found = {"letter": written.pk, "subject": written.subject, "to": written.to_name}
    return {**found, "not_mailed": trouble} if trouble else found


def adviser_address(party: str) -> str:
    """The e-mail address of a party, from LONGCASE_PERMIT_ADVISERS ("fire_service=…"); or none."""
    pairs = (entry.partition("=") for entry in settings.LONGCASE_PERMIT_ADVISERS)
    return next((address.strip() for name, _, address in pairs if name.strip() == party), "")


@activity(inside=True)
def finished_tasks(attempt: Attempt, *, names: list[str]) -> dict[str, dict[str, str]]:
    """How these tasks of the case ended last, by name; those that never ended are left out.

    A step that is entered again after a suspension asks this, so that nothing is done twice.
    """
    done = Task.objects.filter(case_id=attempt.case_id, name__in=names, state="done")
    return {
        one.name: {"outcome": one.outcome, "reason": one.reason, "by": one.closed_by}
        for one in done.order_by("closed_at", "pk")
    }


@activity(inside=True)
def was_written(attempt: Attempt, *, name: str) -> bool:
    """Whether the case has this letter."""
    return Letter.objects.filter(case_id=attempt.case_id, template=f"{LETTERS}/{name}.txt").exists()


@activity(inside=True)
def note_reminder(attempt: Attempt, *, papers: list[str]) -> list[str]:
    """Count a reminder on each of these papers that has not come, and say which those are."""
    wanted = Requirement.objects.filter(case_id=attempt.case_id, name__in=papers)
    missing = list(wanted.exclude(state__in=["received", "accepted"]))
    for requirement in missing:
        requirement.reminders += 1
        requirement.reminded_at = clock.now()
        requirement.save(update_fields=["reminders", "reminded_at"])
    names = {requirement.name for requirement in missing}
    return [name for name in papers if name in names]
