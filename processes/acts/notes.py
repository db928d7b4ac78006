"""Notes on a case: added, corrected by another note, with the people they name told of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models.functions import Lower
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cases import access, dates
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed, Refused
from cases.models import Case, Note, Notice, Person
from processes.acts.locking import acting_on
from timers import clock

NOTE_CHARACTERS = 20_000
MOST_TOLD = 20  # people of one note
_MENTION = re.compile(r"(?<![\w@.])@([\w.+-]{1,150})")


class NoteStruck(Refused):
    """The note was corrected before."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """Whom a note names: those who are told, those who may not see the case, and no one's names."""

    told: list[Person] = field(default_factory=list)
    not_told: list[Person] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def sentences(self) -> list[str]:
        """What the writer should know of it."""
        said = []
        if self.told:
            people = {"people": ", ".join(map(str, self.told))}
            n = len(self.told)
            said.append(ngettext("%(people)s is told.", "%(people)s are told.", n) % people)
        if self.not_told:
            people = {"people": ", ".join(map(str, self.not_told))}
            said.append(_("Not told, for they may not see this case: %(people)s.") % people)
        if self.unknown:
            names = {"names": ", ".join(f"@{name}" for name in self.unknown)}
            said.append(_("Nobody here has the name %(names)s.") % names)
        return said


def mentions_in(text: str, *, case: Case, also: Iterable[Person] = (), writer: Person) -> Mentions:
    """Whom a text names by @username, and who else is to be told."""
    names = list(dict.fromkeys(one.rstrip(".-+").lower() for one in _MENTION.findall(text)))
    names = [one for one in names if one][:MOST_TOLD]
    people = Person.objects.annotate(lower=Lower("username")).filter(is_active=True)
    by_name = {one.lower: one for one in people.filter(lower__in=names)} if names else {}
    named = {one.pk: one for one in [*also, *by_name.values()] if one.pk != writer.pk}
    told: list[Person] = []
    not_told: list[Person] = []
    for one in list(named.values())[:MOST_TOLD]:
        (told if access.can_see(one, case) else not_told).append(one)
    return Mentions(told, not_told, [name for name in names if name not in by_name])


def add_note(
    *,
    case_id: int,
    text: str,
    actor: Actor,
    also: Iterable[Person] = (),
    strikes: Note | None = None,
) -> tuple[Note, Mentions]:
    """Keep a remark with the case, open or closed, and tell the people it names. A note never
    changes: one that `strikes` another corrects it, and both stay readable.

    Raises Invalid, NotAllowed, NoteStruck.
    """
    text = text.replace("\r\n", "\n").strip()
    if not text or "\0" in text:
        raise Invalid("Write the note first.", {"text": "The note is empty."})
    if len(text) > NOTE_CHARACTERS:
        raise Invalid("A note has at most 20,000 characters.", {"text": "Too long."})
    writer = actor.person
    if writer is None:
        raise NotAllowed("Only a person writes notes.")
    with acting_on(case_id, actor=actor, closed=True) as (turn, run):
        access.require(actor, "note case", run.case)
        if strikes is not None:
            _require_strikable(strikes, case_id, actor)
        found = mentions_in(text, case=run.case, also=also, writer=writer)
        data: dict[str, object] = {"text": text}
        if strikes is not None:
            data["strikes"] = strikes.number
        if found.told:
            data["told"] = [f"person:{one.pk}" for one in found.told]
        event = turn.record(run, "note.added", data, actor=actor.code, on_behalf=actor.on_behalf)
        turn.project(run)
        note = Note.objects.create(
            case_id=case_id,
            number=event.number,
            author=writer,
            text=text,
            written_at=turn.now,
            strikes=strikes,
        )
        _tell(found.told, run.case, writer)
    return note, found


def may_strike(person: Person, note: Note) -> bool:
    """Whether this person may correct a note: their own, or one of a case whose supervisor they
    are."""
    if not access.may(person, "note case", note.case):
        return False
    return note.author_id == person.pk or (
        access.SUPERVISOR in person.roles and access.may(person, "work on case", note.case)
    )


def _require_strikable(note: Note, case_id: int, actor: Actor) -> None:
    if note.case_id != case_id:
        raise Invalid(_("This note is of another case."))
    if actor.person is None or not may_strike(actor.person, note):
        raise NotAllowed(_("Only its writer or a supervisor corrects a note."))
    earlier = Note.objects.select_related("author").filter(strikes=note).first()
    if earlier is not None:
        told = {"who": earlier.author, "day": dates.moment(earlier.written_at)}
        raise NoteStruck(_("%(who)s corrected this note on %(day)s; correct that one.") % told)


def _tell(people: list[Person], case: Case, writer: Person) -> None:
    def said(one: Person) -> str:
        told = {"who": writer, "case": case.reference}
        with translation.override(one.reads_in):
            return _("%(who)s names you in a note on %(case)s.") % told

    Notice.objects.bulk_create(
        Notice(
            case_id=case.pk,
            person=one,
            kind="mention",
            text=said(one)[:300],
            written_at=clock.now(),
        )
        for one in people
    )
