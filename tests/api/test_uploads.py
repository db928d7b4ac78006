"""Documents in parts: whatever breaks in between, what came counts, and the document comes once."""

from __future__ import annotations

import base64
import hashlib
import socket
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile

from audit.models import Event
from cases.models import Document, Upload, UploadPart
from processes.acts import uploads as acts
from timers import clock

TUS = {"Tus-Resumable": "1.0.0"}
MEDIA_TYPE = "application/offset+octet-stream"
PAPER = b"%PDF-1.4 " + bytes(range(256)) * 400


def b64(text: str | bytes) -> str:
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def begin(
    calls: Any, case: Any, *, size: int = len(PAPER), filename: str = "é.pdf", **more: Any
) -> Any:
    said = f"name {b64('payslip')},filename {b64(filename)}"
    headers = {**TUS, "Upload-Length": str(size), "Upload-Metadata": said}
    reference = getattr(case, "reference", case)
    return calls.post(f"cases/{reference}/uploads", **{**headers, **more})


def part(calls: Any, path: str, offset: int, content: bytes, **headers: str) -> Any:
    headers = {
        **TUS,
        "Upload-Offset": str(offset),
        "Authorization": f"Bearer {calls.token}",
        **headers,
    }
    media_type = headers.pop("content_type", MEDIA_TYPE)
    headers["Content-Type"] = media_type  # also without a byte
    return calls.browser.patch(path, content, content_type=media_type, headers=headers)


def where(calls: Any, path: str) -> Any:
    return calls("HEAD", path, **TUS)


@pytest.fixture
def portal(program: Any, people: Any) -> Any:
    return program("documents:trial", "read:trial", team=people.sanne.team)


@pytest.fixture
def case(desk: Any) -> Any:
    return desk.open("patience")


def test_a_paper_in_parts_is_the_same_as_one_sent_whole(portal: Any, case: Any) -> None:
    # Given an upload that was begun, twice under one key
    begun = begin(portal, case, key="one")
    assert begun.status_code == 201 and begun["Tus-Resumable"] == "1.0.0"
    path = begun["Location"]
    assert begin(portal, case, key="one")["Location"] == path
    assert begin(portal, case, key="one", size=5).status_code == 409  # another call

    # When it comes in three parts, and between them one asks where it stands
    for start, end in ((0, 1000), (1000, 60_000), (60_000, len(PAPER))):
        asked = where(portal, path)
        assert (asked.status_code, asked["Upload-Offset"]) == (200, str(start))
        assert asked["Cache-Control"] == "no-store" and asked["Upload-Expires"].endswith("GMT")
        sent = part(portal, path, start, PAPER[start:end])
        assert (sent.status_code, sent["Upload-Offset"]) == (204, str(end)), sent.content

    # Then the document is there, looked at and recorded as any other, and its parts are gone
    document = Document.objects.get()
    told = portal.get(path).json()
    assert (told["document"], told["offset"], told["name"]) == (document.pk, len(PAPER), "payslip")
    assert (document.filename, document.media_type) == ("é.pdf", "application/pdf")
    assert document.digest == hashlib.sha256(PAPER).hexdigest()
    event = Event.objects.get(type="document.received")
    assert event.actor == f"service:{portal.client.name}"
    assert not UploadPart.objects.exists()
    assert not default_storage.exists(f"uploads/{Upload.objects.get().key}/0")

    # And sent whole, or finished twice, it is the same version
    file = SimpleUploadedFile("a.pdf", PAPER)
    sent = portal.post(f"cases/{case.reference}/documents", files={"name": "payslip", "file": file})
    assert sent.json()["id"] == document.pk
    assert part(portal, path, len(PAPER), b"").status_code == 204
    assert Event.objects.filter(type="document.received").count() == 1


def test_a_part_counts_only_where_it_begins_and_as_it_was_sent(portal: Any, case: Any) -> None:
    path = begin(portal, case)["Location"]
    assert part(portal, path, 0, PAPER[:100]).status_code == 204
    again = part(portal, path, 0, PAPER[:100])
    assert (again.status_code, again.json()["type"]) == (409, "/api/v1/problems/other-offset")
    good = f"sha1 {b64(hashlib.sha1(PAPER[100:200]).digest())}"
    wrong = part(portal, path, 100, PAPER[101:201], **{"Upload-Checksum": good})
    assert (wrong.status_code, wrong.json()["status"]) == (460, 460)
    assert where(portal, path)["Upload-Offset"] == "100"
    assert part(portal, path, 100, PAPER[100:200], **{"Upload-Checksum": good}).status_code == 204
    assert part(portal, path, 200, PAPER + b"more").status_code == 422
    assert part(portal, path, 200, b"x", content_type="text/plain").status_code == 415
    assert part(portal, path, 200, b"x", **{"Upload-Checksum": "md5 eA=="}).status_code == 400
    assert part(portal, path, 200, b"x", **{"Tus-Resumable": "0.2"}).status_code == 412
    assert where(portal, path)["Upload-Offset"] == "200"
    options = portal.browser.options(path, headers={"Authorization": f"Bearer {portal.token}"})
    assert options.status_code == 204 and options["Tus-Extension"].startswith("creation")


def test_what_would_be_refused_whole_is_refused_in_parts(
    portal: Any, case: Any, settings: Any
) -> None:
    program_file = b"MZ" + b"\0" * 3000
    path = begin(portal, case, size=len(program_file), filename="a.exe")["Location"]
    assert part(portal, path, 0, program_file[:1000]).status_code == 204
    assert part(portal, path, 1000, program_file[1000:]).status_code == 422
    assert where(portal, path)["Upload-Offset"] == "1000" and not Document.objects.exists()
    settings.LONGCASE_UPLOAD_BYTES = 5000
    assert begin(portal, case, size=5001).status_code == 422
    assert begin(portal, case, size=0).status_code == 422
    assert begin(portal, case, **{"Upload-Length": "x"}).status_code == 400
    assert begin(portal, case, **{"Upload-Metadata": "filename eA=="}).status_code == 400


def test_an_upload_is_its_callers_alone_and_only_while_they_may(
    portal: Any, case: Any, program: Any, people: Any, calls_of: Any, nobody: Any
) -> None:
    path = begin(portal, case)["Location"]
    others = (
        program("documents:trial", team=people.sanne.team),
        calls_of(people.sanne),
        calls_of(people.eve),
    )
    for other in others:
        assert where(other, path).status_code == 404
        assert part(other, path, 0, b"x").status_code == 404
        assert other("DELETE", path, **TUS).status_code == 404
    assert where(nobody, path).status_code == 401
    reader = program("read:trial", team=people.sanne.team)
    assert begin(reader, case).status_code == where(reader, path).status_code == 403
    for other in (program("documents:trial", team=people.eve.team), calls_of(people.eve)):
        assert begin(other, case).status_code == 404
    assert begin(calls_of(people.ada), case).status_code == 403  # an auditor
    portal.client.team = people.eve.team
    portal.client.save()
    assert part(portal, path, 0, b"x").status_code == 404
    assert Upload.objects.get().offset == 0


def test_what_is_left_is_dropped_and_what_is_ended_too(portal: Any, case: Any) -> None:
    paths = [begin(portal, case)["Location"] for _ in range(2)]
    for path in paths:
        part(portal, path, 0, PAPER[:10])
    stored = list(UploadPart.objects.values_list("path", flat=True))
    assert all(default_storage.exists(one) for one in stored)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(acts.transaction, "on_commit", lambda act: act())
        assert portal("DELETE", paths[0], **TUS).status_code == 204
        assert where(portal, paths[0]).status_code == 404
        assert acts.forget_old() == 0
        Upload.objects.update(ends_at=clock.now() - timedelta(seconds=1))
        assert part(portal, paths[1], 10, b"x").status_code == 410
        assert acts.forget_old() == 1
    assert not any(default_storage.exists(one) for one in stored)
    assert not Upload.objects.exists() and not Document.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_what_came_before_the_line_broke_counts(
    live_server: Any, portal: Any, case: Any, engine: Any
) -> None:
    path = begin(portal, case)["Location"]
    address = urlsplit(live_server.url)
    lines = [
        f"PATCH {path} HTTP/1.1",
        f"Host: {address.netloc}",
        f"Authorization: Bearer {portal.token}",
        "Tus-Resumable: 1.0.0",
        "Upload-Offset: 0",
        f"Content-Type: {MEDIA_TYPE}",
        f"Content-Length: {len(PAPER)}",
        "Connection: close",
    ]
    with socket.create_connection((address.hostname, address.port)) as line:
        line.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + PAPER[:5000])
        line.shutdown(socket.SHUT_WR)
        line.recv(1000)
    kept = int(where(portal, path)["Upload-Offset"])
    assert kept == 5000
    assert part(portal, path, kept, PAPER[kept:]).status_code == 204
    assert Document.objects.get().digest == hashlib.sha256(PAPER).hexdigest()
