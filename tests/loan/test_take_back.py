"""Taking a decision back: while nothing rests on it that cannot be undone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from audit.read import events_of
from cases.actors import Actor
from cases.errors import CaseClosed, Invalid, NotAllowed, TaskNotOpen
from cases.models import Case, Task
from processes.acts import decisions
from processes.acts.cases import get_case
from processes.acts.decisions import CannotTakeBack, take_back_decision
from processes.work import claims
from tests.cases.conftest import Visitor

REASON = "I had the wrong file open."


def take_back(task: Task, by: Any, reason: str = REASON) -> Case:
    return take_back_decision(task_id=task.pk, reason=reason, actor=Actor.of(by))


def open_tasks(case: Case) -> list[str]:
    return list(Task.objects.filter(case_id=case.pk, state="open").values_list("name", flat=True))


def types(case: Case) -> list[str]:
    return [event.type for event in events_of(case.pk)]


def test_a_decline_whose_letter_has_not_gone_out_is_taken_back(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]]
) -> None:
    # Given a decline by mistake, its letter still waiting for a worker
    case = office.to_underwriting(engine)
    wrong = office.do(case, "decline", reason="Income too low.")

    # When whoever decided takes it back
    take_back(wrong, office.underwriter)
    engine.settle()

    # Then the letter is never written, and the review is open in one list
    assert "Your application was declined" not in letters(case)
    assert not any("declin" in subject.lower() for subject in letters(case))
    assert (get_case(case.pk).step, open_tasks(case)) == ("underwriting", ["underwriting"])

    # And the old decision stays readable beside the new entry
    told = next(e for e in events_of(case.pk) if e.type == "task.taken_back")
    assert (told.actor, told.data["reason"]) == (f"person:{office.underwriter.pk}", REASON)
    old = Task.objects.get(pk=wrong.pk)
    assert (old.state, old.outcome, old.reason) == ("taken_back", "decline", "Income too low.")

    # And it is decided anew
    office.do(case, "approve")
    assert get_case(case.pk).step == "decision"


def test_an_approval_is_taken_back_from_the_next_step(engine: Any, office: Any, world: Any) -> None:
    case = office.to_underwriting(engine)
    first = office.do(case, "approve")
    assert open_tasks(case) == ["decision"]
    take_back(first, office.underwriter)
    assert (get_case(case.pk).step, open_tasks(case)) == ("underwriting", ["underwriting"])


def test_an_offer_that_has_not_gone_out_is_taken_back(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]]
) -> None:
    case = office.to_underwriting(engine)
    office.do(case, "approve")
    decided = office.do(case, "approve")
    assert get_case(case.pk).step == "offer"
    take_back(decided, office.supervisor)
    engine.settle()
    assert (get_case(case.pk).step, open_tasks(case)) == ("decision", ["decision"])
    assert get_case(case.pk).interest_rate is None  # type: ignore[attr-defined]
    assert not any("offer" in subject.lower() for subject in letters(case))


def test_an_appraisal_that_was_ordered_is_called_off(engine: Any, office: Any, world: Any) -> None:
    case = office.to_underwriting(engine, secured=True, security="A house in Utrecht")
    approved = office.do(case, "approve")
    take_back(approved, office.underwriter)
    engine.settle()
    assert (get_case(case.pk).step, open_tasks(case)) == ("underwriting", ["underwriting"])


def test_once_the_letter_went_out_the_decision_stands(engine: Any, office: Any, world: Any) -> None:
    case = office.to_underwriting(engine)
    office.do(case, "approve")
    decided = office.do(case, "approve")
    engine.settle()  # the offer goes out
    before = types(case)
    with pytest.raises(CannotTakeBack, match=r"the letter “.*offer.*” to Zoë Example was written"):
        take_back(decided, office.supervisor)
    assert types(case) == before and get_case(case.pk).step == "offer"


def test_a_letter_that_was_tried_may_have_gone_out(
    engine: Any, office: Any, world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = office.to_underwriting(engine)
    office.do(case, "approve")
    decided = office.do(case, "approve")

    def lost(letter: Any) -> str:
        raise ConnectionError("the mail server hung up")

    monkeypatch.setattr("processes.letters.send", lost)
    engine.settle()
    with pytest.raises(CannotTakeBack, match="“Send letter” was begun"):
        take_back(decided, office.supervisor)
    monkeypatch.undo()
    engine.advance(hours=1)


def test_no_worker_begins_the_letter_while_its_decision_is_taken_back(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]], monkeypatch: Any
) -> None:
    # Given a worker that looks for work just after taking back was found to be possible
    case = office.to_underwriting(engine)
    wrong = office.do(case, "decline", reason="Income too low.")
    claimed: list[Any] = []
    look = decisions._require_nothing_under_way

    def then_a_worker_looks(task: Task, **options: Any) -> None:
        look(task, **options)

        def claim() -> None:
            with connection.cursor() as cursor:
                claimed.extend(claims.claim_short(cursor, worker_id=7, limit=5))
            connection.close()

        worker = threading.Thread(target=claim)
        worker.start()
        worker.join()

    monkeypatch.setattr(decisions, "_require_nothing_under_way", then_a_worker_looks)

    # When it is taken back, the worker finds nothing, and no letter goes out
    take_back(wrong, office.underwriter)
    engine.settle()
    assert claimed == []
    assert not any("declin" in subject.lower() for subject in letters(case))


def test_nothing_opens_in_a_withdrawn_case(engine: Any, office: Any, world: Any) -> None:
    case = office.to_underwriting(engine)
    approved = office.do(case, "approve")
    office.withdraw(case)
    with pytest.raises(CannotTakeBack, match="moved by hand"):
        take_back(approved, office.underwriter)
    engine.settle()
    before = types(case)
    with pytest.raises(CaseClosed, match="withdrawn"):
        take_back(approved, office.underwriter)
    assert types(case) == before and not open_tasks(case)


def test_what_others_decided_since_is_taken_back_first(
    engine: Any, office: Any, world: Any
) -> None:
    case = office.to_underwriting(engine, amount=Decimal("60000"))
    first = office.do(case, "approve")
    second = office.do(case, "approve", by=office.second)
    with pytest.raises(CannotTakeBack, match="Second underwriting” was decided"):
        take_back(first, office.underwriter)
    take_back(second, office.second)
    with pytest.raises(TaskNotOpen, match="taken back before"):
        take_back(second, office.second)
    assert (get_case(case.pk).step, open_tasks(case)) == ("underwriting", ["underwriting"])


def test_an_earlier_decision_of_the_same_step_is_taken_back(
    engine: Any, office: Any, world: Any
) -> None:
    case = office.to_underwriting(engine, amount=Decimal("60000"))
    first = office.do(case, "approve")
    take_back(first, office.underwriter)
    assert open_tasks(case) == ["underwriting"]


def test_only_the_decider_for_a_time_or_a_supervisor(engine: Any, office: Any, world: Any) -> None:
    case = office.to_underwriting(engine)
    approved = office.do(case, "approve")
    for person in (office.second, office.caseworker, office.person("ada", "auditor")):
        with pytest.raises(NotAllowed):
            take_back(approved, person)
    with pytest.raises(Invalid, match="Say why"):
        take_back(approved, office.underwriter, reason=" ")
    engine.advance(hours=25)
    with pytest.raises(NotAllowed, match="24 hours. A supervisor still can"):
        take_back(approved, office.underwriter)
    take_back(approved, office.supervisor)
    assert open_tasks(case) == ["underwriting"]


def test_a_kind_says_which_decisions(engine: Any, office: Any, world: Any) -> None:
    case = office.to_appraisal(engine)
    engine.advance(days=22)
    done = office.do(case, "go_on")
    with pytest.raises(CannotTakeBack, match="does not let “Decide without an appraisal”"):
        take_back(done, office.supervisor)


def test_the_page_offers_it_and_asks_why(engine: Any, office: Any, world: Any) -> None:
    case = office.to_underwriting(engine)
    approved = office.do(case, "approve")
    address = f"/tasks/{approved.pk}/take-back/"
    assert address in Visitor(office.underwriter).open(f"/tasks/{approved.pk}/")
    assert address not in Visitor(office.second).open(f"/tasks/{approved.pk}/")

    page = Visitor(office.underwriter).open(address)
    assert "The old decision stays in the history" in page
    refused = page.send(address, reason="")
    assert refused.status == 422 and open_tasks(case) == ["decision"]
    done = page.send(address, reason=REASON)
    assert "It is open again." in done and REASON in done
    assert open_tasks(case) == ["underwriting"]
    history = Visitor(office.underwriter).open(f"/cases/{case.reference}/history/")
    assert "Underwriting review: “Approve” taken back" in history
    reviews = Visitor(office.underwriter).open(f"/cases/{case.reference}/reviews/")
    assert "Approve, taken back" in reviews
    again = Visitor(office.underwriter).open(address).send(address, reason=REASON)
    assert again.status == 409 and "taken back before" in again
