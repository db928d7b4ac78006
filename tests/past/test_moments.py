"""A case as it stood at an event: what changed, what was open, which lines ran, and by two
readings: as recorded then, and with what was learnt since."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from audit.read import events_of
from audit.record import record
from bench.longhistory import lengthen
from cases.actors import Actor, party
from cases.models import Case
from processes.acts.cases import change_facts
from processes.acts.messages import deliver_message
from processes.acts.notes import add_note
from processes.acts.tasks import complete_task
from processes.acts.undoing import undo_event
from processes.engine import places
from processes.past import coding, moments
from processes.past.moments import Seen
from tests.trial import steps
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


def seen(case: Case, number: int, *, corrected: bool = False, everything: bool = True) -> Seen:
    return moments.seen(
        case, number, everything=everything, corrected=corrected, drawn=False, with_values=True
    )


def number_of(case: Case, type: str) -> int:
    return next(one.number for one in events_of(case.pk) if one.type == type)


def record_late(case: Case, type: str, *, days: int, **data: Any) -> None:
    """What happened some days ago, recorded today."""
    with transaction.atomic():
        head: Any = Case.objects.select_for_update().get(pk=case.pk)
        head.sealer = None
        now = clock.now()
        happened = now - timedelta(days=days)
        record(head, type, actor="party:applicant", recorded_at=now, happened_at=happened, **data)
        head.save(update_fields=["head_number", "head_hash"])


# -- what changed


def test_an_event_tells_what_it_changed_from_and_to(desk: Any) -> None:
    case = desk.open("review", amount=100)
    task = desk.claim(case, desk.people.milan)
    complete_task(
        task_id=task.pk,
        outcome="approve",
        reason="Sound.",
        actor=Actor.of(desk.people.milan),
    )
    case = desk.fresh(case)
    claimed = {
        one.what: (one.before, one.after)
        for one in seen(case, number_of(case, "task.claimed")).changes
    }
    assert list(claimed.values()) == [("open, nobody had it", "with Milan Kovač")]
    first = {one.what: (one.before, one.after) for one in seen(case, 1).changes}
    assert first["Caseworker"] == ("", "Sanne de Wit") and first["Amount"] == ("", "100.00")
    entered = {one.what: (one.before, one.after) for one in seen(case, 2).changes}
    assert entered["Step"] == ("", "Trying")


def test_what_was_open_then_is_shown_though_it_is_done_by_now(desk: Any, visit: Any) -> None:
    case = desk.open("review")
    opened = number_of(case, "task.opened")
    task = desk.claim(case, desk.people.milan)
    complete_task(
        task_id=task.pk, outcome="approve", reason="Sound.", actor=Actor.of(desk.people.milan)
    )
    case = desk.fresh(case)
    then, now = seen(case, opened), seen(case, case.head_number)
    assert [one.whom for one in then.waits] == ["The underwriter"]
    assert [one.who for one in then.tasks] == ["The underwriter; nobody had it"]
    assert [one.what for one in now.tasks] == ["Again review"]
    page = visit(desk.people.ada).open(f"{case.get_absolute_url()}history/{opened}/")
    assert "The underwriter; nobody had it" in page and "matches" in page


@pytest.mark.unsound
def test_the_fingerprint_of_an_event_that_was_altered_does_not_match(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    add_note(case_id=case.pk, text="I say no.", actor=Actor.of(desk.people.sanne))
    case = desk.fresh(case)
    number = case.head_number
    assert seen(case, number).matches and seen(case, 1).matches
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = 'replica'")
        cursor.execute(
            "UPDATE audit_event SET actor = 'person:999999' WHERE case_id = %s AND number = %s",
            [case.pk, number],
        )
    assert not seen(case, number).matches and seen(case, number - 1).matches
    page = visit(desk.people.ada).open(f"{case.get_absolute_url()}history/{number}/")
    assert "does not match" in page


# -- two readings


def test_a_fact_put_right_later_reads_as_recorded_and_as_known(desk: Any, visit: Any) -> None:
    case = desk.open("patience", amount=100)
    opened, sanne = case.head_number, Actor.of(desk.people.sanne)
    change_facts(case_id=case.pk, changes={"amount": Decimal(70)}, reason="Misread.", actor=sanne)
    change_facts(case_id=case.pk, changes={"amount": Decimal(75)}, reason="Again.", actor=sanne)
    case = desk.fresh(case)

    def amount(number: int, *, corrected: bool) -> str:
        page = seen(case, number, corrected=corrected)
        return next(one.said for one in page.facts if one.label == "Amount")

    assert amount(opened, corrected=False) == "100.00"
    assert amount(opened, corrected=True) == "75.00"
    assert amount(opened + 1, corrected=True) == "75.00"
    assert amount(case.head_number, corrected=True) == "75.00"
    visitor, here = visit(desk.people.ada), f"{case.get_absolute_url()}history/{opened}/"
    recorded, known = visitor.open(here), visitor.open(f"{here}?as=corrected")
    assert "2 later events tell more of this moment" in recorded and "75.00" not in recorded
    assert "recorded then: 100.00" in known and "Misread." in known
    assert f"event {case.head_number}" in known


@pytest.mark.unsound
def test_a_later_value_of_its_own_is_no_correction_of_an_earlier_one(desk: Any) -> None:
    """What the case itself changed since was another fact: putting that right leaves then alone."""
    case = desk.open("two_steps", amount=100)
    opened = case.head_number
    record_late(
        case, "facts.changed", days=0, changes={"amount": [Decimal(5), Decimal(6)]}, reason=""
    )
    assert seen(desk.fresh(case), opened, corrected=True).learnt.facts == {}


def test_an_undone_change_is_told_and_leaves_both_readings_the_same(desk: Any) -> None:
    case = desk.open("patience", amount=100)
    sanne = Actor.of(desk.people.sanne)
    change_facts(
        case_id=case.pk, changes={"amount": Decimal(70)}, reason="A typing error.", actor=sanne
    )
    changed = desk.fresh(case).head_number
    undo_event(case_id=case.pk, number=changed, actor=sanne)
    case = desk.fresh(case)
    before, after = seen(case, changed - 1).learnt, seen(case, changed).learnt
    assert before.facts == {}  # changed, and changed back: 100 it was and is
    assert [one.number for one in after.undone] == [changed + 1]
    assert after.facts["amount"].known == Decimal(100)


@pytest.mark.unsound
def test_what_had_happened_and_was_recorded_later_is_known_in_the_other_reading(
    desk: Any, visit: Any
) -> None:
    # Given a paper that came on the first day, and was found on the fourth
    case = desk.open("patience")
    asked = case.head_number
    desk.engine.advance(days=2)
    add_note(case_id=case.pk, text="Nothing came.", actor=Actor.of(desk.people.sanne))
    noted = desk.fresh(case).head_number
    desk.engine.advance(days=2)
    record_late(case, "document.received", days=3, name="passport", version=1, filename="p.pdf")
    case = desk.fresh(case)

    # Then it was not there when it was asked for, and was there on the second day, though unknown
    assert seen(case, asked, corrected=True).learnt.late == []
    learnt = seen(case, noted, corrected=True).learnt
    assert [one.type for one in learnt.late] == ["document.received"]
    assert learnt.documents["passport"].known == "received"
    visitor, here = visit(desk.people.ada), f"{case.get_absolute_url()}history/"
    known = visitor.open(f"{here}{noted}/?as=corrected")
    assert "recorded later" in known and "recorded then: asked for" in known
    assert "recorded then:" not in visitor.open(f"{here}{noted}/")
    assert "later than it happened" in visitor.open(f"{here}{case.head_number}/")


def test_a_note_struck_later_is_told_where_it_stood(desk: Any) -> None:
    case = desk.open("patience")
    sanne = Actor.of(desk.people.sanne)
    note, _mentions = add_note(case_id=case.pk, text="They earn 3,500.", actor=sanne)
    add_note(case_id=case.pk, text="It is 2,750.", actor=sanne, strikes=note)
    case = desk.fresh(case)
    assert [one.number for one in seen(case, note.number).learnt.struck] == [note.number + 1]
    assert seen(case, note.number - 1).learnt.struck == []
    assert seen(case, note.number + 1).learnt.events == []


# -- the code


def test_the_line_that_waited_is_marked_in_the_text_that_ran(desk: Any) -> None:
    case = desk.open("review")
    code = seen(case, case.head_number).code
    assert code.state == "same" and code.diff == []
    (paused,) = [line for line in code.lines if line.is_paused]
    assert paused.text.strip() == "return await scripts[case.script](case)"
    assert any("ask_review(" in where for where in code.elsewhere)
    assert code.lines[0].text == "@trial.step(Trial.Step.TRYING)"


@pytest.mark.unsound
def test_code_that_changed_since_is_shown_as_it_ran_with_what_differs(
    desk: Any, visit: Any, monkeypatch: Any
) -> None:
    case = desk.open("review")
    changed = steps.trial.code_of("trying")
    text = changed.text.replace("async def", "# Now with a word on top.\nasync def")
    new = replace(changed, text=text, digest="f" * 64, line=changed.line - 1)
    monkeypatch.setitem(steps.trial.codes, "trying", {1: new})
    code = seen(case, case.head_number).code
    assert code.state == "changed" and code.today == "f" * 64
    assert ("new", "# Now with a word on top.") in code.diff
    assert "# Now with a word on top." not in [line.text for line in code.lines]
    assert [line.text.strip() for line in code.lines if line.is_paused] == [
        "return await scripts[case.script](case)"
    ]
    page = visit(desk.people.ada).open(f"{case.get_absolute_url()}history/{case.head_number}/")
    assert "changed since" in page and "What is different today" in page


@pytest.mark.unsound
@pytest.mark.parametrize("how", ["gone", "differs", "failed"])
def test_code_that_cannot_be_run_again_is_told_and_the_state_is_shown(
    desk: Any, visit: Any, monkeypatch: Any, how: str
) -> None:
    case = desk.open("review", amount=4321)

    async def differs(case: Any) -> Any:
        await steps.message("something else")

    async def fails(case: Any) -> Any:
        steps.start(steps.ask_review("first", role="underwriter"))
        raise ValueError("of today")

    if how == "gone":
        code = steps.trial.code_of("trying")
        monkeypatch.setitem(steps.trial.codes, "trying", {2: replace(code, version=2)})
    else:
        monkeypatch.setitem(steps.scripts, "review", {"differs": differs, "failed": fails}[how])
    found = seen(case, case.head_number)
    assert found.stood.lack == how and found.waits
    page = visit(desk.people.ada).open(f"{case.get_absolute_url()}history/{case.head_number}/")
    assert page.status == 200 and "4,321" in page and "The underwriter" in page
    said = {
        "gone": "This release no longer has the version",
        "differs": "does not fit this history",
        "failed": "ValueError: of today",
    }[how]
    assert said in page and "comes from its events alone" in page


def test_values_are_cut_and_cannot_break_the_page() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise ValueError("no")

    assert places.shown(Broken()) == "<Broken that cannot be shown: ValueError>"
    assert len(places.shown("x" * 10_000)) == places.VALUE_CHARACTERS + 1
    assert places.shown(object()) == "<object>"
    assert coding.diff_of("a\nb\n", "a\nc\n")[-2:] == [("gone", "b"), ("new", "c")]


# -- from event to event, and two moments


def test_stepping_through_the_story_passes_by_what_only_moves_the_machinery(
    desk: Any, visit: Any
) -> None:
    case = desk.open("review")
    desk.claim(case, desk.people.milan)
    add_note(case_id=case.pk, text="On it.", actor=Actor.of(desk.people.sanne))
    case = desk.fresh(case)
    claimed = number_of(case, "task.claimed")
    story, everything = seen(case, claimed - 1, everything=False), seen(case, claimed - 1)
    assert (story.next, everything.next) == (claimed + 1, claimed)
    visitor, here = visit(desk.people.ada), f"{case.get_absolute_url()}history/"
    page = visitor.open(f"{here}{claimed - 1}/?as=corrected")
    assert f'href="{here}{claimed + 1}/?as=corrected"' in page.html
    last = visitor.open(f"{here}{case.head_number}/")
    assert re.search(r'<span class="button off" id="next"', last.html)


def test_two_moments_are_compared(desk: Any, visit: Any) -> None:
    case = desk.open("patience", amount=100)
    opened = case.head_number
    change_facts(
        case_id=case.pk,
        changes={"amount": Decimal(70)},
        reason="A typing error.",
        actor=Actor.of(desk.people.sanne),
    )
    desk.send_document(case, "passport")
    case = desk.fresh(case)
    here = f"{case.get_absolute_url()}history/compare/"
    page = visit(desk.people.ada).open(f"{here}?a={case.head_number}&b={opened}")
    for said in ("100.00", "70.00", "Passport", "asked for"):
        assert said in page, said
    same = visit(desk.people.ada).open(f"{here}?a={opened}&b={opened}")
    assert "Nothing differs" in same


# -- long histories, and what is erased


@pytest.mark.unsound
def test_a_page_in_a_long_history_reads_one_visit_and_takes_as_many_queries(
    desk: Any, visit: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(clock, "STALE_SECONDS", float("inf"))
    case = _twice(desk)
    short = case.head_number
    visitor, here = visit(desk.people.ada), f"{case.get_absolute_url()}history/"
    few = _queries(visitor, f"{here}{short}/")
    long = lengthen(case, events=2_000)
    number = long.head_number // 2
    with CaptureQueriesContext(connection) as queries:
        moment = moments.moment_of(long, number)
    assert len(moment.visit) < 50 and len(queries) <= 4
    assert seen(long, number).matches
    assert _queries(visitor, f"{here}{number}/") <= max(few, 24)
    assert _queries(visitor, here) <= 22


def _queries(visitor: Any, address: str) -> int:
    visitor.open(address)
    with CaptureQueriesContext(connection) as queries:
        assert visitor.open(address).status == 200
    return len(queries)


def _twice(desk: Any) -> Case:
    """A case that was twice on its step."""
    case = desk.open("two_steps")
    for name, data in (("first", {}), ("second", {"back": True})):
        deliver_message(
            case_id=case.pk, name=name, data=data, source="test", key=name, actor=party("applicant")
        )
        desk.engine.settle()
    return desk.fresh(case)


class Erased(str):
    """As history reads what was erased of a person."""


@pytest.mark.parametrize("corrected", [False, True])
def test_erased_values_are_shown_calmly(desk: Any, monkeypatch: Any, corrected: bool) -> None:
    case = desk.open("patience", amount=100)
    change_facts(
        case_id=case.pk,
        changes={"amount": Decimal(70)},
        reason="A typing error.",
        actor=Actor.of(desk.people.sanne),
    )
    case = desk.fresh(case)
    real = moments.moment_of

    def erased(one: Case, number: int) -> Any:
        found = real(one, number)
        gone = {name: Erased("[erased]") for name in found.after.facts}
        found.after = replace(found.after, facts=gone)
        return found

    monkeypatch.setattr(moments, "moment_of", erased)
    page = seen(case, case.head_number, corrected=corrected)
    assert {one.said for one in page.facts} == {"[erased]"}
