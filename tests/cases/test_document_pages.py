"""Documents on the pages: several at once, odd files, previews, what is lost, who may see."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from PIL import Image

from cases.actors import Actor, party
from cases.models import Document, Notice, Requirement
from processes.acts import expiring
from processes.acts.documents import judge_document, receive_document
from processes.kinds import kind_of
from processes.storing import path_of
from processes.validity import Validity
from timers import clock
from timers.spans import months

pytestmark = pytest.mark.django_db(transaction=True)

PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj
xref
0 4
0000000000 65535 f 
0000000009 00000 n 
0000000052 00000 n 
0000000101 00000 n 
trailer<</Size 4/Root 1 0 R>>
startxref
165
%%EOF
"""  # noqa: W291
HOSTILE = [
    "Müller ł € 資料 😀.pdf",
    'a"b;c.pdf',
    "line\r\nSet-Cookie: x=1.pdf",
    "x" * 300 + ".pdf",
    "no ending",
    ".pdf",
    "CON.pdf",
    "../../x.pdf",
    "..\\x.pdf",
    "/abs.pdf",
    "%2e%2e%2fx.pdf",
    "invoice\u202efdp.exe.pdf",
]


def picture(size: tuple[int, int] = (40, 30)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "red").save(out, "JPEG")
    return out.getvalue()


def keep(case: Any, content: bytes, name: str = "other", filename: str = "a.pdf") -> Document:
    file = ContentFile(content, name=filename)
    return receive_document(case_id=case.pk, name=name, file=file, actor=party("applicant"))


def test_several_come_in_at_once_and_the_bad_one_is_named(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    address = f"{case.get_absolute_url()}documents/several/"
    page = visit(desk.people.sanne).open(address)
    after = page.send(
        address,
        file_passport=SimpleUploadedFile("pass.pdf", PDF),
        others=[
            SimpleUploadedFile("empty.pdf", b""),
            SimpleUploadedFile("one.txt", b"1"),
            SimpleUploadedFile("page.html", b"<script>1</script>"),
            SimpleUploadedFile("two.txt", b"2"),
        ],
    )
    assert after.status == 200 and "3 documents are recorded." in after
    assert "“empty.pdf” is empty" in after and "“page.html” is a page" in after
    assert set(Document.objects.values_list("name", "filename")) == {
        ("passport", "pass.pdf"),
        ("other", "one.txt"),
        ("other_2", "two.txt"),
    }
    assert Requirement.objects.get(name="payslip").state == "asked"
    none = page.send(address)
    assert none.status == 422 and "Choose at least one file." in none


def test_too_many_are_refused_before_any_is_kept(desk: Any, visit: Any, settings: Any) -> None:
    settings.LONGCASE_UPLOAD_FILES = 2
    case = desk.open("patience")
    address = f"{case.get_absolute_url()}documents/several/"
    files = [SimpleUploadedFile(f"{n}.txt", b"%d" % n) for n in range(3)]
    page = visit(desk.people.sanne).open(address).send(address, others=files)
    assert page.status == 422 and "at most 2 are taken at once" in page
    assert not Document.objects.exists()


@pytest.mark.parametrize("filename", HOSTILE)
def test_names_trip_nobody(desk: Any, visit: Any, filename: str) -> None:
    case = desk.open("patience")
    kept = keep(case, PDF, filename=filename)
    assert not set(kept.filename) & set('/\\":;\r\n\u202e')
    assert len(kept.filename) <= 200
    visitor = visit(desk.people.sanne)
    assert kept.filename in visitor.open(f"{case.get_absolute_url()}documents/")
    file = visitor.client.get(f"/documents/{kept.pk}/file?download")
    assert file.status_code == 200 and "Set-Cookie" not in file.headers
    assert file["Content-Disposition"].startswith("attachment; filename")


@pytest.mark.unsound("gives it by hand")
def test_a_file_that_is_there_already_is_said_and_not_blocked(desk: Any, visit: Any) -> None:
    case, second = desk.open("patience"), desk.open("patience", title="Second Bakery")
    keep(case, PDF, filename="first.pdf")
    address = f"{second.get_absolute_url()}documents/new/passport/"
    sent = SimpleUploadedFile("again.pdf", PDF)
    page = visit(desk.people.sanne).open(address).send(address, name="passport", file=sent)
    assert "again.pdf is recorded." in page and f"first.pdf of {case.reference}" in page
    assert "The very same file" in page
    # Somebody who may not see the other case learns nothing of it
    again = Document.objects.get(filename="again.pdf")
    type(second).objects.filter(pk=second.pk).update(owner=desk.people.eve)
    told = visit(desk.people.eve).open(again.get_absolute_url())
    assert told.status == 200 and "The very same file" not in told


def test_pages_are_drawn_by_us_and_what_cannot_be_drawn_says_so(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    pdf, photo = keep(case, PDF), keep(case, picture(), "passport", "a.jpg")
    broken = keep(case, b"%PDF-1.7 nothing", "payslip")
    visitor = visit(desk.people.sanne)
    for one in (pdf, photo):
        drawn = visitor.client.get(f"/documents/{one.pk}/pages/1")
        assert drawn.status_code == 200 and drawn["Content-Type"] == "image/png"
        assert drawn["X-Content-Type-Options"] == "nosniff"
        assert "sandbox" in drawn["Content-Security-Policy"]
        assert Image.open(io.BytesIO(drawn.content)).size[0] > 30
        assert f"/documents/{one.pk}/pages/1" in visitor.open(one.get_absolute_url()).html
    failed = visitor.client.get(f"/documents/{broken.pk}/pages/1")
    assert failed.status_code == 422 and b"Download" in failed.content
    assert "The file is damaged" in visitor.open(broken.get_absolute_url())
    assert visitor.client.get(f"/documents/{pdf.pk}/pages/2").status_code == 422


def test_outsiders_get_no_page_no_file_and_no_preview(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    kept = keep(case, picture(), "passport", "a.jpg")
    paths = ("", "file", "file?download", "pages/1")
    for path in paths:
        address = f"/documents/{kept.pk}/{path}"
        assert visit(desk.people.ada).client.get(address).status_code == 200
        assert visit(desk.people.eve).client.get(address).status_code == 404
        assert visit(None).client.get(address).status_code == 302
    several = f"{case.get_absolute_url()}documents/several/"
    assert visit(desk.people.ada).open(several).status == 403
    assert visit(desk.people.eve).open(several).status == 404


def test_a_lost_and_an_altered_file_are_said_and_the_rest_works(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    kept = [keep(case, PDF + b"%d" % n, f"paper{n}", f"p{n}.pdf") for n in range(10)]
    default_storage.delete(path_of(kept[0].digest))
    default_storage.delete(path_of(kept[1].digest))
    default_storage.save(path_of(kept[1].digest), ContentFile(b"other"))
    visitor = visit(desk.people.sanne)
    page = visitor.open(f"{case.get_absolute_url()}documents/")
    assert page.status == 200 and page.html.count("File missing or altered") == 1
    for one in kept:
        answer = visitor.client.get(f"/documents/{one.pk}/file?download")
        assert answer.status_code == (409 if one in kept[:2] else 200)
    page = visitor.open(f"{case.get_absolute_url()}documents/")
    assert page.html.count("File missing or altered") == 2
    assert "restore it from a backup" in visitor.open(kept[1].get_absolute_url())
    assert Notice.objects.filter(role="operator").count() == 2
    told = visit(desk.people.otto).open("/operations/incidents/")
    assert "Files that are missing or altered 2" in told and kept[1].digest in told
    # Restored, it is whole again
    default_storage.save(path_of(kept[0].digest), ContentFile(PDF + b"0"))
    visitor.client.get(f"/documents/{kept[0].pk}/file?download").close()
    assert Document.objects.filter(lost_at__isnull=False).count() == 1


def test_a_thousand_documents_take_the_same_queries(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    visitor = visit(desk.people.sanne)
    address, counts = f"{case.get_absolute_url()}documents/", []
    visitor.open(address)
    for many in (1, 999):
        Document.objects.bulk_create(
            Document(
                case_id=case.pk,
                name=f"paper{many}_{n}",
                version=1,
                filename=f"{n}.pdf",
                media_type="application/pdf",
                size=1,
                digest="0" * 64,
                received_at=clock.now(),
                received_from="party:applicant",
                lost_at=clock.now(),
            )
            for n in range(many)
        )
        with CaptureQueriesContext(connection) as queries:
            page = visitor.open(address)
        assert page.status == 200
        # The clock is asked whether it was turned now and then, by time and not by page.
        counts.append(sum("clock_timestamp" not in one["sql"] for one in queries))
    assert counts[0] == counts[1] <= 15
    assert "Next page" in page and len(page.html) < 150_000
    Document.objects.all().delete()  # no event tells of them


def test_a_paper_counts_for_a_while_and_is_asked_again(
    desk: Any, visit: Any, monkeypatch: Any
) -> None:
    monkeypatch.setitem(kind_of("trial").validity, "payslip", Validity(months(3)))
    case = desk.open("patience")
    slip = keep(case, PDF, "payslip")
    today = clock.now().date()
    visitor = visit(desk.people.sanne)
    address = slip.get_absolute_url()
    page = visitor.open(address)
    assert "It counts for 3 months from then" in page
    old = page.send(address, verdict="accept", dated=str(today - timedelta(days=120)), reason="")
    assert old.status == 422 and "Reject it, and ask for a newer one." in old
    future = old.send(address, verdict="accept", dated=str(today + timedelta(days=2)), reason="")
    assert future.status == 422 and "lies in the future" in future
    day = today - timedelta(days=80)
    done = future.send(address, verdict="accept", dated=str(day), reason="")
    assert "is accepted" in done
    slip.refresh_from_db()
    assert slip.dated_date == day and slip.valid_until_date > today
    assert "Counts until" in visitor.open(f"{case.get_absolute_url()}documents/")

    # While it counts nothing happens; after its last day it is asked for again, once
    assert expiring.ask_again() == 0
    desk.engine.advance(days=14)
    assert expiring.ask_again() == 1 and expiring.ask_again() == 0
    wanted = Requirement.objects.get(name="payslip")
    assert wanted.state == "asked" and "a newer one is needed" in wanted.reason
    assert "payslip" in desk.fresh(case).waits[0]["missing"]
    assert "Counted until" in visitor.open(f"{case.get_absolute_url()}documents/")
    from processes.engine.verify import differences_of

    assert list(differences_of(desk.fresh(case))) == []


def test_a_replaced_paper_keeps_what_was_judged(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    first = keep(case, PDF, "passport")
    judge_document(document_id=first.pk, accept=True, reason="", actor=Actor.of(desk.people.sanne))
    second = keep(case, PDF + b"2", "passport")
    page = visit(desk.people.sanne).open(first.get_absolute_url())
    assert "Accepted" in page and "Version 1, shown here" in page and "To be judged" in page
    assert f"/documents/{second.pk}/" in page.html and "Record the judgement" not in page
