"""Pictures of documents for reading on the page: drawn anew from the file, so that nothing a file
carries but its looks reaches a browser. Kept in storage by digest; they can be made again."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from threading import BoundedSemaphore

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _

from cases import remarks
from cases.errors import Refused
from cases.models import Document
from processes.sniffing import PICTURES
from processes.storing import open_document

CHILD = Path(__file__).with_name("preview_child.py")
SECONDS = 20  # until the child is stopped
MOST_PAGES = 20  # shown of one document; the rest is in the download
_at_once = BoundedSemaphore(2)  # children of one server
log = logging.getLogger("longcase.documents")


class NoPreview(Refused):
    """The file cannot be drawn; it can still be downloaded."""

    status = 422


def page_count(document: Document) -> int:
    """How many pages of a document can be shown; none for what is only downloaded."""
    if {remarks.DAMAGED, remarks.LOCKED, remarks.LARGE_PICTURE} & set(document.remarks):
        return 0
    if document.media_type in PICTURES:
        return 1
    if document.media_type == "application/pdf":
        return min(document.pages or 1, MOST_PAGES)
    return 0


def preview_path(digest: str, number: int) -> str:
    """Where in storage the picture of a page lies."""
    return f"previews/{digest[:2]}/{digest}.{number}.png"


def picture_of(document: Document, number: int) -> bytes:
    """One page of a document as PNG. Raises NoPreview, DocumentDamaged."""
    if document.case.erased_at is not None or not 1 <= number <= page_count(document):
        raise NoPreview(_("This page of the document cannot be shown. Download the file instead."))
    path = preview_path(document.digest, number)
    if default_storage.exists(path):
        with default_storage.open(path) as kept:
            return bytes(kept.read())
    with open_document(document) as file:
        content = bytes(file.read())
    drawn = _draw(document, content, number)
    default_storage.save(path, ContentFile(drawn))
    if Document.objects.filter(pk=document.pk, case__erased_at__isnull=False).exists():
        default_storage.delete(path)  # it was erased while it was drawn
    return drawn


def _draw(document: Document, content: bytes, number: int) -> bytes:
    what = PICTURES.get(document.media_type, document.media_type)
    refusal = _("This page cannot be drawn: the file is damaged. Download it to read what is left.")
    with _at_once:
        try:
            done = subprocess.run(
                [sys.executable, "-I", str(CHILD), what, str(number)],
                input=content,
                capture_output=True,
                timeout=SECONDS,
                env={},
            )
        except subprocess.TimeoutExpired as error:
            log.info("preview_timeout", extra={"document": document.pk})
            raise NoPreview(refusal) from error
    if done.returncode or not done.stdout.startswith(b"\x89PNG"):
        log.info("preview_failed", extra={"document": document.pk, "code": done.returncode})
        raise NoPreview(refusal)
    return done.stdout
