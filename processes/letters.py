"""Letters to the parties of a case: written once, kept with the case, sent by mail.

    await send_letter(template="loan/letters/declined.txt", reason=review.reason)

A letter is a text template whose first line is its subject. It may use `case` (the case with its
facts) and whatever else it is given. The event of the activity is its record in the history.
"""

from __future__ import annotations

import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import parseaddr
from typing import Any, NamedTuple

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from cases.models import Case, CustomerPage, Letter
from cases.models.letter import fingerprint_of
from processes.activities import Attempt, activity
from processes.customer import addresses
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
    found["fingerprint"] = fingerprint_of(letter.subject, letter.text)
    if page := CustomerPage.objects.filter(given_with=attempt.key).first():
        found["page"] = page.pk  # given with this letter: the event of the letter records it
    return {**found, "not_mailed": trouble} if trouble else found


@activity(
    timeout=seconds(20), attempts=30, first_retry_seconds=5, on="the mail", repeatable=True
)  # a second sending carries the same Message-ID
def mail_letter(attempt: Attempt, *, letter: str) -> dict[str, Any]:
    """Send a letter that a person wrote, by its key. Tried again as `send_letter` is."""
    written = Letter.objects.get(key=letter)
    trouble = "" if written.sent_at else send(written)
    found = {"mailed": written.subject, "to": written.to_name}
    return {**found, "not_mailed": trouble} if trouble else found


def write(
    *,
    key: str,
    case_id: int,
    template: str,
    more: dict[str, Any],
    to: Correspondent | None = None,
    party: str = "",
) -> Letter:
    """The letter of this key: the one that is there, or a new one. Its text never changes.

    It goes to the case's correspondent, unless `to` names somebody else; `party` is whose page
    shows it then. It is in the installation's language, whoever makes it go out.
    """
    known = Letter.objects.filter(key=key).first()
    if known is not None:
        return known
    case = case_as_its_kind(case_id)
    is_customers = to is None
    to = to or case.correspondent  # type: ignore[attr-defined]
    assert to is not None
    with translation.override(settings.LANGUAGE_CODE):
        text = render_to_string(template, {"case": case, "to": to, **more})
        subject, _sep, body = text.strip().partition("\n")
        if is_customers:
            page = addresses.for_letter(case, name=to.name, email=to.email, key=key)
            body += _where_to_look(page) if page else ""
    new = Letter(
        key=key,
        case_id=case_id,
        template=template,
        party=party_of(case, to) if is_customers else party,
        to_name=to.name,
        to_email=to.email,
        subject=" ".join(subject.split())[:200],
        text=body.strip() + "\n",
        written_at=clock.now(),
        written_by="engine",
    )
    # Of two that write it at once the first one's text stands, without a savepoint for it.
    Letter.objects.bulk_create([new], ignore_conflicts=True)
    return Letter.objects.get(key=key)


def party_of(case: Case, to: Correspondent) -> str:
    """The party on whose page a letter to this correspondent shows; "" for letters to others."""
    page = kind_of(case.kind).page
    theirs = getattr(case, "correspondent", None)
    return page.party if page and theirs == to else ""


def _where_to_look(page: CustomerPage) -> str:
    said = _("See how it stands, send papers and answer on your own page:")
    return f"\n\n{said}\n{addresses.address_of(page)}"


def send(letter: Letter) -> str:
    """Mail a letter. Returns why not, where trying again would not help.

    A worker that dies after sending will send it again: the same Message-ID lets mail programs
    show it once.
    """
    if not letter.to_email:
        Letter.objects.filter(pk=letter.pk, sent_at=None).update(state="to_post")
        return "There is no e-mail address: send it by post."
    mail = EmailMessage(
        subject=letter.subject,
        body=letter.text,
        to=[letter.to_email],
        headers={"Message-ID": message_id(letter.key)},
    )
    try:
        with _told_on(letter):
            mail.send()
    except smtplib.SMTPRecipientsRefused as refusal:
        code, words = next(iter(refusal.recipients.values()))
        if code < 500:  # for now
            raise
        why = f"The mail server refuses the address: {code} {words.decode(errors='replace')}"
        letter.state, letter.why_not = "undelivered", why
        letter.save(update_fields=["state", "why_not"])
        return why
    letter.sent_at, letter.state, letter.why_not = clock.now(), "sent", ""
    letter.save(update_fields=["sent_at", "state", "why_not"])
    return ""


@contextmanager
def _told_on(letter: Letter) -> Iterator[None]:
    """Count a try on the letter, and keep how it failed for those who look at it meanwhile."""
    tried = {"tries": F("tries") + 1, "tried_at": clock.now()}
    try:
        yield
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[:500]
        Letter.objects.filter(pk=letter.pk).update(state="due", why_not=said, **tried)
        raise
    Letter.objects.filter(pk=letter.pk).update(**tried)


TRIES = 30  # of a letter that belongs to no case; those of cases are tried by their activity


def send_without_case(most: int = 50) -> int:
    """Mail the letters that answer messages of no case. Run by the timer service; any number may.
    What cannot be mailed now is tried again, each time later. Returns how many went out."""
    sent = 0
    for pk in list(_due_without_case(most)):
        letter = Letter.objects.get(pk=pk)
        claimed = Letter.objects.filter(pk=pk, state="due", tries=letter.tries)
        if not claimed.update(tries=letter.tries + 1, tried_at=clock.now()):
            continue  # another clock has it
        letter.refresh_from_db()
        try:
            sent += not send(letter)
        except (OSError, smtplib.SMTPException):
            if letter.tries >= TRIES:
                said = _("The mail could not be reached; it was tried %(n)s times.")
                why = said % {"n": letter.tries}
                Letter.objects.filter(pk=pk).update(state="undelivered", why_not=why)
    return sent


def _due_without_case(most: int) -> Iterator[int]:
    due = Letter.objects.filter(case=None, state="due").order_by("pk")
    now = clock.now()
    for pk, tries, tried_at in due.values_list("pk", "tries", "tried_at")[:most]:
        later = min(3600, 30 * 2 ** min(tries, 10))
        if tried_at is None or (now - tried_at).total_seconds() >= later:
            yield pk


def message_id(key: str) -> str:
    """The same for every sending of one letter."""
    host = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
    return f"<letter.{key}@{host}>"


def case_as_its_kind(case_id: int) -> Case:
    """A case with its facts."""
    kind = Case.objects.values_list("kind", flat=True).get(pk=case_id)
    return kind_of(kind).model.objects.get(pk=case_id)
