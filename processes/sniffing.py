"""What a file is, by its content: the name only says what its sender thinks.

Nothing here trusts a file. Whatever is wrong with one ends in a remark for those who judge it, or
in a refusal that says what would work; never in an error of ours.
"""

from __future__ import annotations

import logging
import mimetypes
import re
from dataclasses import dataclass, field
from typing import IO, Any

import filetype
from django.conf import settings
from django.utils.translation import gettext as _

from cases import remarks
from cases.errors import Invalid

log = logging.getLogger("longcase.documents")
logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it would tell of every damaged file

PICTURES = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/gif": "GIF",
    "image/webp": "WEBP",
    "image/tiff": "TIFF",
    "image/bmp": "BMP",
}
MOST_PIXELS = 100_000_000  # of a picture that is looked into or shown
HEAD_BYTES = 8192
PDF_HEAD_BYTES = 1024  # readers accept a header that begins within so many

_PROGRAMS = {
    "application/x-msdownload",
    "application/x-executable",
    "application/x-mach-binary",
    "application/vnd.android.package-archive",
    "application/java-archive",
    "application/x-shockwave-flash",
    "application/x-nintendo-nes-rom",
    "application/wasm",
}
_MARKUP = re.compile(
    rb"<\s*(?:!doctype\s+html|html|svg|script|\?xml-stylesheet|iframe|body|object|embed)\b", re.I
)
_XML = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<\?xml\b")
_MAIL_ARCHIVE = re.compile(rb"^content-type:\s*(?:multipart/related|text/html)", re.I | re.M)
_ARCHIVES = {
    "application/zip",
    "application/x-7z-compressed",
    "application/vnd.rar",
    "application/x-rar-compressed",
    "application/gzip",
    "application/x-tar",
    "application/x-bzip2",
    "application/x-xz",
}


@dataclass(slots=True)
class Look:
    """What was found of a file."""

    media_type: str
    remarks: list[str] = field(default_factory=list)
    pages: int | None = None

    def remark(self, word: str) -> None:
        if word not in self.remarks:
            self.remarks.append(word)


def look_at(file: IO[bytes], filename: str) -> Look:
    """What a file is and what is odd about it. Raises Invalid for what is never taken: programs,
    and pages or drawings that can carry script."""
    file.seek(0)
    head = file.read(HEAD_BYTES)
    said = mimetypes.guess_type(filename)[0] or ""
    found = _by_content(head)
    _refuse(filename, head, found)
    look = Look(found or said or "application/octet-stream")
    if found == "" and not _fits_text(said, head):
        look = Look("application/octet-stream", [remarks.OTHER_CONTENT] if said else [])
    elif found and said and not _same(said, found):
        look.remark(remarks.OTHER_CONTENT)
    if look.media_type == "application/pdf":
        _look_into_pdf(file, look)
    elif look.media_type in PICTURES:
        _look_into_picture(file, look)
    elif look.media_type in _ARCHIVES:
        look.remark(remarks.ARCHIVE)
    file.seek(0)
    return look


def _by_content(head: bytes) -> str:
    if b"%PDF-" in head[:PDF_HEAD_BYTES]:
        return "application/pdf"
    kind = filetype.guess(head)
    return str(kind.mime) if kind is not None else ""


def _refuse(filename: str, head: bytes, found: str) -> None:
    ending = filename.rpartition(".")[2].lower()
    is_program = found in _PROGRAMS or head[:2] in (b"MZ", b"#!") or head[:4] == b"\x7fELF"
    if is_program or (ending in settings.LONGCASE_REFUSED_ENDINGS and not _is_markup_name(ending)):
        sentence = _(
            "“%(file)s” is a program, and programs are never taken. Hand in what it shows as a "
            "PDF or a picture."
        )
    elif _is_markup(ending, head, found):
        sentence = _(
            "“%(file)s” is a page or drawing that can carry script, so it is not taken. Print it "
            "to a PDF, or hand in a picture of it."
        )
    else:
        return
    said = sentence % {"file": filename}
    raise Invalid(said, {"file": said})


def _is_markup_name(ending: str) -> bool:
    return ending in {"htm", "html", "xhtml", "svg", "svgz", "mht", "mhtml", "xml", "xsl", "xslt"}


def _is_markup(ending: str, head: bytes, found: str) -> bool:
    if found and found not in ("application/xml", "text/html", "image/svg+xml"):
        return False  # a picture or a paper by its content, whatever it is called
    if _is_markup_name(ending) and ending in settings.LONGCASE_REFUSED_ENDINGS:
        return True
    text = _without_nulls(head)
    if _MARKUP.search(text) is not None or _XML.match(text) is not None:
        return True
    return ending in ("mht", "mhtml", "eml") and _MAIL_ARCHIVE.search(text) is not None


def _without_nulls(head: bytes) -> bytes:
    """The same text, were it written in UTF-16: browsers read that too."""
    return head.replace(b"\0", b"") if b"\0" in head[:64] else head


def _fits_text(said: str, head: bytes) -> bool:
    """Whether a file without a known content may be what its name says: text has no mark."""
    if said.startswith(("text/", "message/")) or said in ("application/json", "application/rtf"):
        return b"\0" not in head
    return not _has_a_mark(said)


def _has_a_mark(said: str) -> bool:
    return (
        said in PICTURES
        or said
        in (
            "application/pdf",
            "application/zip",
            "application/msword",
            "application/vnd.ms-excel",
        )
        or said.startswith(
            ("application/vnd.openxmlformats", "application/vnd.oasis", "audio/", "video/")
        )
    )


_ALIKE = (
    {"application/rtf", "text/rtf"},
    {"application/zip", "application/x-zip-compressed"},
    {"application/gzip", "application/x-gzip"},
    {"application/vnd.rar", "application/x-rar-compressed"},
    {"image/bmp", "image/x-ms-bmp"},
)


def _same(said: str, found: str) -> bool:
    if said == found or any({said, found} <= one for one in _ALIKE):
        return True
    # The families of office files share one outer form each; what is inside is theirs.
    is_package = said.startswith(("application/vnd.openxmlformats", "application/vnd.oasis"))
    old = ("application/msword", "application/vnd.ms-")
    return (is_package and found == "application/zip") or (
        said.startswith(old) and found.startswith(old)
    )


def _look_into_pdf(file: IO[bytes], look: Look) -> None:
    from pypdf import PdfReader  # here, for workers that see no upload need not carry it

    file.seek(0)
    try:
        reader = PdfReader(file, strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            look.remark(remarks.LOCKED)
            return
        look.pages = len(reader.pages)
        if not look.pages:
            look.remark(remarks.DAMAGED)
        _look_for_active(reader, look)
        if look.pages:
            reader.pages[0].mediabox  # noqa: B018  (raises where the page has no form)
    except Exception as error:  # whatever a hostile file makes the library raise
        log.info("document_damaged", extra={"error": type(error).__name__})
        look.pages = look.pages or None
        look.remark(remarks.DAMAGED)


def _look_for_active(reader: Any, look: Look) -> None:
    root: Any = reader.trailer["/Root"]
    names = root.get("/Names") or {}
    names = names.get_object() if hasattr(names, "get_object") else names
    action = root.get("/OpenAction")
    action = action.get_object() if hasattr(action, "get_object") else action
    runs = isinstance(action, dict) and action.get("/S") == "/JavaScript"
    if runs or "/JavaScript" in names or "/AA" in root:
        look.remark(remarks.SCRIPT)
    if "/EmbeddedFiles" in names or "/AF" in root:
        look.remark(remarks.ATTACHMENTS)


def _look_into_picture(file: IO[bytes], look: Look) -> None:
    from PIL import Image

    file.seek(0)
    try:
        with Image.open(file, formats=[PICTURES[look.media_type]]) as picture:
            width, height = picture.size
            if width * height > MOST_PIXELS:
                look.remark(remarks.LARGE_PICTURE)
                return
            picture.verify()
    except Image.DecompressionBombError:
        look.remark(remarks.LARGE_PICTURE)
    except Exception as error:  # whatever a hostile file makes the library raise
        log.info("document_damaged", extra={"error": type(error).__name__})
        look.remark(remarks.DAMAGED)
