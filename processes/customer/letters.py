"""The letter that tells a customer the address of their page."""

from __future__ import annotations

from typing import Any

from cases.models import CustomerPage
from processes import letters
from processes.activities import Attempt, activity
from processes.customer import addresses
from processes.letters import Correspondent
from timers.spans import seconds

TEMPLATE = "processes/letters/page.txt"


@activity(timeout=seconds(20), attempts=30, first_retry_seconds=5, on="the mail")
def send_page(attempt: Attempt, *, page: int) -> dict[str, Any]:
    """Write the letter with the address and send it. One that was replaced meanwhile is not."""
    given = CustomerPage.objects.get(pk=page)
    if given.revoked_at is not None:
        return {"not_mailed": "The page was revoked before its letter was sent."}
    letter = letters.write(
        key=attempt.key,
        case_id=attempt.case_id,
        template=TEMPLATE,
        more={
            "address": addresses.address_of(given),
            "until": given.expires_at,
            "phone": given.phone,
        },
        to=Correspondent(given.name, given.email),
        party=given.party,
    )
    trouble = "" if letter.sent_at else letters.send(letter)
    found = {"letter": letter.pk, "subject": letter.subject, "to": letter.to_name}
    return {**found, "not_mailed": trouble} if trouble else found
