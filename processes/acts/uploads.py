"""Documents that come in parts: begun, continued from where they stand, and received when whole.

Parts lie in storage, so that each may come to another server. The last one makes the document in
the commit that counts it: whoever is told that all bytes are there has the document too.
"""

from __future__ import annotations

import logging
import tempfile
import uuid
from datetime import timedelta
from typing import IO

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext as _

from cases import access
from cases.actors import Actor
from cases.errors import CaseClosed, Invalid, Refused
from cases.models import Case, Upload, UploadPart
from processes.acts.cases import get_case
from processes.acts.documents import receive_document
from processes.storing import clean_filename
from timers import clock

PARTS = 1000  # of one upload
OPEN = 100  # uploads of one caller at a time
DROPPED_AT_ONCE = 200
log = logging.getLogger("longcase.documents")


class OtherOffset(Refused):
    """A part that does not begin where the bytes that are kept end."""


class UploadGone(Refused):
    """The upload was left for too long, and dropped."""

    status = 410


def begin_upload(*, case_id: int, name: str, filename: str, size: int, actor: Actor) -> Upload:
    """Begin a document that will come in parts. Raises Invalid, CaseClosed, NotAllowed."""
    case = get_case(case_id)
    access.require(actor, "note case", case)
    if not case.is_open:
        raise CaseClosed(_("%(case)s is closed; it takes no documents.") % {"case": case})
    most = settings.LONGCASE_UPLOAD_BYTES
    if not 0 < size <= most:
        raise Invalid(
            _("A document has 1 to %(most)s bytes.") % {"most": most},
            {"Upload-Length": _("From 1 to %(most)s.") % {"most": most}},
        )
    now = clock.now()
    if Upload.objects.filter(caller=actor.code, document=None, ends_at__gt=now).count() >= OPEN:
        raise Invalid(
            _("%(n)s uploads of yours are not done. Go on with those, or end them.") % {"n": OPEN}
        )
    return Upload.objects.create(
        key=uuid.uuid4(),
        case_id=case_id,
        caller=actor.code,
        name=name,
        filename=clean_filename(filename or "document"),
        size=size,
        made_at=now,
        ends_at=now + _kept(),
    )


def require_offset(upload: Upload, offset: int) -> None:
    """Raise OtherOffset unless the next part begins there, UploadGone when it is too late."""
    if upload.ends_at < clock.now():
        raise UploadGone(
            _("“%(file)s” was left for too long. Begin it anew.") % {"file": upload.filename}
        )
    if offset != upload.offset:
        raise OtherOffset(
            _("%(n)s bytes of “%(file)s” are kept; go on from there.")
            % {"n": upload.offset, "file": upload.filename}
        )


def add_part(*, upload: Upload, offset: int, part: IO[bytes], actor: Actor) -> Upload:
    """Keep a part; the last one makes the document. Raises OtherOffset, UploadGone, and what
    `receive_document` raises: then the part does not count, and may come once more."""
    length = part.seek(0, 2)
    if offset + length > upload.size:
        raise Invalid(
            _("The part goes beyond the %(size)s bytes that were announced.")
            % {"size": upload.size}
        )
    is_last = offset + length == upload.size
    path = ""
    try:
        with transaction.atomic():
            if is_last:  # a case is locked before its rows
                Case.objects.select_for_update(of=("self",)).only("id").get(pk=upload.case_id)
            held = Upload.objects.select_for_update().get(pk=upload.pk)
            if held.document_id is not None and offset == held.size and not length:
                return held  # done before
            require_offset(held, offset)
            if is_last:
                _receive(held, part, actor)
            elif length:
                if held.parts.count() >= PARTS:
                    raise Invalid(
                        _("An upload has at most %(most)s parts. Begin anew with larger ones.")
                        % {"most": PARTS}
                    )
                part.seek(0)
                path = default_storage.save(f"uploads/{held.key}/{offset}", File(part))
                UploadPart.objects.create(upload=held, start=offset, path=path)
            held.offset = offset + length
            held.ends_at = clock.now() + _kept()
            held.save(update_fields=["offset", "ends_at", "document"])
    except BaseException:
        if path:
            _delete([path])
        raise
    return held


def _receive(upload: Upload, last: IO[bytes], actor: Actor) -> None:
    with tempfile.TemporaryFile() as whole:
        paths = list(upload.parts.order_by("start").values_list("path", flat=True))
        for path in paths:
            with default_storage.open(path) as stored:
                for piece in stored.chunks():
                    whole.write(piece)
        last.seek(0)
        for piece in File(last).chunks():
            whole.write(piece)
        whole.seek(0)
        file = File(whole, name=upload.filename)
        upload.document = receive_document(
            case_id=upload.case_id, name=upload.name, file=file, actor=actor
        )
    upload.parts.all().delete()
    transaction.on_commit(lambda: _delete(paths))


def end_upload(upload: Upload) -> None:
    """Drop what came so far. The document, where it was made, stays."""
    with transaction.atomic():
        held = Upload.objects.select_for_update().filter(pk=upload.pk).first()
        if held is None:
            return
        paths = list(held.parts.values_list("path", flat=True))
        held.delete()
        transaction.on_commit(lambda: _delete(paths))


def forget_old() -> int:
    """A sweep: drop uploads that nobody went on with."""
    old = list(Upload.objects.filter(ends_at__lt=clock.now()).order_by("ends_at")[:DROPPED_AT_ONCE])
    for upload in old:
        end_upload(upload)
    return len(old)


def _delete(paths: list[str]) -> None:
    for path in paths:
        try:
            default_storage.delete(path)
        except OSError as error:
            log.warning("part_not_deleted", extra={"path": path, "error": type(error).__name__})


def _kept() -> timedelta:
    return timedelta(hours=settings.LONGCASE_UPLOAD_HOURS)
