"""Notes: on open and closed cases, telling people, corrected by another, kept while one types."""

from __future__ import annotations

from typing import Any

import pytest

from cases import drafts
from cases.actors import Actor
from cases.models import Note, Notice
from processes.acts.cases import move_case
from processes.acts.notes import add_note
from processes.engine.verify import differences_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_those_who_may_see_the_case_are_told_and_the_others_are_said(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    people = desk.people
    address = f"{case.get_absolute_url()}notes/"
    page = visit(people.sanne).open(address)
    text = (
        f"Call back. @{people.petra.username} @{people.eve.username.upper()}. "
        f"mail a@b.example @nobody_here @{people.sanne.username}"
    )
    page = page.send(address, text=text, tell=people.petra.pk)
    assert "Petra Smit is told." in page
    assert "Not told, for they may not see this case: Eve Outside." in page
    assert "Nobody here has the name @nobody_here." in page
    told = Notice.objects.filter(case_id=case.pk, person__isnull=False)
    assert [one.person for one in told] == [people.petra]
    assert case.reference in told[0].text and "Sanne" in told[0].text


def test_a_note_is_corrected_by_another_and_stays_readable(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    people = desk.people
    note, _ = add_note(case_id=case.pk, text="They earn 3,000.", actor=Actor.of(people.sanne))
    address = f"{case.get_absolute_url()}notes/{note.number}/correct/"
    assert "Only its writer or a supervisor" in visit(people.milan).open(address) or (
        visit(people.milan).open(address).status == 404
    )
    page = visit(people.sanne).open(address)
    after = page.send(address, text="They earn 2,000.", tell="")
    assert "Struck: Sanne de Wit corrected it" in after
    assert "They earn 3,000." in after and "They earn 2,000." in after
    again = page.send(address, text="They earn 1,000.", key="", tell="")
    assert again.status == 422
    second = visit(people.petra).open(address)
    assert "Keep the correction" not in second
    assert Note.objects.get(strikes=note).text == "They earn 2,000."
    assert "Note that corrects an earlier one" in visit(people.ada).open(
        f"{case.get_absolute_url()}history/"
    )
    assert list(differences_of(desk.fresh(case))) == []


def test_notes_go_on_after_the_end_and_the_auditor_only_reads(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    sanne = Actor.of(desk.people.sanne)
    move_case(case_id=case.pk, name="withdraw", data={"reason": "x"}, actor=sanne)
    address = f"{case.get_absolute_url()}notes/"
    page = visit(desk.people.sanne).open(address)
    assert "Kept after the end" in page.send(address, text="Kept after the end", tell="")
    assert "Keep the note" not in visit(desk.people.ada).open(address)
    assert visit(desk.people.eve).open(address).status == 404


def test_what_was_typed_is_filled_in_again(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    address = f"{case.get_absolute_url()}notes/"
    drafts.save(desk.people.sanne, address, {"text": "Half a sen"})
    page = visit(desk.people.sanne).open(address)
    assert "Half a sen" in page and "What you had typed here is filled in" in page
    page.send(address, text="Half a sentence.", tell="")
    assert drafts.load(desk.people.sanne, address) is None
