"""Acts on documents: receive, judge, ask for."""

from __future__ import annotations

from datetime import date
from typing import Any, NamedTuple

from django.conf import settings
from django.core.files.base import File
from django.utils.translation import gettext as _

from cases import access, dates
from cases.actors import Actor
from cases.errors import Invalid, Refused, TaskNotOpen
from cases.models import Document, Requirement
from cases.words import plain
from processes.acts.locking import acting_on
from processes.engine import performing
from processes.engine.run import Run
from processes.engine.turn import Turn
from processes.letters import send_letter
from processes.storing import (
    DocumentDamaged,
    clean_filename,
    keep_bytes,
    open_document,
    path_of,
    store,
)
from processes.validity import last_day, today

__all__ = ["DocumentDamaged", "clean_filename", "open_document", "path_of"]  # used with the acts

OTHER = "other"  # what nobody asked for


def receive_document(*, case_id: int, name: str, file: File[bytes], actor: Actor) -> Document:
    """Keep a new version of a document with the case. Raises Invalid, CaseClosed.

    The bytes are stored under their digest before the commit; without it they are only unused.
    """
    filename = clean_filename(file.name or "document")
    stored = store(file, filename)
    with acting_on(case_id, actor=actor) as (turn, run):
        access.require(actor, "note case", run.case)
        last = (
            Document.objects.filter(case_id=case_id, name=name)
            .order_by("-version")
            .values_list("version", "digest", "state")
            .first()
        )
        if last is not None and last[1] == stored.digest and last[2] == "received":
            return Document.objects.get(case_id=case_id, name=name, version=last[0])
        keep_bytes(file, stored.digest)
        document = Document.objects.create(
            case_id=case_id,
            name=name,
            version=(last[0] if last else 0) + 1,
            filename=filename,
            media_type=stored.look.media_type,
            remarks=stored.look.remarks,
            pages=stored.look.pages,
            size=stored.size,
            digest=stored.digest,
            received_at=turn.now,
            received_from=actor.code,
        )
        Requirement.objects.filter(case_id=case_id, name=name).update(state="received", reason="")
        turn.feed(
            run,
            "document.received",
            {
                "name": name,
                "version": document.version,
                "filename": filename,
                "digest": stored.digest,
                "size": stored.size,
                "media_type": stored.look.media_type,
                **({"remarks": stored.look.remarks} if stored.look.remarks else {}),
            },
            actor=actor.code,
            on_behalf=actor.on_behalf,
        )
    return document


class Receipt(NamedTuple):
    """What became of one file of several."""

    filename: str
    document: Document | None
    why_not: str = ""


def receive_several(
    *, case_id: int, files: list[tuple[str, File[bytes]]], actor: Actor
) -> list[Receipt]:
    """Keep several files, each as (name, file), in a commit of its own: one that is refused does
    not keep the others out. Raises Invalid for none and for too many."""
    most = settings.LONGCASE_UPLOAD_FILES
    if not files:
        raise Invalid(_("Choose at least one file."))
    if len(files) > most:
        raise Invalid(
            _("These are %(n)s files; at most %(most)s are taken at once. Send the rest after.")
            % {"n": len(files), "most": most}
        )
    receipts = []
    for name, file in files:
        filename = clean_filename(file.name or "document")
        if name == OTHER:
            name = name_for_other(case_id)
        try:
            found = receive_document(case_id=case_id, name=name, file=file, actor=actor)
            receipts.append(Receipt(filename, found))
        except Refused as refusal:
            receipts.append(Receipt(filename, None, str(refusal)))
    return receipts


def name_for_other(case_id: int) -> str:
    """A name of its own for a paper that nobody asked for, so that it replaces no other one."""
    taken = set(
        Document.objects.filter(case_id=case_id, name__startswith=OTHER).values_list(
            "name", flat=True
        )
    )
    if OTHER not in taken:
        return OTHER
    return next(name for n in range(2, 100_000) if (name := f"{OTHER}_{n}") not in taken)


def judge_document(
    *, document_id: int, accept: bool, reason: str, actor: Actor, dated: date | None = None
) -> Document:
    """Accept a document, or reject it with the reason the sender will read. `dated` is the day
    written on it: papers of some names count for a while from then.

    Raises Invalid (also for one that no longer counts), TaskNotOpen (a newer version came in, or
    it was judged), NotAllowed.
    """
    case_id = Document.objects.filter(pk=document_id).values_list("case_id", flat=True).first()
    if case_id is None:
        raise Invalid("There is no such document.")
    if not accept and not reason.strip():
        raise Invalid("Say why it is rejected; the sender reads it.", {"reason": "Needed."})
    with acting_on(case_id, actor=actor) as (turn, run):
        document = Document.objects.select_related("case").get(pk=document_id)
        access.require(actor, "judge document", document)
        newest = Document.objects.filter(case_id=case_id, name=document.name).latest("version")
        if newest.pk != document.pk:
            raise TaskNotOpen(
                f"Version {newest.version} of “{newest.filename}” came in meanwhile; judge that."
            )
        if document.state != "received":
            raise TaskNotOpen(
                f"{document} was {document.state} on {dates.day(document.judged_at)}."
            )
        document.state = "accepted" if accept else "rejected"
        if accept:
            _note_validity(turn, run, document, dated)
        document.reason = reason.strip()
        document.judged_at, document.judged_by = turn.now, actor.code
        document.save()
        Requirement.objects.filter(case_id=case_id, name=document.name).update(
            state=document.state, reason=document.reason
        )
        turn.feed(
            run,
            f"document.{document.state}",
            {
                "name": document.name,
                "version": document.version,
                "digest": document.digest,
                "reason": document.reason,
                **_told_validity(document),
            },
            actor=actor.code,
            on_behalf=actor.on_behalf,
        )
        if not accept:
            _tell_sender(turn, run, document)
    return document


def _note_validity(turn: Turn, run: Run, document: Document, dated: date | None) -> None:
    """Until when a paper counts that is accepted now. Without a date on it, the day on which it
    came in is its date."""
    now = today(turn.now)
    if dated is not None and dated > now:
        said = _("The date on the document lies in the future: %(day)s.")
        raise _wrong_date(said % {"day": dates.day(dated)})
    document.dated_date = dated
    rule = run.kind.validity.get(document.name)
    if rule is None:
        return
    document.dated_date = dated or today(document.received_at)
    document.valid_until_date = last_day(rule, document.dated_date)
    if document.valid_until_date < now:
        said = _(
            "It is of %(dated)s and counted until %(until)s. Reject it, and ask for a newer one."
        )
        days = {"dated": document.dated_date, "until": document.valid_until_date}
        raise _wrong_date(said % {name: dates.day(day) for name, day in days.items()})


def _wrong_date(sentence: str) -> Invalid:
    return Invalid(sentence, {"dated": sentence})


def _told_validity(document: Document) -> dict[str, Any]:
    told = {"dated": document.dated_date, "valid_until": document.valid_until_date}
    return {name: day for name, day in told.items() if day is not None}


def _tell_sender(turn: Turn, run: Run, document: Document) -> None:
    """A rejected paper is asked for at once, with the reason, if the kind has a letter for it."""
    wanted = Requirement.objects.filter(case_id=run.case_id, name=document.name).first()
    party = wanted.asked_of if wanted is not None else "applicant"
    template = run.kind.rejection_letters.get(party)
    if template is None or run.is_closed:
        return
    title = run.kind.document_titles.get(document.name)
    title = wanted.title if wanted is not None else str(title or plain(document.name))
    performing.schedule_aside(
        turn,
        run,
        send_letter,
        {"template": template, "paper": title, "reason": document.reason},
    )
    turn.project(run)


def ask_documents(*, case_id: int, names: dict[str, Any], reason: str, actor: Actor) -> None:
    """Ask for further documents beside what the step asks for: name → title."""
    if not names:
        raise Invalid("Name at least one document to ask for.", {"names": "Needed."})
    with acting_on(case_id, actor=actor) as (turn, run):
        access.require(actor, "work on case", run.case)
        for name, title in names.items():
            requirement, is_new = Requirement.objects.get_or_create(
                case_id=case_id,
                name=name,
                defaults={"title": title, "asked_at": turn.now, "reason": reason},
            )
            if not is_new:
                requirement.state, requirement.is_open = "asked", True
                requirement.asked_at, requirement.reason = turn.now, reason
                requirement.save()
            turn.feed(
                run,
                "document.asked",
                {"name": name, "title": str(title), "reason": reason},
                actor=actor.code,
                on_behalf=actor.on_behalf,
            )
