"""The bytes of documents: their names made harmless, kept by digest, looked at, read back."""

from __future__ import annotations

import hashlib
import logging
import re
import tempfile
import unicodedata
from typing import NamedTuple

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import connection
from django.utils.translation import gettext as _

from cases import dates
from cases.errors import Invalid, Refused
from cases.models import Case, Document, Notice
from processes.sniffing import Look, look_at
from timers import clock

_ENDING_ALONE = re.compile(r"\s*\.+\s*([A-Za-z0-9]{1,10})\s*\Z")  # such as “.pdf”
_RESERVED = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
log = logging.getLogger("longcase.documents")


def clean_filename(name: str) -> str:
    """A file name that no system trips over: no folders, no control characters or turns of the
    writing direction, at most 200 characters with its extension kept. Never empty."""
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


_BYTES = 0x6C63  # of our advisory locks: bytes in storage


def lock_bytes(digest: str, *, alone: bool = False) -> None:
    """Until the end of this transaction nobody deletes these bytes; `alone`, nobody stores them."""
    how = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {how}(%s, hashtext(%s))", [_BYTES, digest])


def keep_bytes(file: File[bytes], digest: str) -> None:
    """Within the transaction that names them: bytes that were stored are there, also if a case
    that had the same was erased meanwhile."""
    lock_bytes(digest)
    if not default_storage.exists(path_of(digest)):
        file.seek(0)
        default_storage.save(path_of(digest), file)


class Stored(NamedTuple):
    """Bytes that are in storage, and what was found of them."""

    digest: str
    size: int
    look: Look


def store(file: File[bytes], filename: str) -> Stored:
    """Store the bytes by digest, in pieces. Raises Invalid for what is too large, empty, or of a
    type that is never taken; nothing is stored then."""
    most = settings.LONGCASE_UPLOAD_BYTES
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
        look = look_at(copy, filename)
        copy.seek(0)
        path = path_of(digest.hexdigest())
        if not default_storage.exists(path):
            default_storage.save(path, File(copy))
    return Stored(digest.hexdigest(), size, look)


class DocumentDamaged(Refused):
    """The stored bytes are gone, or are not those that came in."""


class DocumentErased(Refused):
    """The case was erased, and its documents with it."""

    status = 410


def open_document(document: Document) -> File[bytes]:
    """The bytes as they came in. Raises DocumentErased, and DocumentDamaged when they are missing
    or were altered; the operators are told."""
    if document.case.erased_at is not None:
        raise DocumentErased(
            _("This document was erased on %(day)s, with its case. Its record stays.")
            % {"day": dates.day(document.case.erased_at)}
        )
    try:
        stored = default_storage.open(path_of(document.digest))
    except OSError as error:
        log.error("document_missing", extra={"document": document.pk})
        _tell_lost(document)
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
        _tell_lost(document)
        raise DocumentDamaged(
            f"The stored bytes of {document} are not those that came in: their digest differs. "
            "Operators can restore them from a backup."
        )
    stored.seek(0)
    if document.lost_at is not None:
        Document.objects.filter(digest=document.digest).update(lost_at=None)
    return stored


def _tell_lost(document: Document) -> None:
    """Mark every document of these bytes, and tell the operators once of each."""
    now = clock.now()
    lost = Document.objects.filter(digest=document.digest, lost_at=None)
    found = list(lost.select_related("case"))
    if not lost.update(lost_at=now):
        return
    Notice.objects.bulk_create(
        Notice(
            case_id=one.case_id,
            role="operator",
            kind="file",
            text=_("A file of %(case)s is missing or altered: document %(number)s, %(digest)s.")
            % {"case": one.case.reference, "number": one.pk, "digest": one.digest[:16]},
            written_at=now,
        )
        for one in found
    )


def look_for_lost(documents: list[Document]) -> None:
    """Mark those of these whose bytes are not there. Only where asking costs nothing, on a disk;
    `manage.py checkfiles` reads every file, wherever it lies. Of an erased case it is not asked."""
    if not isinstance(default_storage, FileSystemStorage):
        return
    for one in documents:
        if one.lost_at is None and not default_storage.exists(path_of(one.digest)):
            _tell_lost(one)
            one.lost_at = clock.now()


def check_files(case: Case | None = None) -> list[Document]:
    """Read the bytes of every document, or of those of a case; those that are not as they came in.
    Operators learn of new ones, and what was restored counts as whole again."""
    rows = Document.objects.filter(case__erased_at=None)
    rows = rows if case is None else rows.filter(case=case)
    damaged, known = [], {}
    for one in rows.select_related("case").order_by("digest", "pk").iterator(chunk_size=500):
        if one.digest not in known:
            try:
                open_document(one).close()
                known = {one.digest: True}
            except DocumentDamaged:
                known = {one.digest: False}
        if not known[one.digest]:
            damaged.append(one)
    return damaged
