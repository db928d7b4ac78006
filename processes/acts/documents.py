"""Acts on documents: receive, judge, ask for."""

from __future__ import annotations

import hashlib
import logging
import mimetypes
import re
import tempfile
import unicodedata
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage

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

UPLOAD_BYTES = 25 * 1024 * 1024  # unless settings.LONGCASE_UPLOAD_BYTES says otherwise
_ENDING_ALONE = re.compile(r"\s*\.+\s*([A-Za-z0-9]{1,10})\s*\Z")  # such as “.pdf”
log = logging.getLogger("longcase.documents")
_RESERVED = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


def clean_filename(name: str) -> str:
    """A file name that no system trips over: no folders, no control characters, at most 200
    characters with its extension kept. Never empty."""
    name = unicodedata.normalize("NFC", name)
    name = re.split(r"[\\/]", re.sub(r"%2[fF]|%5[cC]", "/", name))[-1]
    name = "".join("_" if unicodedata.category(c)[0] == "C" else c for c in name)
    name = re.sub(r'[<>:"|?*;]', "_", name)
    if (alone := _ENDING_ALONE.match(name)) is not None:
        name = f"document.{alone[1]}"
    name = name.strip(" .") or "document"
    if _RESERVED.match(name):
        name = f"_{name}"
    stem, dot, ending = name.rpartition(".")
    if dot and len(ending) <= 10:
        return f"{stem[: 199 - len(ending)] or 'document'}.{ending}"
    return name[:200]


def path_of(digest: str) -> str:
    """Where in storage the bytes with this digest lie."""
    return f"documents/{digest[:2]}/{digest}"


def receive_document(*, case_id: int, name: str, file: File[bytes], actor: Actor) -> Document:
    """Keep a new version of a document with the case. Raises Invalid, CaseClosed.

    The bytes are stored under their digest before the commit; without it they are only unused.
    """
    filename = clean_filename(file.name or "document")
    digest, size = _store(file, filename)
    with acting_on(case_id, actor=actor) as (turn, run):
        access.require(actor, "note case", run.case)
        last = (
            Document.objects.filter(case_id=case_id, name=name)
            .order_by("-version")
            .values_list("version", "digest", "state")
            .first()
        )
        if last is not None and last[1] == digest and last[2] == "received":
            return Document.objects.get(case_id=case_id, name=name, version=last[0])
        document = Document.objects.create(
            case_id=case_id,
            name=name,
            version=(last[0] if last else 0) + 1,
            filename=filename,
            media_type=mimetypes.guess_type(filename)[0] or "application/octet-stream",
            size=size,
            digest=digest,
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
                "digest": digest,
                "size": size,
            },
            actor=actor.code,
            on_behalf=actor.on_behalf,
        )
    return document


def _store(file: File[bytes], filename: str) -> tuple[str, int]:
    """Store the bytes by digest, in pieces; returns the digest and the number of bytes."""
    most = getattr(settings, "LONGCASE_UPLOAD_BYTES", UPLOAD_BYTES)
    digest, size = hashlib.sha256(), 0
    with tempfile.TemporaryFile() as copy:
        for piece in file.chunks():
            size += len(piece)
            if size > most:
                raise Invalid(
                    f"“{filename}” is larger than {most // 1024 // 1024} MB, the most one document "
                    "may have.",
                    {"file": f"At most {most // 1024 // 1024} MB."},
                )
            digest.update(piece)
            copy.write(piece)
        if not size:
            raise Invalid(
                f"“{filename}” is empty: 0 bytes came in.", {"file": "The file is empty."}
            )
        copy.seek(0)
        path = path_of(digest.hexdigest())
        if not default_storage.exists(path):
            default_storage.save(path, File(copy))
    return digest.hexdigest(), size


class DocumentDamaged(Refused):
    """The stored bytes are gone, or are not those that came in."""


def open_document(document: Document) -> File[bytes]:
    """The bytes as they came in. Raises DocumentDamaged when they are missing or were altered."""
    try:
        stored = default_storage.open(path_of(document.digest))
    except OSError as error:
        log.error("document_missing", extra={"document": document.pk})
        raise DocumentDamaged(
            f"The bytes of {document} are missing from storage. Its record is intact; operators "
            "can restore them from a backup by their digest."
        ) from error
    digest = hashlib.sha256()
    for piece in stored.chunks():
        digest.update(piece)
    if digest.hexdigest() != document.digest:
        stored.close()
        log.error("document_altered", extra={"document": document.pk})
        raise DocumentDamaged(
            f"The stored bytes of {document} are not those that came in: their digest differs. "
            "Operators can restore them from a backup."
        )
    stored.seek(0)
    return stored


def judge_document(*, document_id: int, accept: bool, reason: str, actor: Actor) -> Document:
    """Accept a document, or reject it with the reason the sender will read.

    Raises Invalid, TaskNotOpen (a newer version came in, or it was judged), NotAllowed.
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
            },
            actor=actor.code,
            on_behalf=actor.on_behalf,
        )
        if not accept:
            _tell_sender(turn, run, document)
    return document


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
