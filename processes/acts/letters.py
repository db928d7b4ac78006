"""Letters that people write: on a case, sent, tried again, posted; and the templates for them."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.translation import gettext as _

from cases import access, dates
from cases.actors import Actor
from cases.errors import Invalid, Refused
from cases.models import Letter, LetterTemplate, TemplateVersion
from processes import lettertexts
from processes.acts.locking import acting_on
from processes.engine import performing
from processes.engine.run import Run
from processes.engine.turn import Turn
from processes.letters import Correspondent, mail_letter, party_of
from processes.models import Activity
from timers import clock

TEXT_CHARACTERS = 20_000


class LetterGone(Refused):
    """The letter is on its way already."""


def write_letter(
    *,
    case_id: int,
    to: Correspondent,
    subject: str,
    text: str,
    actor: Actor,
    version: TemplateVersion | None = None,
) -> Letter:
    """Keep a letter with the case, open or closed, and have it mailed; without an e-mail address
    the post room gets it. Raises Invalid, NotAllowed."""
    subject, text = checked(to, subject, text)
    with acting_on(case_id, actor=actor, closed=True) as (turn, run):
        access.require(actor, "work on case", run.case)
        key = f"written.{case_id}.{run.head_number + 1}"
        turn.record(
            run,
            "letter.written",
            {"key": key, "subject": subject, "to": to.name, "text": text},
            actor=actor.code,
            on_behalf=actor.on_behalf,
        )
        letter = Letter.objects.create(
            case_id=case_id,
            key=key,
            template=version.template.name if version else "",
            party=party_of(run.case, to),
            version=version,
            to_name=to.name,
            to_email=to.email,
            subject=subject,
            text=text,
            written_at=turn.now,
            written_by=actor.code,
            state="due" if to.email else "to_post",
        )
        if to.email:
            performing.schedule_aside(turn, run, mail_letter, {"letter": key})
        turn.project(run)
    return letter


def checked(to: Correspondent, subject: str, text: str) -> tuple[str, str]:
    """Subject and text as they are kept. Raises Invalid naming the field."""
    subject, text = " ".join(subject.split()), text.replace("\r\n", "\n").strip() + "\n"
    for name, value, most in (
        ("to_name", to.name, 200),
        ("subject", subject, 200),
        ("text", text, TEXT_CHARACTERS),
    ):
        if not value.strip() or "\0" in value:
            raise Invalid(_("A letter has a name, a subject and a text."), {name: _("Write it.")})
        if len(value) > most:
            said = _("At most %(n)s characters.") % {"n": most}
            raise Invalid(said, {name: said})
    if to.email:
        check_email(to.email)
    return subject, text


def check_email(address: str) -> None:
    try:
        validate_email(address)
    except ValidationError as error:
        said = _("“%(address)s” is no e-mail address.") % {"address": address}
        raise Invalid(said, {"to_email": said}) from error


def try_again(*, letter_id: int, to_email: str, actor: Actor) -> Letter:
    """Send a letter that did not go out, now, also to another address. Raises LetterGone."""
    case_id = Letter.objects.values_list("case_id", flat=True).get(pk=letter_id)
    check_email(to_email)
    if case_id is None:
        return _try_without_case(letter_id, to_email, actor)
    with acting_on(case_id, actor=actor, closed=True) as (turn, run):
        access.require(actor, "work on case", run.case)
        letter = _not_gone(letter_id)
        letter.to_email, letter.state = to_email, "due"
        letter.save(update_fields=["to_email", "state"])
        _record(turn, run, "letter.tried_again", letter, actor)
        waiting = _waiting(letter)
        if waiting is None:
            performing.schedule_aside(turn, run, mail_letter, {"letter": letter.key})
        else:
            waiting.due_at = turn.now
            waiting.save(update_fields=["due_at"])
            performing.call_workers([waiting])
        turn.project(run)
    return letter


def _waiting(letter: Letter) -> Activity | None:
    """The activity that is to send this letter, if it was not given up."""
    rows = Activity.objects.select_for_update().filter(case_id=letter.case_id, state="due")
    for row in rows.filter(worker_id=None):
        own = f"{row.case_id}.{row.visit}.{row.command}" == letter.key
        if own or row.arguments.get("letter") == letter.key:
            return row
    return None


def _not_gone(letter_id: int) -> Letter:
    letter = Letter.objects.select_for_update(of=("self",)).get(pk=letter_id)
    if letter.sent_at is not None:
        how = (
            _("It was posted on %(day)s.")
            if letter.state == "posted"
            else _("It was mailed on %(day)s.")
        )
        raise LetterGone(how % {"day": dates.day(letter.sent_at)})
    return letter


def _record(turn: Turn, run: Run, type: str, letter: Letter, actor: Actor) -> None:
    told: dict[str, Any] = {"key": letter.key, "subject": letter.subject, "to": letter.to_name}
    turn.record(run, type, told, actor=actor.code, on_behalf=actor.on_behalf)


@transaction.atomic
def _try_without_case(letter_id: int, to_email: str, actor: Actor) -> Letter:
    access.require(actor, "link message")
    letter = _not_gone(letter_id)
    letter.to_email, letter.state, letter.tries, letter.tried_at = to_email, "due", 0, None
    letter.save(update_fields=["to_email", "state", "tries", "tried_at"])
    return letter


def mark_posted(*, letter_id: int, actor: Actor) -> Letter:
    """Somebody put a letter into the post. Raises LetterGone, NotAllowed."""
    case_id = Letter.objects.values_list("case_id", flat=True).get(pk=letter_id)
    access.require(actor, "post letters")
    if case_id is None:
        with transaction.atomic():
            return _posted(_not_gone(letter_id), actor)
    with acting_on(case_id, actor=actor, closed=True) as (turn, run):
        access.require(actor, "work on case", run.case)
        letter = _posted(_not_gone(letter_id), actor)
        _record(turn, run, "letter.posted", letter, actor)
        turn.project(run)
    return letter


def _posted(letter: Letter, actor: Actor) -> Letter:
    letter.state, letter.sent_at, letter.sent_by = "posted", clock.now(), actor.code
    letter.save(update_fields=["state", "sent_at", "sent_by"])
    return letter


@transaction.atomic
def save_template(
    *,
    kind: str,
    language: str,
    title: str,
    subject: str,
    text: str,
    actor: Actor,
    template: LetterTemplate | None = None,
) -> TemplateVersion:
    """A new template, or a new version of one; letters keep the version that they were written
    from. Raises Invalid for fields that do not exist, NotAllowed."""
    access.require(actor, "change letters")
    lettertexts.check(kind=kind, subject=subject, text=text)
    if template is None:
        name = lettertexts.name_of(title)
        template, is_new = LetterTemplate.objects.get_or_create(
            name=name, kind=kind, language=language, defaults={"title": title}
        )
        if not is_new:
            said = _("There is a letter “%(title)s” in this language; change that one.") % {
                "title": template.title
            }
            raise Invalid(said, {"title": said})
    else:
        template = LetterTemplate.objects.select_for_update().get(pk=template.pk)
        template.title, template.is_active = title, True
        template.save(update_fields=["title", "is_active"])
    last = lettertexts.newest_version(template)
    if last is not None and (last.subject, last.text) == (subject, text):
        return last
    return TemplateVersion.objects.create(
        template=template,
        version=(last.version if last else 0) + 1,
        subject=subject,
        text=text,
        written_at=clock.now(),
        written_by=actor.person,
    )


@transaction.atomic
def retire_template(*, template_id: int, actor: Actor) -> LetterTemplate:
    """Offer a template no longer. What was written from it stays."""
    access.require(actor, "change letters")
    template = LetterTemplate.objects.select_for_update().get(pk=template_id)
    template.is_active = False
    template.save(update_fields=["is_active"])
    return template
