"""Lists and requests: two people, holds at the last moment, dates, workers that are killed."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import IntegrityError

from audit.read import events_of
from cases.actors import Actor
from cases.errors import CaseErased, Invalid, NotAllowed
from cases.models import Absence, Case, Destruction, DestructionRow, Document, Hold
from processes.acts import destructions, holds
from processes.acts.documents import receive_document
from processes.acts.notes import add_note
from processes.acts.reopening import reopen_case
from processes.engine.verify import verify
from processes.erasing import files, people
from processes.erasing.facts import ERASED
from processes.retention import kept
from processes.storing import DocumentErased, open_document, path_of
from processes.work import destructions as work
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)
State = DestructionRow.State
WHY = {"reason": "asked by letter", "basis": "GDPR, article 17"}


@pytest.fixture
def closed(desk: Any) -> Any:
    """Closed cases of one caseworker, from 30 December 2026 on; kept for seven years."""

    def make(number: int = 1, **facts: Any) -> list[Case]:
        cases = [desk.open("patience", title=f"Farm {n} of Quibus", **facts) for n in range(number)]
        desk.engine.advance(days=31)
        return [desk.fresh(case) for case in cases]

    return make


def approved(case_ids: list[int], ruth: Any, bas: Any, *, stays: bool = False) -> Destruction:
    made = destructions.request_erasure(case_ids=case_ids, stays=stays, actor=Actor.of(ruth), **WHY)
    return destructions.approve(destruction_id=made.pk, actor=Actor.of(bas))


def results(made: Destruction) -> list[tuple[str, str]]:
    return list(made.rows.order_by("pk").values_list("state", "why"))


def test_a_list_is_made_each_day_and_carried_out_on_a_second_approval(
    desk: Any, closed: Any, ruth: Any, bas: Any
) -> None:
    # Given three cases whose time is over, and none before
    cases = closed(3)
    assert destructions.make_daily() == 0
    desk.engine.advance(days=7 * 366)
    holds.place_hold(case_ids=[cases[2].pk], reason="a court asks", actor=Actor.of(ruth))
    assert destructions.make_daily() == 2
    assert destructions.make_daily() == 0  # once a day, and what is on a list is on no other
    made = Destruction.objects.get()
    assert list(made.rows.values_list("case", flat=True)) == [one.pk for one in cases[:2]]

    # When one is taken off, and one person approves
    row = made.rows.get(case=cases[1].pk)
    destructions.take_off(row_id=row.pk, reason="a study uses it", actor=Actor.of(ruth))
    destructions.approve(destruction_id=made.pk, actor=Actor.of(ruth))
    assert work.carry_on(made.pk) and not Case.objects.filter(erased_at__isnull=False).exists()

    # Then the same person cannot approve once more, and the second one can
    with pytest.raises(destructions.SameHands):
        destructions.approve(destruction_id=made.pk, actor=Actor.of(ruth))
    destructions.approve(destruction_id=made.pk, actor=Actor.of(bas))
    assert work.carry_on(made.pk)
    assert results(made) == [(State.ERASED, ""), (State.OFF, "a study uses it")]
    assert Destruction.objects.get(pk=made.pk).state == "done"
    assert desk.fresh(cases[0]).title == ERASED
    assert desk.fresh(cases[1]).title == "Farm 1 of Quibus"
    assert list(verify()) == []

    # Then what was taken off is not listed again soon, nor what is erased or held
    desk.engine.advance(days=2)
    assert destructions.make_daily() == 0
    desk.engine.advance(days=180)
    assert destructions.make_daily() == 1


def test_four_eyes_are_in_the_table_and_a_substitute_is_both(
    closed: Any, ruth: Any, bas: Any
) -> None:
    (case,) = closed()
    made = destructions.request_erasure(
        case_ids=[case.pk], stays=False, actor=Actor.of(ruth), **WHY
    )
    Absence.objects.create(
        person=ruth,
        from_date=date(2026, 1, 1),
        until_date=date(2040, 1, 1),
        substitute=bas,
        entered_at=clock.now(),
        entered_by="engine",
    )
    with pytest.raises(destructions.SameHands):
        destructions.approve(destruction_id=made.pk, actor=Actor.of(bas))
    with pytest.raises(IntegrityError):
        Destruction.objects.filter(pk=made.pk).update(second_by=ruth)


def test_only_records_managers_hold_ask_and_approve(
    desk: Any, closed: Any, ruth: Any, anna: Any
) -> None:
    (case,) = closed()
    made = destructions.request_erasure(
        case_ids=[case.pk], stays=False, actor=Actor.of(ruth), **WHY
    )
    ours = desk.people
    for person in (ours.sanne, ours.petra, ours.milan, ours.otto, ours.ada, ours.eve, anna):
        actor = Actor.of(person)
        with pytest.raises(NotAllowed):
            destructions.approve(destruction_id=made.pk, actor=actor)
        with pytest.raises(NotAllowed):
            destructions.make_list(actor=actor)
        with pytest.raises(NotAllowed):
            destructions.request_erasure(case_ids=[case.pk], stays=False, actor=actor, **WHY)
        with pytest.raises(NotAllowed):
            holds.place_hold(case_ids=[case.pk], reason="x", actor=actor)
        with pytest.raises(NotAllowed):
            destructions.drop(destruction_id=made.pk, reason="x", actor=actor)
    assert desk.fresh(case).head_number == case.head_number


def test_a_case_within_its_time_is_refused_with_the_day(
    desk: Any, closed: Any, ruth: Any, bas: Any
) -> None:
    (case,) = closed()
    made = approved([case.pk], ruth, bas)
    assert work.carry_on(made.pk)
    assert results(made) == [(State.REFUSED, kept(case).sentence)]
    assert "Kept until 30 Dec 2033: 7 years from 30 Dec 2026" in kept(case).sentence
    assert desk.fresh(case).erased_at is None
    assert desk.fresh(case).head_number == case.head_number


def test_an_open_case_is_refused(desk: Any, ruth: Any, bas: Any) -> None:
    case = desk.open("patience")
    made = approved([case.pk], ruth, bas)
    work.carry_on(made.pk)
    ((state, why),) = results(made)
    assert state == State.REFUSED and why.startswith("It is open")


def test_a_request_that_stays_is_carried_out_when_the_day_has_come(
    desk: Any, closed: Any, ruth: Any, bas: Any
) -> None:
    (case,) = closed()
    made = approved([case.pk], ruth, bas, stays=True)
    assert work.carry_on(made.pk)
    assert results(made) == [(State.LISTED, kept(case).sentence)]

    # A hold that stands on the day stops it, and when it is lifted it is done
    held = holds.place_hold(case_ids=[case.pk], reason="a court asks", actor=Actor.of(ruth))
    desk.engine.advance(days=7 * 366)
    assert work.carry_on(made.pk)
    ((state, why),) = results(made)
    assert state == State.LISTED and why.startswith("It is held since")
    holds.lift_hold(hold_id=held[0].pk, reason="the court is done", actor=Actor.of(bas))
    assert work.carry_on(made.pk)
    assert desk.fresh(case).erased_at is None  # it is looked again each hour
    desk.engine.advance(hours=2)
    assert work.carry_on(made.pk)
    assert results(made) == [(State.ERASED, "")]
    assert Destruction.objects.get(pk=made.pk).state == "done"
    assert Hold.objects.get().reason == ERASED


def test_a_hold_between_approval_and_execution_stops_it(
    desk: Any, closed: Any, ruth: Any, bas: Any
) -> None:
    (case,) = closed()
    desk.engine.advance(days=7 * 366)
    made = approved([case.pk], ruth, bas)
    holds.place_hold(case_ids=[case.pk], reason="a court asks", actor=Actor.of(bas))
    assert work.carry_on(made.pk)
    ((state, why),) = results(made)
    assert state == State.REFUSED and why.startswith("It is held since")
    assert desk.fresh(case).title == case.title
    assert [one.type for one in events_of(case.pk)][-1] == "hold.placed"


def test_a_hold_of_a_person_holds_their_other_cases_also_later_ones(
    office: Any, engine: Any, ruth: Any, bas: Any
) -> None:
    one = office.open()
    engine.settle()
    office.withdraw(one)
    engine.settle()
    holds.hold_person(case_id=one.pk, reason="a court asks", actor=Actor.of(ruth))
    later = office.open(title="Z. Example")
    stranger = office.open(title="Somebody", email="some@body.example", national_id="555500002")
    for case in (later, stranger):
        engine.settle()
        office.withdraw(case)
        engine.settle()
    engine.advance(days=366)
    made = approved([later.pk, stranger.pk], ruth, bas)
    work.carry_on(made.pk)
    assert [state for state, _why in results(made)] == [State.REFUSED, State.ERASED]


def test_a_person_is_found_by_what_identifies_them_and_not_by_a_name_alone(
    office: Any, engine: Any
) -> None:
    one = office.open()
    same = office.open(title="Zoë Voorbeeld", email="other@applicant.example")
    namesake = office.open(email="namesake@applicant.example", national_id="555500003")
    engine.settle()
    found = {of.case.pk: of for of in people.cases_of(one_of(one))}
    assert found[same.pk].is_sure and "National id" in found[same.pk].reason
    assert not found[namesake.pk].is_sure
    by_number = {of.case.pk for of in people.cases_identified_by("999900001") if of.is_sure}
    assert by_number == {one.pk, same.pk}
    with pytest.raises(Invalid):
        people.cases_identified_by("x")


def one_of(case: Case) -> Case:
    from processes.acts.cases import get_case

    return get_case(case.pk)


@pytest.mark.parametrize(
    "reason", ["Zoë Example asked", "asked by ZOE@applicant.example", "she is 9999 00001"]
)
def test_a_reason_that_names_the_person_is_refused(
    office: Any, engine: Any, ruth: Any, reason: str
) -> None:
    case = office.open()
    with pytest.raises(Invalid):
        destructions.request_erasure(
            case_ids=[case.pk],
            reason=reason,
            basis="GDPR, article 17",
            stays=False,
            actor=Actor.of(ruth),
        )
    assert not Destruction.objects.exists()


def test_an_erased_case_takes_nothing_more(desk: Any, closed: Any, ruth: Any, bas: Any) -> None:
    (case,) = closed()
    desk.engine.advance(days=7 * 366)
    work.carry_on(approved([case.pk], ruth, bas).pk)
    sanne = Actor.of(desk.people.sanne)
    with pytest.raises(CaseErased):
        add_note(case_id=case.pk, text="Quibus again", actor=sanne)
    with pytest.raises(CaseErased):
        reopen_case(case_id=case.pk, reason="again", actor=sanne)
    with pytest.raises(CaseErased):
        destructions.request_erasure(case_ids=[case.pk], stays=False, actor=Actor.of(ruth), **WHY)
    with pytest.raises(CaseErased):
        holds.place_hold(case_ids=[case.pk], reason="x", actor=Actor.of(ruth))


def test_a_document_that_another_case_has_stays_as_long_as_that_case(
    desk: Any, ruth: Any, bas: Any
) -> None:
    # Given two cases with the same paper, one with a paper of its own too
    first, second = desk.open("patience"), desk.open("patience")
    for case in (first, second):
        file = ContentFile(b"%PDF-1.4 of both", name="both.pdf")
        receive_document(case_id=case.pk, name="other", file=file, actor=Actor.of(ruth))
    file = ContentFile(b"%PDF-1.4 of the first", name="own.pdf")
    own = receive_document(case_id=first.pk, name="own", file=file, actor=Actor.of(ruth))
    shared = Document.objects.get(case=second.pk)
    desk.engine.advance(days=8 * 366)

    # When the first is erased, its own paper goes and the shared one stays
    work.carry_on(approved([first.pk], ruth, bas).pk)
    assert not default_storage.exists(path_of(own.digest))
    assert default_storage.exists(path_of(shared.digest))
    with pytest.raises(DocumentErased):
        open_document(Document.objects.get(case=first.pk, name="other"))
    with open_document(shared) as kept_file:
        assert kept_file.read() == b"%PDF-1.4 of both"

    # When the second is erased, it goes too
    work.carry_on(approved([second.pk], ruth, bas).pk)
    assert not default_storage.exists(path_of(shared.digest))
    assert files.delete_left() == 0
