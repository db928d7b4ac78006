"""Documents, letters, notes and the tray in a real browser: with progress, and accessible."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group

from cases.actors import Actor
from cases.models import Document, Message
from processes.acts.letters import save_template, write_letter
from processes.acts.notes import add_note
from processes.letters import Correspondent
from tests.browser.test_accessible import check
from tests.cases.test_document_pages import PDF, keep, picture
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def scene(desk: Any) -> Any:
    """A case with papers, letters and notes of every sort, and a message in the tray."""
    people = desk.people
    people.sanne.groups.add(Group.objects.get_or_create(name="administrator")[0])
    people.sanne.__dict__.pop("_roles", None)
    case, sanne = desk.open("patience", title="Hartog Bakery and Sons"), Actor.of(people.sanne)
    keep(case, PDF, "passport", "passport_of_the_whole_family_" + "x" * 120 + ".pdf")
    keep(case, picture((300, 200)), "other", "photo.jpg")
    keep(case, PDF, "other_2", "again.pdf")
    keep(case, b"%PDF-1.7 broken", "other_3", "broken.pdf")
    for email in ("", "h@example.org"):
        to = Correspondent("Hartog Bakery", email)
        write_letter(
            case_id=case.pk, to=to, subject="Your case", text="Dear all,\n\nWe go on.", actor=sanne
        )
    note, _ = add_note(case_id=case.pk, text="They earn 3,000.", actor=sanne)
    add_note(case_id=case.pk, text="They earn 2,000.", actor=sanne, strikes=note)
    save_template(
        kind="", language="en", title="Thanks", subject="Thanks", text="{{ name }}", actor=sanne
    )
    Message.objects.create(
        source="portal",
        key="1",
        name="second",
        to=case.reference.replace("-", " "),
        data={"reference": case.reference, "email": "a@example.org"},
        digest="x",
        actor="service:portal",
        state="unmatched",
        why="No case has this reference.",
        received_at=clock.now(),
    )
    return case


def test_the_pages_of_papers(desk: Any, window: Any, scene: Any) -> None:
    here = scene.get_absolute_url()
    first = Document.objects.order_by("pk")
    letter, message = scene.letters.first(), Message.objects.get()
    addresses = [f"{here}{one}" for one in ("documents/", "documents/several/", "notes/")]
    addresses += [
        f"{here}letters/new/?template=missing_papers",
        f"{here}notes/{note_of(scene)}/correct/",
    ]
    addresses += [one.get_absolute_url() for one in (first[0], first[3])]
    addresses += [letter.get_absolute_url(), "/letters/", "/letters/templates/"]
    addresses += ["/letters/templates/new/", f"/messages/{message.pk}/"]
    addresses += [f"/messages/{message.pk}/answer/", f"/messages/{message.pk}/aside/"]
    one = window(desk.people.sanne)
    found = [wrong for address in addresses for wrong in check(one, address)]
    assert found == [], "\n".join(found)


def note_of(case: Any) -> int:
    return int(case.notes.order_by("-number").first().number)


def test_files_are_sent_one_by_one_and_the_bad_one_stays_chosen(
    desk: Any, window: Any, tmp_path: Any
) -> None:
    case = desk.open("patience")
    (tmp_path / "pass.pdf").write_bytes(PDF)
    (tmp_path / "one.txt").write_bytes(b"one")
    (tmp_path / "page.html").write_bytes(b"<script>document.title = 1</script>")
    one = window(desk.people.sanne)
    one.go(f"{case.get_absolute_url()}documents/several/")
    page = one.page
    page.set_input_files("#id_file_passport", tmp_path / "pass.pdf")
    page.set_input_files("#id_others", [tmp_path / "one.txt", tmp_path / "page.html"])
    page.click("button.main")
    page.wait_for_selector(".uploads .bad")
    assert "is a page or drawing that can carry script" in page.inner_text(".uploads .bad")
    assert page.locator(".uploads .good").count() == 2
    assert one.focused() == "id_others"
    assert page.evaluate("document.querySelector('#id_others').files.length") == 1
    page.set_input_files("#id_others", [])
    page.set_input_files("#id_file_payslip", tmp_path / "pass.pdf")
    page.click("button.main")
    page.wait_for_url("**/documents/")
    assert set(Document.objects.values_list("name", flat=True)) == {"passport", "payslip", "other"}

    # The page of a document shows it as a picture that was drawn from it
    one.go(Document.objects.get(name="passport").get_absolute_url())
    page.wait_for_function("document.querySelector('.drawn img').naturalWidth > 100")
