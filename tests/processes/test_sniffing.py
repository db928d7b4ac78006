"""What a file is, by its content. Whatever is sent in ends in a clear answer."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from cases import remarks
from cases.errors import Invalid
from processes.sniffing import look_at
from tests.conftest import RECORDED_DATA

CORPUS = RECORDED_DATA / "documents"
FILES = sorted(one for one in CORPUS.rglob("*.*") if one.name != "manifest.csv")
TAKEN_AS = {
    "hello_world.pdf": [],
    "lorem-ipsum.pdf": [],
    "lorem-ipsum.docx": [],
    "lorem-ipsum.im.jpg": [],
    "minimal_test.pdf": [remarks.DAMAGED],
    "encryption_openpassword.pdf": [remarks.LOCKED],
    "fileAttachment.pdf": [remarks.SCRIPT, remarks.ATTACHMENTS],
    "javascript.pdf": [remarks.SCRIPT],
    "lorem-ipsum.zip": [remarks.ARCHIVE],
}
REFUSED = {"lorem-ipsum.htm", "lorem-ipsum.mht"}


@pytest.mark.skipif(not FILES, reason=f"the documents are not here ({CORPUS})")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[:60])
def test_each_odd_file_is_taken_with_a_remark_or_refused_with_a_way_out(path: Path) -> None:
    if path.name in REFUSED:
        with pytest.raises(Invalid, match=r"Print it to a PDF"):
            look_at(io.BytesIO(path.read_bytes()), path.name)
        return
    look = look_at(io.BytesIO(path.read_bytes()), path.name)
    assert all(remarks.sentences([one])[0].endswith(".") for one in look.remarks)
    if path.name in TAKEN_AS:
        assert look.remarks == TAKEN_AS[path.name]
    if look.media_type == "application/pdf" and remarks.LOCKED not in look.remarks:
        assert look.pages or remarks.DAMAGED in look.remarks


@pytest.mark.parametrize(
    ("name", "content", "media_type", "found"),
    [
        ("pay.pdf", b"%PDF-1.4 nothing more", "application/pdf", [remarks.DAMAGED]),
        ("pay.pdf", b"not a pdf", "application/octet-stream", [remarks.OTHER_CONTENT]),
        ("pay.png", b"%PDF-1.4", "application/pdf", [remarks.OTHER_CONTENT, remarks.DAMAGED]),
        ("a.png", b"\x89PNG\r\n\x1a\n" + b"x" * 40, "image/png", [remarks.DAMAGED]),
        ("note.txt", b"a", "text/plain", []),
        ("note.txt", b"a\0b", "application/octet-stream", [remarks.OTHER_CONTENT]),
        ("without ending", b"\x01\x02", "application/octet-stream", []),
    ],
)
def test_content_counts_and_not_the_name(
    name: str, content: bytes, media_type: str, found: list[str]
) -> None:
    look = look_at(io.BytesIO(content), name)
    assert (look.media_type, look.remarks) == (media_type, found)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.svg", b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
        ("x.png", b"<svg onload=alert(1)>"),
        ("x.pdf", b"\n <!DOCTYPE html><script>fetch('/api/v1/cases')</script>"),
        ("x.txt", "<html><script>1</script>".encode("utf-16")),
        ("x.xml", b'<?xml version="1.0"?><?xml-stylesheet href="x.xsl"?><a/>'),
        ("x.html", b"hello"),
        ("x.mht", b"MIME-Version: 1.0\nContent-Type: multipart/related\n\n"),
        ("invoice.pdf", b"MZ\x90\0\x03"),
        ("invoice.pdf.exe", b"hello"),
        ("run.txt", b"#!/bin/sh\nrm -rf /"),
        ("x.pdf", b"\x7fELF\x02\x01"),
    ],
)
def test_programs_and_pages_with_script_are_refused(name: str, content: bytes) -> None:
    with pytest.raises(Invalid, match=r"picture") as refusal:
        look_at(io.BytesIO(content), name)
    assert "file" in refusal.value.fields


def test_a_picture_larger_than_any_memory_is_not_opened() -> None:
    small = io.BytesIO()
    Image.new("1", (1, 1)).save(small, "PNG")
    content = bytearray(small.getvalue())
    content[16:24] = (60_000).to_bytes(4, "big") * 2  # the header says what the data does not hold
    assert remarks.LARGE_PICTURE in look_at(io.BytesIO(bytes(content)), "x.png").remarks or (
        remarks.DAMAGED in look_at(io.BytesIO(bytes(content)), "x.png").remarks
    )
