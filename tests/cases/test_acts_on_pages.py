"""Each act on a page: done, refused, sent twice, overtaken, and tried by someone else."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from audit.read import events_of
from cases.actors import Actor
from cases.models import Document, Note, Task
from cases.models.once import Once

pytestmark = pytest.mark.django_db(transaction=True)


def types(case: Any) -> list[str]:
    return [event.type for event in events_of(case.pk)]


def test_a_note_is_kept_and_said(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    address = f"{case.get_absolute_url()}notes/"
    page = visit(desk.people.sanne).open(address).send(address, text="Called Mr Hartog.")
    assert "The note is kept." in page
    assert "Called Mr Hartog." in page
    assert Note.objects.get().author == desk.people.sanne


def test_the_same_form_sent_twice_acts_once(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    address = f"{case.get_absolute_url()}notes/"
    page = visit(desk.people.sanne).open(address)
    first, second = page.send(address, text="Once."), page.send(address, text="Once.")
    assert first.response.redirect_chain == second.response.redirect_chain
    assert "The note is kept." in second
    assert types(case).count("note.added") == 1


def test_the_same_form_with_another_text_is_kept_and_refused(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    address = f"{case.get_absolute_url()}notes/"
    page = visit(desk.people.sanne).open(address)
    page.send(address, text="Once.")
    again = page.send(address, text="Once, and more.")
    assert again.status == 409
    assert "saved before, with another text" in again
    assert "Once, and more." in again
    third = again.send(address, text="Once, and more.")
    assert third.status == 200
    assert types(case).count("note.added") == 2


def test_a_form_rendered_for_another_person_is_refused_with_its_text(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    address = f"{case.get_absolute_url()}notes/"
    page = visit(desk.people.sanne).open(address)
    page.client.force_login(desk.people.petra, backend="cases.backend.PersonBackend")
    refused = page.send(address, text="Whose is this?")
    assert refused.status == 409
    assert "opened by Sanne de Wit" in refused
    assert "signed in as Petra Smit" in refused
    assert "Whose is this?" in refused
    assert not Note.objects.exists()


def test_a_refused_act_may_be_sent_again(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    address = f"{case.get_absolute_url()}notes/"
    page = visit(desk.people.sanne).open(address).send(address, text="  ")
    assert page.status == 422
    assert "<title>Error:" in page.html
    assert not Once.objects.exists()


def test_a_task_is_taken_and_decided(desk: Any, visit: Any) -> None:
    # Given a review that nobody has
    case = desk.open("review")
    task = desk.task_of(case)
    visitor = visit(desk.people.milan)

    # When an underwriter takes it, and declines without, then with reasons
    page = visitor.open(task.get_absolute_url())
    page = page.send(f"{task.get_absolute_url()}take/")
    assert "You have this task now." in page
    refused = page.send(task.get_absolute_url(), outcome="decline", reason="")
    assert refused.status == 422
    assert "Give the reasons for “Decline”." in refused
    page = refused.send(task.get_absolute_url(), outcome="decline", reason="No cash flow.")

    # Then the case went on by that outcome, and the history says who and why
    assert page.status == 200
    assert desk.fresh(case).step == "failed"
    history = visitor.open(f"{case.get_absolute_url()}history/")
    assert "First review: Decline" in history
    assert "No cash flow." in history


def test_a_decision_overtaken_by_a_change_is_shown_and_sent_again(desk: Any, visit: Any) -> None:
    from processes.acts.cases import change_facts

    case = desk.open("review", amount=100)
    task = desk.claim(case, desk.people.milan)
    page = visit(desk.people.milan).open(task.get_absolute_url())
    change_facts(
        case_id=case.pk,
        changes={"amount": 999},
        reason="A typing error.",
        actor=Actor.of(desk.people.sanne),
    )

    overtaken = page.send(task.get_absolute_url(), outcome="approve", reason="Sound.")
    assert overtaken.status == 409
    assert "What changed since you opened it" in overtaken
    assert "Amount changed" in overtaken and "Sanne de Wit" in overtaken
    assert "Sound." in overtaken

    assert overtaken.send(task.get_absolute_url(), outcome="approve", reason="Sound.").status == 200
    assert Task.objects.get(pk=task.pk).outcome == "approve"


def test_a_second_person_is_told_who_was_first(desk: Any, visit: Any) -> None:
    case = desk.open("review")
    task = desk.task_of(case)
    page = visit(desk.people.ayse).open(task.get_absolute_url())
    desk.claim(case, desk.people.milan)
    late = page.send(f"{task.get_absolute_url()}take/")
    assert late.status == 409
    assert "Milan Kovač has First review" in late


def test_a_task_is_given_back_and_handed_over(desk: Any, visit: Any) -> None:
    case = desk.open("review")
    task = desk.claim(case, desk.people.milan)
    visitor = visit(desk.people.milan)
    address = f"{task.get_absolute_url()}hand-over/"
    visitor.open(address).send(address, to=desk.people.ayse.pk, reason="Holiday.")
    assert Task.objects.get(pk=task.pk).holder == desk.people.ayse
    address = f"{task.get_absolute_url()}give-back/"
    visit(desk.people.ayse).open(address).send(address, reason="")
    assert Task.objects.get(pk=task.pk).holder is None


def test_the_next_task_is_taken_from_my_work(desk: Any, visit: Any) -> None:
    case = desk.open("review")
    page = visit(desk.people.milan).open("/work/").send("/work/next/")
    assert "You have this task now." in page
    assert desk.task_of(case).holder == desk.people.milan


def test_a_document_is_recorded_judged_and_read(desk: Any, visit: Any) -> None:
    # Given a case that waits for papers
    case = desk.open("patience")
    visitor = visit(desk.people.sanne)
    address = f"{case.get_absolute_url()}documents/new/passport/"

    # When one is recorded, rejected with a reason, and recorded again
    file = SimpleUploadedFile("pas.pdf", b"%PDF-1.4 pas", "application/pdf")
    page = visitor.open(address).send(address, name="passport", file=file)
    document = Document.objects.get()
    assert "pas.pdf is recorded." in page
    refused = page.send(document.get_absolute_url(), verdict="reject", reason="")
    assert refused.status == 422
    page = refused.send(document.get_absolute_url(), verdict="reject", reason="Page 2 is missing.")
    assert "Rejected, asked again" in page

    # Then its bytes come back as they were, and run nowhere
    bytes_ = visitor.client.get(f"{document.get_absolute_url()}file")
    assert b"".join(bytes_) == b"%PDF-1.4 pas"
    assert "sandbox" in bytes_["Content-Security-Policy"]
    assert bytes_["X-Content-Type-Options"] == "nosniff"


def test_a_page_in_an_upload_is_only_ever_downloaded(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    document = desk.send_document(case, "other", "letter.html")
    answer = visit(desk.people.sanne).client.get(f"{document.get_absolute_url()}file")
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["Content-Type"] == "application/octet-stream"


def test_more_documents_are_asked_for(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    address = f"{case.get_absolute_url()}documents/ask/"
    page = visit(desk.people.sanne).open(address)
    assert page.send(address, reason="Needed.").status == 422
    page.send(address, other="Lease contract", reason="The rent is part of the plan.")
    papers = visit(desk.people.sanne).open(f"{case.get_absolute_url()}documents/")
    assert "Lease contract" in papers


def test_facts_are_changed_with_a_reason(desk: Any, visit: Any) -> None:
    case = desk.open("patience", amount=100)
    address = f"{case.get_absolute_url()}facts/"
    page = visit(desk.people.sanne).open(address)
    same = page.send(address, script="patience", amount="100.00", result="", reason="None.")
    assert same.status == 422
    assert "Nothing is different" in same
    page = page.send(address, script="patience", amount="250.50", result="", reason="New quote.")
    assert desk.fresh(case).amount == Decimal("250.50")
    assert "Amount: 100.00 → 250.50. New quote." in page


def test_a_case_is_withdrawn_on_a_page_that_says_what_follows(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    address = f"{case.get_absolute_url()}move/withdraw/"
    page = visit(desk.people.sanne).open(address)
    assert "from “Trying” to “Withdrawn”" in page
    assert "cannot be undone" in page
    assert page.send(address, reason="").status == 422
    page.send(address, reason="Found the money elsewhere.")
    assert desk.fresh(case).step == "withdrawn"
    assert visit(desk.people.sanne).open(address).status == 409


def test_a_case_is_given_to_another_caseworker(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    address = f"{case.get_absolute_url()}caseworker/"
    page = visit(desk.people.petra).open(address)
    assert "Milan Kovač" not in page  # an underwriter, who cannot have it
    refused = page.send(address, to=desk.people.milan.pk, reason="Because.")
    assert refused.status == 422
    assert desk.fresh(case).owner == desk.people.sanne


@pytest.mark.parametrize("what", ["notes/", "facts/", "caseworker/", "move/withdraw/"])
def test_an_auditor_changes_nothing(desk: Any, visit: Any, what: str) -> None:
    case = desk.open("patience")
    before = types(case)
    client = visit(desk.people.ada).client
    fields = {"key": "11111111-1111-4111-8111-111111111111", "text": "x", "reason": "x"}
    answer = client.post(f"{case.get_absolute_url()}{what}", fields)
    assert answer.status_code == 403
    assert types(case) == before


def test_a_form_of_somebody_else_is_carried_out_by_nobody(
    desk: Any, visit: Any, joris: Any
) -> None:
    case = desk.open("patience")
    other = desk.open("patience")
    fields = {"key": "11111111-1111-4111-8111-111111111111", "text": "Called."}
    client = visit(desk.people.sanne).client
    assert client.post(f"{case.get_absolute_url()}notes/", fields).status_code == 303
    again = visit(joris).client.post(f"{case.get_absolute_url()}notes/", fields)
    assert again.status_code == 409 and "not yours" in again.content.decode()

    # And the same key at another address is no repetition of the first
    there = client.post(f"{other.get_absolute_url()}notes/", fields)
    assert there.status_code == 409
    assert types(other).count("note.added") == 0 and types(case).count("note.added") == 1


def test_signed_out_an_act_asks_to_sign_in_and_keeps_the_page(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    address = f"{case.get_absolute_url()}notes/"
    client = visit(None).client
    answer = client.post(address, {"text": "x"}, headers={"HX-Request": "true"})
    assert answer.status_code == 401
    assert answer["HX-Retarget"] == "#signed-out"
    assert b"You are signed out" in answer.content
    reading = client.get(
        address, headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/work/"}
    )
    assert reading.status_code == 401
    assert reading["HX-Redirect"] == "/login/?next=/work/"


def test_after_an_act_htmx_learns_the_address(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    page = visit(desk.people.sanne).open(
        case.get_absolute_url(),
        **{
            "HX-Request": "true",
            "HX-Request-Type": "full",
            "HX-Current-URL": "http://testserver/tasks/1/",
        },
    )
    assert page.response["HX-Push-Url"] == case.get_absolute_url()


def test_a_new_case_is_opened_from_its_kinds_form(desk: Any, visit: Any, monkeypatch: Any) -> None:
    from cases.models import Case
    from tests.trial.steps import trial

    monkeypatch.setattr(trial, "form_path", "tests.cases.forms.NewTrial")
    visitor, address = visit(desk.people.sanne), "/cases/new/trial/"
    assert visitor.open(address).send(address, title="", script="patience").status == 422
    page = visitor.open(address).send(address, title="De Loper", script="patience", amount="12.50")
    case = Case.objects.get()
    assert f"Case {case.reference} is open." in page
    assert case.owner == desk.people.sanne
    assert visit(desk.people.ada).open(address).status == 403
