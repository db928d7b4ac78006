"""What keeps a loan from going where nobody decided it should."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.test import Client

from cases.actors import Actor
from cases.errors import Invalid, NotAllowed
from cases.models import Document, Notice, Task
from processes.acts.cases import assign_case, change_facts, get_case
from processes.acts.documents import DocumentDamaged, open_document, path_of
from processes.acts.messages import deliver_message
from processes.acts.tasks import claim_task
from processes.engine.verify import verify
from processes.loan.models import Step

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("fact", "value"),
    [
        ("credit_score", 850),
        ("interest_rate", Decimal("0.01")),
        ("monthly_payment", Decimal(1)),
        ("payout_reference", "mine"),
        ("account", "NOTANIBAN"),
    ],
)
def test_nobody_writes_by_hand_what_the_process_found(
    office: Any, engine: Any, world: Any, fact: str, value: Any
) -> None:
    case = office.to_offer(engine)
    with pytest.raises(Invalid) as refusal:
        change_facts(
            case_id=case.pk,
            changes={fact: value},
            reason="I would like it so",
            actor=Actor.of(office.caseworker),
        )
    assert fact in refusal.value.fields


def test_nobody_reviews_their_own_case(office: Any, engine: Any, world: Any) -> None:
    # Given an underwriter who has become the caseworker of a case
    case = office.to_underwriting(engine)
    office.underwriter.groups.add(Group.objects.get_or_create(name="caseworker")[0])
    office.underwriter.__dict__.pop("_roles", None)
    assign_case(case_id=case.pk, owner=office.underwriter, actor=Actor.of(office.caseworker))

    # Then the review of it is for others
    task = Task.objects.get(case_id=case.pk, state="open")
    with pytest.raises(NotAllowed, match="own request"):
        claim_task(task_id=task.pk, actor=Actor.of(office.underwriter))
    claim_task(task_id=task.pk, actor=Actor.of(office.second))


def test_an_outsider_gives_no_answers(office: Any, engine: Any, world: Any) -> None:
    case = office.to_offer(engine)
    eve = office.person("eve", "auditor")
    with pytest.raises(NotAllowed):
        deliver_message(
            case_id=case.pk,
            name="offer_answer",
            data={"answer": "accept"},
            source="staff",
            key="1",
            actor=Actor.of(eve),
        )
    assert get_case(case.pk).step == Step.OFFER


def test_the_supervisor_is_told_of_an_overdue_review_and_dismisses_it(
    office: Any, engine: Any, world: Any
) -> None:
    case = office.to_underwriting(engine)
    engine.advance(days=9)
    client = Client()
    client.force_login(office.supervisor)
    page = client.get("/work/").content.decode()
    assert "is overdue" in page and case.get_absolute_url() in page

    notice = Notice.objects.get(case_id=case.pk)
    client.post(f"/work/notices/{notice.pk}/")
    assert "is overdue" not in client.get("/work/").content.decode()


def test_a_review_that_was_done_late_is_no_longer_overdue(
    office: Any, engine: Any, world: Any
) -> None:
    case = office.to_underwriting(engine)
    engine.advance(days=9)
    assert Notice.objects.filter(case_id=case.pk, seen_at=None).count() == 1
    office.do(case, "approve")
    assert not Notice.objects.filter(case_id=case.pk, seen_at=None, role="supervisor").exists()


def test_an_overdue_review_of_a_withdrawn_case_is_no_longer_overdue(
    office: Any, engine: Any, world: Any
) -> None:
    case = office.to_underwriting(engine)
    engine.advance(days=9)
    office.withdraw(case)
    assert not Notice.objects.filter(case_id=case.pk, seen_at=None, role="supervisor").exists()


def test_no_wait_for_a_reminder_says_that_the_application_lapses(
    office: Any, engine: Any, world: Any
) -> None:
    case = office.open()
    engine.settle()
    waits = {wait["kind"]: wait for wait in get_case(case.pk).waits}
    assert "lapses" in waits["documents"]["otherwise"]
    assert waits["timer"]["otherwise"] == ""


def test_damaged_documents_are_told_and_not_given_out(office: Any, engine: Any, world: Any) -> None:
    office.to_underwriting(engine)
    gone, altered = Document.objects.order_by("pk")[:2]
    gone.digest = "0" * 64
    with pytest.raises(DocumentDamaged, match="missing"):
        open_document(gone)
    with open(default_storage.path(path_of(altered.digest)), "ab") as stored:
        stored.write(b"!")
    with pytest.raises(DocumentDamaged, match="digest differs"):
        open_document(altered)
    default_storage.delete(path_of(altered.digest))  # by digest, so also other tests' bytes


def test_verify_finds_what_was_written_past_history(office: Any, engine: Any, world: Any) -> None:
    case = office.to_offer(engine)
    assert not list(verify(references=[case.reference]))
    names = dict(Document.objects.filter(case_id=case.pk).values_list("pk", "filename"))
    Task.objects.filter(case_id=case.pk, state="done").update(reason="forged")
    Document.objects.filter(case_id=case.pk).update(filename="forged.pdf")
    found = " ".join(one.words for one in verify(references=[case.reference]))
    assert "decision" in found and "document" in found
    Task.objects.filter(case_id=case.pk, state="done").update(reason="")
    for pk, filename in names.items():
        Document.objects.filter(pk=pk).update(filename=filename)


def test_who_leaves_frees_their_cases(office: Any, engine: Any, world: Any) -> None:
    case = office.open()
    engine.settle()
    call_command("letgo", office.caseworker.username)
    assert get_case(case.pk).owner is None
    office.caseworker.refresh_from_db()
    assert not office.caseworker.is_active
