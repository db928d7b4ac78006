"""Documents over the API: handed in, listed by version, downloaded, judged."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile

from cases.models import Document
from processes.acts.cases import get_case
from processes.acts.documents import path_of


@pytest.fixture
def portal(program: Any, people: Any) -> Any:
    return program("read:*", "documents:*", "judge:*", team=people.sanne.team, name="portal")


def hand_in(portal: Any, case: Any, text: bytes, filename: str = "pay.pdf", **more: Any) -> Any:
    file = SimpleUploadedFile(filename, text)
    name = more.pop("name", "payslip")
    return portal.post(
        f"cases/{case.reference}/documents", files={"name": name, "file": file, **more}
    )


def test_a_document_is_handed_in_and_read_back(portal: Any, desk: Any) -> None:
    case = desk.open("patience")
    response = hand_in(portal, case, b"%PDF one")
    assert response.status_code == 201, response.content
    told = response.json()
    assert (told["name"], told["version"], told["received_from"]) == (
        "payslip",
        1,
        "service:portal",
    )
    assert portal.get(response["Location"]).json() == told
    file = portal.get(f"{response['Location']}/file")
    assert b"".join(file.streaming_content) == b"%PDF one"
    assert file["Content-Type"] == "application/octet-stream"
    assert 'attachment; filename="pay.pdf"' in file["Content-Disposition"]
    # The same bytes are the same version, other bytes the next one
    assert hand_in(portal, case, b"%PDF one").json()["id"] == told["id"]
    assert hand_in(portal, case, b"%PDF two").json()["version"] == 2
    listed = portal.get(f"cases/{case.reference}/documents?name=payslip").json()["results"]
    assert [one["version"] for one in listed] == [1, 2]


def test_papers_are_accepted_and_rejected_and_the_case_goes_on(portal: Any, desk: Any) -> None:
    case = desk.open("patience")
    first = hand_in(portal, case, b"one").json()
    assert portal.post(f"documents/{first['id']}/reject").status_code == 422
    second = hand_in(portal, case, b"two").json()
    older = portal.post(f"documents/{first['id']}/accept")
    assert older.status_code == 409 and "came in meanwhile" in older.json()["detail"]
    done = portal.post(f"documents/{second['id']}/accept")
    assert done.status_code == 200 and done.json()["state"] == "accepted"
    passport = hand_in(portal, case, b"pass", name="passport").json()
    portal.post(f"documents/{passport['id']}/reject", {"reason": "It cannot be read."})
    assert Document.objects.get(pk=passport["id"]).reason == "It cannot be read."
    assert get_case(case.pk).is_open is not None


@pytest.mark.parametrize(
    ("filename", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("con.pdf", "_con.pdf"),
        ('a"b\r\nSet-Cookie: x.pdf', None),
        ("лицо 😀.pdf", "лицо 😀.pdf"),
    ],
)
def test_file_names_trip_nobody(portal: Any, desk: Any, filename: str, kept: str | None) -> None:
    case = desk.open("patience")
    response = hand_in(portal, case, b"x", filename)
    assert response.status_code == 201, response.content
    assert "/" not in response.json()["filename"]
    if kept:
        assert response.json()["filename"] == kept
    file = portal.get(f"{response['Location']}/file")
    assert "Set-Cookie" not in file.headers and file.status_code == 200


def test_what_is_no_document_is_refused(portal: Any, desk: Any, settings: Any) -> None:
    case = desk.open("patience")
    assert hand_in(portal, case, b"").status_code == 422
    assert hand_in(portal, case, b"x", name="pay\0slip").status_code == 422
    assert hand_in(portal, case, b"x", name="Pay slip").status_code == 422
    assert hand_in(portal, case, b"x", extra="1").status_code == 422
    settings.LONGCASE_UPLOAD_BYTES = 2048
    large = hand_in(portal, case, b"x" * 4096)
    assert large.status_code == 422 and large.json()["errors"][0]["pointer"] == "#/file"
    address = f"cases/{case.reference}/documents"
    assert portal.post(address, {"name": "payslip"}).status_code == 415
    assert not Document.objects.exists()


def test_a_lost_file_is_told_and_not_made_up(portal: Any, desk: Any) -> None:
    case = desk.open("patience")
    told = hand_in(portal, case, b"going").json()
    default_storage.delete(path_of(told["sha256"]))
    lost = portal.get(f"documents/{told['id']}/file")
    assert lost.status_code == 409
    assert lost.json()["type"] == "/api/v1/problems/document-damaged"


def test_a_closed_case_takes_no_document(portal: Any, desk: Any) -> None:
    case = desk.open("patience")
    from cases.actors import Actor
    from processes.acts.cases import move_case

    move_case(
        case_id=case.pk,
        name="withdraw",
        data={"reason": "x"},
        actor=Actor.of(desk.people.sanne),
    )
    response = hand_in(portal, case, b"late")
    assert response.status_code == 409
    assert response.json()["case"]["outcome"] == "withdrawn"


def test_content_counts_and_not_the_name(portal: Any, desk: Any) -> None:
    case = desk.open("patience")
    # An empty file and a page with script are refused; one byte of text is kept
    empty = hand_in(portal, case, b"", "pay.pdf")
    assert empty.status_code == 422 and "empty" in empty.json()["detail"]
    for name, content in (
        ("x.svg", b"<svg onload='fetch(1)'/>"),
        ("x.pdf", b"<!doctype html><script>1</script>"),
        ("x.pdf", b"MZ\x90"),
    ):
        refused = hand_in(portal, case, content, name)
        assert refused.status_code == 422, name
        assert refused.json()["errors"][0]["pointer"] == "#/file"
        assert "picture" in refused.json()["detail"]
    assert hand_in(portal, case, b"1", "one.txt", name="other").json()["remarks"] == []
    # What is odd is kept, and said
    odd = hand_in(portal, case, b"%PDF-1.7 nothing", "pay.png").json()
    assert (odd["media_type"], odd["remarks"]) == ("application/pdf", ["other_content", "damaged"])
    file = portal.get(f"documents/{odd['id']}/file")
    assert file["Content-Disposition"].startswith("attachment")
    assert file["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "filename", ["..\\x.pdf", "/abs.pdf", "a/b.pdf", "%2e%2e%2fx.pdf", "x" * 300 + ".pdf", ".pdf"]
)
def test_no_name_leads_out_of_the_store(portal: Any, desk: Any, filename: str) -> None:
    told = hand_in(portal, desk.open("patience"), b"x", filename).json()
    assert not set(told["filename"]) & set("/\\") and told["filename"].endswith(".pdf")
    assert len(told["filename"]) <= 200


def test_the_date_on_a_paper_is_given_with_the_judgement(portal: Any, desk: Any) -> None:
    case = desk.open("patience")
    told = hand_in(portal, case, b"%PDF one").json()
    address = f"documents/{told['id']}/accept"
    future = portal.post(address, {"dated": "2099-01-01"})
    assert future.status_code == 422 and "future" in future.json()["detail"]
    done = portal.post(address, {"dated": "2026-11-01"}).json()
    assert (done["dated"], done["valid_until"]) == ("2026-11-01", None)
    # What was judged stays: a second judgement is refused, a correction is a new version
    assert portal.post(f"documents/{told['id']}/reject", {"reason": "x"}).status_code == 409
    assert hand_in(portal, case, b"%PDF two").json()["version"] == 2
