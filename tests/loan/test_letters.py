"""Letters: written once, kept as they were, sent until the mail takes them."""

from __future__ import annotations

import smtplib
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend

from audit.read import events_of
from cases.models import CustomerPage, Letter
from cases.models.letter import fingerprint_of
from processes import letters
from processes.acts.cases import get_case


class Stubborn(EmailBackend):
    """Raises what the test laid ready, first to last, before it takes any mail."""

    trouble: list[Exception] = []

    def send_messages(self, messages: Any) -> int:
        if self.trouble:
            raise self.trouble.pop(0)
        return super().send_messages(messages)


@pytest.fixture
def stubborn(settings: Any) -> list[Exception]:
    settings.EMAIL_BACKEND = f"{__name__}.Stubborn"
    Stubborn.trouble.clear()
    return Stubborn.trouble


def test_a_letter_is_stored_and_sent_and_history_tells_of_it(
    engine: Any, office: Any, world: Any
) -> None:
    case = office.open(applicant_name="Zoë d’Exemple-Ñandú")
    engine.settle()
    letter = Letter.objects.filter(case_id=case.pk).earliest("pk")
    assert letter.text.startswith("Dear Zoë d’Exemple-Ñandú,\n")
    assert f"Your reference: {case.reference}" in letter.text
    assert letter.sent_at is not None
    (first, *_) = mail.outbox
    assert (first.to, first.subject) == (["zoe@applicant.example"], letter.subject)
    assert first.extra_headers["Message-ID"] == f"<letter.{letter.key}@localhost>"
    told = [e.data["result"] for e in events_of(case.pk) if e.type == "activity.completed"]
    page = CustomerPage.objects.get(case_id=case.pk)  # the first letter gives its address
    said = {"letter": letter.pk, "subject": letter.subject, "to": letter.to_name}
    said["fingerprint"] = fingerprint_of(letter.subject, letter.text)
    assert told[0] == {**said, "page": page.pk}


def test_names_are_text_and_never_markup_or_headers(engine: Any, office: Any, world: Any) -> None:
    case = office.open(applicant_name="<b>O’Hara & Söhne</b> {{ case.pk }}")
    engine.settle()
    assert "Dear <b>O’Hara & Söhne</b> {{ case.pk }}," in Letter.objects.earliest("pk").text
    assert get_case(case.pk).step == "awaiting_documents"


def test_mail_trouble_is_tried_again_with_the_same_letter(
    engine: Any, office: Any, world: Any, stubborn: list[Exception]
) -> None:
    # Given a mail server that is down, and then refuses the address for now
    stubborn += [
        ConnectionRefusedError("nobody there"),
        smtplib.SMTPRecipientsRefused({"zoe@applicant.example": (450, b"try later")}),
    ]
    case = office.open()

    # When some minutes pass
    engine.settle()
    letter = Letter.objects.get(case_id=case.pk)
    assert letter.sent_at is None
    engine.advance(minutes=5)

    # Then the one letter is sent
    assert Letter.objects.filter(case_id=case.pk, template=letter.template).count() == 1
    assert Letter.objects.get(pk=letter.pk).sent_at is not None
    assert get_case(case.pk).step == "awaiting_documents"


def test_an_address_that_is_refused_for_good_stops_no_case(
    engine: Any, office: Any, world: Any, stubborn: list[Exception]
) -> None:
    stubborn.append(smtplib.SMTPRecipientsRefused({"z": (550, b"no such user")}))
    case = office.open()
    engine.settle()
    assert get_case(case.pk).step == "awaiting_documents"
    told = [e.data["result"] for e in events_of(case.pk) if e.type == "activity.completed"]
    assert "550 no such user" in told[0]["not_mailed"]


def test_without_an_address_letters_are_kept_to_be_posted(
    engine: Any, office: Any, world: Any
) -> None:
    case = office.open(email="")
    engine.settle()
    assert mail.outbox == []
    assert Letter.objects.filter(case_id=case.pk, sent_at=None).count() == 2
    assert get_case(case.pk).step == "awaiting_documents"


def test_a_worker_that_died_after_sending_sends_the_same_message_again(
    engine: Any, office: Any, world: Any
) -> None:
    # Given a letter that was sent, though nobody noted it
    case = office.open()
    engine.settle()
    letter = Letter.objects.filter(case_id=case.pk).earliest("pk")
    Letter.objects.filter(pk=letter.pk).update(sent_at=None)

    # When the activity runs again
    again = letters.write(key=letter.key, case_id=case.pk, template=letter.template, more={})
    letters.send(again)

    # Then it is the same letter under the same Message-ID
    assert again.pk == letter.pk
    ids = [one.extra_headers["Message-ID"] for one in mail.outbox]
    assert ids.count(ids[0]) == 2


def test_no_template_is_missing_or_unused() -> None:
    import re
    from pathlib import Path

    import processes.loan
    from processes.kinds import kind_of

    folder = Path(processes.loan.__file__).parent
    used = set(re.findall(r'letter\(\s*"(\w+)"', (folder / "steps.py").read_text()))
    used |= {Path(path).stem for path in kind_of("loan").rejection_letters.values()}
    used.add(Path(kind_of("loan").reopened_letter).stem)
    there = {path.stem for path in (folder / "templates/loan/letters").glob("[a-z]*.txt")}
    assert used == there
