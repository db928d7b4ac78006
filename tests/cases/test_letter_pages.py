"""Letters by staff: from a template, looked at, sent, tried again, posted; who may do what."""

from __future__ import annotations

import smtplib
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend

from audit.read import events_of
from cases.errors import Invalid
from cases.models import Case, Letter, LetterTemplate, TemplateVersion
from processes import inventedcase, letters, lettertexts
from processes.engine.verify import differences_of
from processes.kinds import kinds
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


class Stubborn(EmailBackend):
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


@pytest.fixture
def admin(desk: Any) -> Any:
    group, _ = Group.objects.get_or_create(name="administrator")
    desk.people.petra.groups.add(group)
    desk.people.petra.__dict__.pop("_roles", None)
    return desk.people.petra


def send(desk: Any, visit: Any, case: Case, email: str, text: str = "Dear all") -> Letter:
    address = f"{case.get_absolute_url()}letters/new/"
    page = visit(desk.people.sanne).open(address)
    given = {"to_name": "Hartog", "to_email": email, "subject": "Your case", "text": text}
    seen = page.send(address, do="preview", **given)
    assert "As it will be read" in seen and not Letter.objects.filter(text=text + "\n").exists()
    seen.send(address, do="send", **given)
    return Letter.objects.get(text=text + "\n")


def test_a_letter_for_the_rest_is_looked_at_and_then_sent(desk: Any, visit: Any) -> None:
    # Given a case of which one paper of two came in
    case = desk.open("patience")
    desk.send_document(case, "passport")
    visitor = visit(desk.people.sanne)
    page = visitor.open(f"{case.get_absolute_url()}documents/")
    assert "Write a letter for the rest" in page

    # When its caseworker takes the template, looks at it and sends it
    address = f"{case.get_absolute_url()}letters/new/"
    page = visitor.open(f"{address}?template=missing_papers")
    assert "- Payslip" in page and "- Passport" in page
    given = {"to_name": "Hartog", "to_email": "h@example.org", "subject": "Still needed"}
    text = "Dear Hartog,\r\n- Payslip"
    page = page.send(address, do="preview", text=text, **given)
    assert "By mail to Hartog" in page and mail.outbox == []
    page.send(address, do="send", text=text, **given)
    desk.engine.settle()

    # Then it went out, and history says who wrote it and for whom it was mailed
    letter = Letter.objects.get(subject="Still needed")
    assert (letter.state, letter.text) == ("sent", "Dear Hartog,\n- Payslip\n")
    assert mail.outbox[-1].to == ["h@example.org"]
    sanne = f"person:{desk.people.sanne.pk}"
    events = {one.type: one for one in events_of(case.pk)}
    assert events["letter.written"].actor == sanne
    done = events["activity.completed"]
    assert (done.actor, done.on_behalf) == ("engine", sanne)
    history = visitor.open(f"{case.get_absolute_url()}history/")
    assert "Letter: Still needed" in history and "Letter mailed: Still needed" in history
    assert list(differences_of(desk.fresh(case))) == []


def test_one_that_is_refused_says_why_and_is_sent_to_another_address(
    desk: Any, visit: Any, stubborn: list[Exception]
) -> None:
    case = desk.open("patience")
    refusal = smtplib.SMTPRecipientsRefused({"x@example.org": (550, b"no such user")})
    stubborn.append(refusal)
    letter = send(desk, visit, case, "x@example.org")
    desk.engine.settle()
    visitor = visit(desk.people.sanne)
    page = visitor.open(letter.get_absolute_url())
    assert "Not deliverable" in page and "550 no such user" in page
    assert letter.subject in visitor.open("/letters/?state=undelivered")
    page.send(letter.get_absolute_url(), to_email="right@example.org")
    desk.engine.settle()
    letter.refresh_from_db()
    assert letter.state == "sent" and mail.outbox[-1].to == ["right@example.org"]
    again = visitor.open(letter.get_absolute_url())
    assert "Send it again now" not in again


def test_trouble_with_the_mail_is_told_and_may_be_hurried(
    desk: Any, visit: Any, stubborn: list[Exception]
) -> None:
    case = desk.open("patience")
    stubborn.append(ConnectionRefusedError("nobody there"))
    letter = send(desk, visit, case, "h@example.org")
    desk.engine.settle()
    page = visit(desk.people.sanne).open(letter.get_absolute_url())
    assert "Tried once" in page and "nobody there" in page and "tries again by itself" in page
    page.send(letter.get_absolute_url(), to_email="h@example.org")
    desk.engine.settle()
    assert Letter.objects.get(pk=letter.pk).state == "sent" and len(mail.outbox) == 1


def test_without_an_address_the_post_room_posts_it(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    letter = send(desk, visit, case, "")
    page = visit(desk.people.petra).open("/letters/")
    assert letter.subject in page and "To be posted" in page
    assert "Choose the letters" in page.send("/letters/")
    assert "1 letter is marked as posted." in page.send("/letters/", letters=[letter.pk])
    letter.refresh_from_db()
    assert (letter.state, letter.sent_by) == ("posted", f"person:{desk.people.petra.pk}")
    assert [one.type for one in events_of(case.pk)][-1] == "letter.posted"
    assert "Petra Smit" in visit(desk.people.sanne).open(letter.get_absolute_url())


def test_a_closed_case_still_gets_letters(desk: Any, visit: Any) -> None:
    from cases.actors import Actor
    from processes.acts.cases import move_case

    case = desk.open("patience")
    sanne = Actor.of(desk.people.sanne)
    move_case(case_id=case.pk, name="withdraw", data={"reason": "x"}, actor=sanne)
    letter = send(desk, visit, desk.fresh(case), "h@example.org")
    desk.engine.settle()
    assert Letter.objects.get(pk=letter.pk).state == "sent"
    assert list(differences_of(desk.fresh(case))) == []


def test_outsiders_and_auditors(desk: Any, visit: Any, admin: Any) -> None:
    case = desk.open("patience")
    letter = send(desk, visit, case, "")
    write = f"{case.get_absolute_url()}letters/new/"
    assert visit(desk.people.eve).open(letter.get_absolute_url()).status == 404
    assert visit(desk.people.eve).open(write).status == 404
    assert letter.subject not in visit(desk.people.eve).open("/letters/")
    assert visit(desk.people.ada).open(letter.get_absolute_url()).status == 200
    assert visit(desk.people.ada).open(write).status == 403
    assert visit(desk.people.ada).open("/letters/").status == 403
    for path in ("", "new/"):
        assert visit(desk.people.sanne).open(f"/letters/templates/{path}").status == 403
        assert visit(admin).open(f"/letters/templates/{path}").status == 200


def test_a_template_is_checked_tried_and_kept_in_versions(
    desk: Any, visit: Any, admin: Any
) -> None:
    case = desk.open("patience", amount=1234)
    visitor, address = visit(admin), "/letters/templates/new/"
    given = {"title": "Thanks", "kind": "trial", "language": "en", "subject": "For {{ reference }}"}
    page = visitor.open(address)
    wrong = page.send(address, text="{{ case.owner.password }}", case="", do="save", **given)
    assert wrong.status == 422 and "There is no field “case.owner.password”" in wrong
    text = "Dear {{ name }}, {{ fact.amount }} {% now 'Y' %}"
    seen = wrong.send(address, text=text, case=case.reference, do="preview", **given)
    assert f"For {case.reference}" in seen and "1,234.00 {% now &#x27;Y&#x27; %}" in seen.html
    invented = seen.send(address, text=text, case="", do="preview", **given)
    assert "With an invented case" in invented and "Dear Zoë Example, 1,234.50" in invented
    saved = seen.send(address, text=text, case="", do="save", **given)
    assert "Version 1" in saved
    template = LetterTemplate.objects.get()
    here = template.get_absolute_url()
    saved.send(here, title="Thanks", subject="Again", text="Dear {{ name }}", do="save", case="")
    assert [one.version for one in TemplateVersion.objects.order_by("version")] == [1, 2]
    choose = f"{case.get_absolute_url()}letters/new/"
    assert "Thanks" in visit(desk.people.sanne).open(choose)
    visitor.open(f"{here}retire/").send(f"{here}retire/")
    assert "Thanks" not in visit(desk.people.sanne).open(choose)


def test_an_invented_case_has_words_for_the_fields_of_every_kind() -> None:
    for name in kinds():
        known = lettertexts.known_fields(name)
        text = "\n".join(f"{{{{ {one} }}}}" for one in known)
        chosen = lettertexts.Choice("", "t", "en", "To {{ name }}", text)
        filled = inventedcase.fill(kind=name, chosen=chosen)
        assert filled.subject == "To Zoë Example"
        assert len(filled.empty) < len(known) / 3, (name, filled.empty)


def test_words_of_a_case_are_never_fields() -> None:
    filled = lettertexts.fill(
        subject="{{ name }}", text="{{ title }}", fields={"name": "{{ title }}", "title": "{{ x }}"}
    )
    assert (filled.subject, filled.text) == ("{{ title }}", "{{ x }}\n")
    for text in ("{{ name", "name }}", "{{ {{ name }} }}", "{{ fact.amount }}"):
        with pytest.raises(Invalid):
            lettertexts.check(kind="", subject="a", text=text)


def test_an_answer_without_a_case_is_sent_by_the_clock(stubborn: list[Exception], db: Any) -> None:
    letter = Letter.objects.create(
        key="answer.1",
        to_name="X",
        to_email="x@example.org",
        subject="S",
        text="T",
        written_at=clock.now(),
    )
    stubborn.append(ConnectionRefusedError("nobody there"))
    assert letters.send_without_case() == 0
    letter.refresh_from_db()
    assert letter.state == "due" and "nobody there" in letter.why_not
    Letter.objects.update(tried_at=None)
    assert letters.send_without_case() == 1 and letters.send_without_case() == 0
    assert len(mail.outbox) == 1
