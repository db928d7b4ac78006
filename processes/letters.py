"""Letters to the parties of a case: written once, kept with the case, sent by mail.

    await send_letter(template="loan/letters/declined.txt", reason=review.reason)

A letter is a text template whose first line is its subject. It may use `case` (the case with its
facts) and whatever else it is given. The event of the activity is its record in the history.
"""

from __future__ import annotations

import smtplib
from email.utils import parseaddr
from typing import Any, NamedTuple

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string

from cases.models import Case, Letter
from processes.activities import Attempt, activity
from processes.kinds import kind_of
from timers import clock
from timers.spans import seconds


class Correspondent(NamedTuple):
    """Whom a case's letters go to. Without an e-mail address they are kept to be posted."""

    name: str
    email: str


@activity(timeout=seconds(20), attempts=30, first_retry_seconds=5, on="the mail")
def send_letter(attempt: Attempt, *, template: str, **more: Any) -> dict[str, Any]:
    """Write a letter and send it. Any trouble with the mail server is tried again for a day."""
    letter = write(key=attempt.key, case_id=attempt.case_id, template=template, more=more)
    trouble = "" if letter.sent_at else send(letter)
    found = {"letter": letter.pk, "subject": letter.subject, "to": letter.to_name}
    return {**found, "not_mailed": trouble} if trouble else found


def write(
    *,
    key: str,
    case_id: int,
    template: str,
    more: dict[str, Any],
    to: Correspondent | None = None,
) -> Letter:
    """The letter of this key: the one that is there, or a new one. Its text never changes.

    It goes to the case's correspondent, unless `to` names somebody else.
    """
    known = Letter.objects.filter(key=key).first()
    if known is not None:
        return known
    case = case_as_its_kind(case_id)
    to = to or case.correspondent  # type: ignore[attr-defined]
    assert to is not None
    text = render_to_string(template, {"case": case, "to": to, **more})
    subject, _, body = text.strip().partition("\n")
    new = Letter(
        key=key,
        case_id=case_id,
        template=template,
        to_name=to.name,
        to_email=to.email,
        subject=" ".join(subject.split())[:200],
        text=body.strip() + "\n",
        written_at=clock.now(),
    )
    # Of two that write it at once the first one's text stands, without a savepoint for it.
    Letter.objects.bulk_create([new], ignore_conflicts=True)
    return Letter.objects.get(key=key)


def send(letter: Letter) -> str:
    """Mail a letter. Returns why not, where trying again would not help.

    A worker that dies after sending will send it again: the same Message-ID lets mail programs
    show it once.
    """
    if not letter.to_email:
        return "There is no e-mail address: send it by post."
    mail = EmailMessage(
        subject=letter.subject,
        body=letter.text,
        to=[letter.to_email],
        headers={"Message-ID": message_id(letter.key)},
    )
    try:
        mail.send()
    except smtplib.SMTPRecipientsRefused as refusal:
        code, words = next(iter(refusal.recipients.values()))
        if code < 500:  # for now
            raise
        return f"The mail server refuses the address: {code} {words.decode(errors='replace')}"
    letter.sent_at = clock.now()
    letter.save(update_fields=["sent_at"])
    return ""


def message_id(key: str) -> str:
    """The same for every sending of one letter."""
    host = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
    return f"<letter.{key}@{host}>"


def case_as_its_kind(case_id: int) -> Case:
    """A case with its facts."""
    kind = Case.objects.values_list("kind", flat=True).get(pk=case_id)
    return kind_of(kind).model.objects.get(pk=case_id)
