"""A wrong click is undone by an event of its own, for a while, by whoever did it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from audit.read import events_of
from cases.actors import Actor
from cases.errors import NotAllowed
from cases.models import Document, Task
from processes.acts.cases import assign_case, change_facts
from processes.acts.documents import judge_document
from processes.acts.tasks import claim_task, hand_over_task, release_task
from processes.acts.undoing import CannotUndo, undo_event, undoable
from processes.engine.verify import differences_of

pytestmark = pytest.mark.django_db(transaction=True)


def undo_last(case: Any, person: Any) -> None:
    number = undoable(case.pk, person)
    assert number is not None
    undo_event(case_id=case.pk, number=number, actor=Actor.of(person))


def sound(desk: Any, case: Any) -> bool:
    return list(differences_of(desk.fresh(case))) == []


def test_the_notice_offers_it_and_a_double_click_undoes_once(desk: Any, visit: Any) -> None:
    # Given somebody who took a task by a wrong click
    case = desk.open("review")
    task = desk.task_of(case)
    page = visit(desk.people.milan).open(task.get_absolute_url())
    page = page.send(f"{task.get_absolute_url()}take/")
    (number,) = [e.number for e in events_of(case.pk) if e.type == "task.claimed"]
    address = f"{case.get_absolute_url()}undo/{number}/"
    assert f'action="{address}"' in page.html

    # When they undo it, twice
    first, second = page.send(address), page.send(address)

    # Then nobody has it, and the history tells both
    assert "That is undone." in first and "That is undone." in second
    assert Task.objects.get(pk=task.pk).holder is None
    told = [e for e in events_of(case.pk) if e.data.get("undoes") == number]
    assert [e.type for e in told] == ["task.released"]
    history = visit(desk.people.milan).open(f"{case.get_absolute_url()}history/?show=all")
    assert f"(undoes event {number})" in history
    with pytest.raises(CannotUndo, match="undone already"):
        undo_event(case_id=case.pk, number=number, actor=Actor.of(desk.people.milan))
    assert visit(desk.people.milan).open(address).status == 200
    assert sound(desk, case)


def test_a_task_goes_back_to_whoever_had_it(desk: Any) -> None:
    case = desk.open("review")
    milan, ayse = desk.people.milan, desk.people.ayse
    task = desk.claim(case, milan)
    hand_over_task(task_id=task.pk, to=ayse, actor=Actor.of(milan), reason="Holiday.")
    undo_last(case, milan)
    assert Task.objects.get(pk=task.pk).holder == milan
    release_task(task_id=task.pk, actor=Actor.of(milan))
    undo_last(case, milan)
    assert Task.objects.get(pk=task.pk).holder == milan
    release_task(task_id=task.pk, actor=Actor.of(milan))
    number = undoable(case.pk, milan)
    claim_task(task_id=task.pk, actor=Actor.of(ayse))
    with pytest.raises(CannotUndo, match="gone on since"):
        undo_event(case_id=case.pk, number=number or 0, actor=Actor.of(milan))
    assert sound(desk, case)


def test_a_case_is_given_back_and_facts_are_as_they_were(desk: Any) -> None:
    case = desk.open("review", amount=100)
    sanne, petra = Actor.of(desk.people.sanne), Actor.of(desk.people.petra)
    assign_case(case_id=case.pk, owner=None, actor=sanne)
    undo_last(case, desk.people.sanne)
    assert desk.fresh(case).owner == desk.people.sanne
    change_facts(case_id=case.pk, changes={"amount": 999}, reason="A slip.", actor=sanne)
    undo_last(case, desk.people.sanne)
    assert desk.fresh(case).amount == Decimal(100)
    change_facts(case_id=case.pk, changes={"amount": 7}, reason="A slip.", actor=sanne)
    number = undoable(case.pk, desk.people.sanne) or 0
    change_facts(case_id=case.pk, changes={"amount": 8}, reason="Better.", actor=petra)
    with pytest.raises(CannotUndo, match="once more"):
        undo_event(case_id=case.pk, number=number, actor=sanne)
    assert sound(desk, case)


def test_a_verdict_on_a_paper_is_undone_until_the_case_went_on_with_it(desk: Any) -> None:
    # Given a case that waits for two papers, of which one was accepted by mistake
    case = desk.open("patience")
    sanne = Actor.of(desk.people.sanne)
    first, second = desk.send_document(case, "passport"), desk.send_document(case, "payslip")
    judge_document(document_id=first.pk, accept=True, reason="", actor=sanne)

    # When that is undone, the other paper does not end the wait
    undo_last(case, desk.people.sanne)
    assert Document.objects.get(pk=first.pk).state == "received"
    judge_document(document_id=second.pk, accept=True, reason="", actor=sanne)
    desk.engine.settle()
    assert desk.fresh(case).step == "trying"
    assert sound(desk, case)

    # Then, once it is accepted after all, the case goes on and that stands
    judge_document(document_id=first.pk, accept=True, reason="", actor=sanne)
    desk.engine.settle()
    assert desk.fresh(case).step != "trying"
    assert undoable(case.pk, desk.people.sanne) is None
    assert sound(desk, case)


def test_only_for_a_while_and_only_by_whoever_may(desk: Any, visit: Any) -> None:
    case = desk.open("review", amount=100)
    people = desk.people
    sanne = Actor.of(people.sanne)
    change_facts(case_id=case.pk, changes={"amount": 999}, reason="A slip.", actor=sanne)
    number = undoable(case.pk, people.sanne) or 0
    for other in (people.eve, people.milan, people.ada, people.otto):
        with pytest.raises(NotAllowed):
            undo_event(case_id=case.pk, number=number, actor=Actor.of(other))
    assert visit(people.eve).open(f"{case.get_absolute_url()}undo/{number}/").status == 404
    opened = events_of(case.pk)[0].number
    with pytest.raises(CannotUndo, match="cannot be undone"):
        undo_event(case_id=case.pk, number=opened, actor=sanne)
    desk.engine.advance(minutes=31)
    with pytest.raises(CannotUndo, match="an act of its own"):
        undo_event(case_id=case.pk, number=number, actor=sanne)


def test_a_supervisor_undoes_what_a_colleague_did(desk: Any) -> None:
    case = desk.open("review", amount=100)
    sanne = Actor.of(desk.people.sanne)
    change_facts(case_id=case.pk, changes={"amount": 999}, reason="A slip.", actor=sanne)
    number = undoable(case.pk, desk.people.sanne) or 0
    undo_event(case_id=case.pk, number=number, actor=Actor.of(desk.people.petra))
    assert desk.fresh(case).amount == Decimal(100)
