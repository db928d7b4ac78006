"""Documents: asked for, received, judged, asked for again."""

from __future__ import annotations

from typing import Any

import pytest

from cases.errors import Invalid, TaskNotOpen
from cases.models import Document, Requirement
from tests.processes.conftest import Trials, effects

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_step_goes_on_when_each_document_is_accepted(trials: Trials) -> None:
    case = trials.open("patience")
    passport, payslip = trials.hand_in(case, "passport"), trials.hand_in(case, "payslip")
    assert trials.fresh(case).waits[0]["missing"] == ["passport", "payslip"]
    trials.judge(passport, accept=True)
    assert trials.fresh(case).waits[0]["missing"] == ["payslip"]
    trials.judge(payslip, accept=True)
    assert trials.fresh(case).result == "complete"


def test_once_all_came_in_it_is_our_turn_until_one_is_rejected(trials: Trials) -> None:
    case = trials.open("patience")
    passport = trials.hand_in(case, "passport")
    assert trials.fresh(case).waiting_on == "applicant"
    trials.engine.advance(hours=3)
    trials.hand_in(case, "payslip")
    wait = trials.fresh(case).waits[0]
    assert (wait["on"], wait["otherwise"]) == ("caseworker", "")
    assert wait["since"] == trials.last(case, "document.received").recorded_at
    trials.judge(passport, accept=False, reason="expired")
    assert trials.fresh(case).waiting_on == "applicant"
    trials.hand_in(case, "passport", "a new one")
    assert trials.fresh(case).waiting_on == "caseworker"


def test_a_rejected_document_is_asked_for_again(trials: Trials) -> None:
    case = trials.open("patience")
    passport = trials.hand_in(case, "passport")
    with pytest.raises(Invalid, match="why"):
        trials.judge(passport, accept=False)
    trials.judge(passport, accept=False, reason="expired")
    requirement = Requirement.objects.get(name="passport")
    assert (requirement.state, requirement.reason) == ("rejected", "expired")

    second = trials.hand_in(case, "passport", "a new one")
    assert second.version == 2
    with pytest.raises(TaskNotOpen, match="Version 2"):
        trials.judge(passport, accept=True)
    trials.judge(second, accept=True)
    trials.judge(trials.hand_in(case, "payslip"), accept=True)
    assert trials.fresh(case).result == "complete"


def test_receipt_is_enough_where_the_step_says_so_and_what_is_there_counts(trials: Trials) -> None:
    case = trials.open("receive")
    passport = trials.hand_in(case, "passport")
    assert trials.fresh(case).waits[0]["missing"] == ["passport", "payslip"]
    trials.judge(passport, accept=True)
    trials.judge(trials.hand_in(case, "payslip"), accept=True)
    assert trials.fresh(case).step == "done"


def test_documents_of_an_earlier_step_count(trials: Trials) -> None:
    case = trials.open("two_steps")
    trials.judge(trials.hand_in(case, "passport"), accept=True)
    trials.judge(trials.hand_in(case, "payslip"), accept=True)
    entered = trials.send(case, "first") and trials.last(case, "step.entered")
    assert entered.data["documents"] == {"passport": "accepted", "payslip": "accepted"}


def test_the_same_bytes_twice_are_one_document(trials: Trials) -> None:
    case = trials.open("patience")
    first, second = trials.hand_in(case, "passport"), trials.hand_in(case, "passport")
    assert first.pk == second.pk and Document.objects.count() == 1
    assert trials.count(case, "document.received") == 1


def test_a_document_judged_twice_is_refused(trials: Trials) -> None:
    case = trials.open("patience")
    passport = trials.hand_in(case, "passport")
    trials.judge(passport, accept=True)
    with pytest.raises(TaskNotOpen, match="accepted"):
        trials.judge(passport, accept=False, reason="after all")


def test_reminders_stop_when_the_documents_are_there(trials: Trials) -> None:
    case = trials.open("reminders")
    trials.engine.advance(days=8)
    trials.judge(trials.hand_in(case, "passport"), accept=True)
    trials.engine.advance(days=60)
    assert effects() == ["reminder"]
    assert trials.fresh(case).result == "complete"


def test_an_empty_file_is_refused(trials: Trials) -> None:
    from django.core.files.base import ContentFile

    from cases.actors import party
    from processes.acts.documents import receive_document

    case = trials.open("patience")
    with pytest.raises(Invalid, match="empty"):
        receive_document(
            case_id=case.pk,
            name="passport",
            file=ContentFile(b"", name="empty.pdf"),
            actor=party("applicant"),
        )
    assert not Document.objects.exists()


def test_a_document_nobody_asked_for_is_kept(trials: Trials, people: Any) -> None:
    case = trials.open("patience")
    trials.hand_in(case, "letter")
    assert Document.objects.get().name == "letter"
    assert trials.fresh(case).waits[0]["missing"] == ["passport", "payslip"]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (".pdf", "document.pdf"),
        (" ..pdf ", "document.pdf"),
        ("folder/.jpeg", "document.jpeg"),
        ("...", "document"),
        (".hidden letter.pdf", "hidden letter.pdf"),
        ("letter.pdf", "letter.pdf"),
        ("CON.pdf", "_CON.pdf"),
    ],
)
def test_a_name_that_is_an_ending_alone_keeps_it(sent: str, kept: str) -> None:
    from processes.acts.documents import clean_filename

    assert clean_filename(sent) == kept
