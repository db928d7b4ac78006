"""One act on many cases: looked at first, done row by row, told row by row, never done twice."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.read import events_of
from cases import dates
from cases.actors import Actor
from cases.errors import Invalid
from cases.models import BulkAct, BulkRow, Case, Person, Reminder, Task
from processes.acts import bulk
from processes.acts.bulk import Picked, begin, choose, choose_refused, look
from processes.acts.cases import assign_case
from processes.acts.notes import add_note
from processes.engine.verify import verify
from processes.work import bulkacts
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def jan(people: Any) -> Person:
    """A second caseworker of the team."""
    jan = Person.objects.create_user("jan", first_name="Jan", team=people.sanne.team)
    jan.groups.add(Group.objects.get(name="caseworker"))
    return jan


def picked(*cases: Case) -> list[Picked]:
    return [Picked(case_id=one.pk, seen_number=one.head_number) for one in cases]


def results(act: BulkAct) -> dict[str, int]:
    return dict(Counter(act.rows.values_list("result", flat=True)))


def assigned(case: Case) -> list[Any]:
    return [e for e in events_of(case.pk) if e.type == "case.assigned"]


def test_ten_cases_of_which_three_are_not_allowed(desk: Any, jan: Person) -> None:
    # Given ten cases, and since the list was shown: one closed, one elsewhere, one changed
    people, me = desk.people, Actor.of(desk.people.sanne)
    closed = desk.open("patience", title="Closed")
    desk.engine.advance(days=31)
    others = [desk.open("patience") for _ in range(9)]
    closed_seen, moved, changed = closed, others[0], others[1]
    act = choose(what="hand-over", rows=picked(closed_seen, *others), actor=me)
    assign_case(case_id=moved.pk, owner=people.eve, actor=Actor.of(people.petra))
    add_note(case_id=changed.pk, text="Called.", actor=Actor.of(people.petra))

    # When they are looked at, then handed over
    asked = {"to": jan.pk, "reason": "I am away."}
    looked = look(act=act, actor=me, asked=asked)
    assert Counter(one.verdict for one in looked) == {"done": 7, "refused": 3}
    begin(act=act, asked=asked, actor=me)
    assert bulkacts.carry_on(act.pk)

    # Then seven are done, each with an event of its own and the number of the act
    assert results(act) == {"done": 7, "refused": 3}
    for case in others[2:]:
        (event,) = assigned(case)
        assert (event.data["before"], event.data["owner"]) == (people.sanne.pk, jan.pk)
        assert (event.data["batch"], event.actor) == (act.pk, me.code)
    assert [len(assigned(case)) for case in (closed, moved, changed)] == [0, 1, 0]

    # And three are named with the reason, beforehand and afterwards
    said = {row.case_id: row.sentence for row in act.rows.filter(result="refused")}
    assert "closed" in said[closed.pk]
    assert said[moved.pk] == "It is not among the cases that you may see."
    assert said[changed.pk].startswith("Petra Smit changed it on")
    before = {one.row.case_id: one.sentence for one in looked if one.verdict == "refused"}
    assert before[moved.pk] == said[moved.pk] and before[changed.pk] == said[changed.pk]

    # When the three are tried again, then only those are touched: the changed one was seen now
    again = choose_refused(act=act, actor=me)
    assert set(again.rows.values_list("case_id", flat=True)) == {closed.pk, moved.pk, changed.pk}
    begin(act=again, asked=again.asked, actor=me)
    assert bulkacts.carry_on(again.pk)
    assert results(again) == {"done": 1, "refused": 2}
    assert len(assigned(others[2])) == 1


def test_a_run_that_breaks_off_goes_on_and_does_nothing_twice(
    desk: Any, jan: Person, monkeypatch: Any
) -> None:
    me = Actor.of(desk.people.sanne)
    cases = [desk.open("patience") for _ in range(6)]
    day = dates.local_date(clock.now()) + timedelta(days=4)
    act = choose(what="remind", rows=picked(*cases), actor=me)
    begin(act=act, asked={"day": day, "text": ""}, actor=me)

    # Given a process that dies in the third row, after the act and before its commit
    keep, kept = bulk._keep, []

    def dies(row: BulkRow, result: str, sentence: str) -> bool:
        if len(kept) == 2:
            raise KeyboardInterrupt
        kept.append(row.pk)
        return keep(row, result, sentence)

    monkeypatch.setattr(bulk, "_keep", dies)
    with pytest.raises(KeyboardInterrupt):
        bulkacts.carry_on(act.pk)
    monkeypatch.setattr(bulk, "_keep", keep)
    assert results(act) == {"done": 2, "": 4}
    assert Reminder.objects.count() == 2

    # When somebody carries it on, and once more
    assert bulkacts.publish_unfinished() == 1
    assert bulkacts.carry_on(act.pk) and bulkacts.carry_on(act.pk)

    # Then each case has one reminder and one event
    assert results(act) == {"done": 6}
    for case in cases:
        assert [e.type for e in events_of(case.pk)].count("reminder.set") == 1
    assert bulkacts.publish_unfinished() == 0
    assert list(verify()) == []


def test_beginning_twice_keeps_what_was_asked_first(desk: Any, jan: Person) -> None:
    me = Actor.of(desk.people.sanne)
    act = choose(what="hand-over", rows=picked(desk.open("patience")), actor=me)
    for to in (jan, desk.people.sanne):
        begin(act=act, asked={"to": to.pk, "reason": "Away."}, actor=me)
        bulkacts.carry_on(act.pk)
    assert Case.objects.get().owner == jan


@pytest.mark.unsound("gives it by hand")
def test_tasks_are_taken_and_four_eyes_are_kept(desk: Any) -> None:
    milan = Actor.of(desk.people.milan)
    free, own, held = [desk.open("review") for _ in range(3)]
    Case.objects.filter(pk=own.pk).update(owner=desk.people.milan)
    desk.claim(held, desk.people.ayse)
    rows = [
        Picked(task_id=desk.task_of(case).pk, seen_number=desk.fresh(case).head_number)
        for case in (free, own, held)
    ]
    act = choose(what="take", rows=rows, actor=milan)
    looked = look(act=act, actor=milan, asked={})
    assert [one.verdict for one in looked] == ["done", "refused", "refused"]
    assert "nobody approves their own request" in looked[1].sentence
    begin(act=act, asked={}, actor=milan)
    bulkacts.carry_on(act.pk)
    assert list(act.rows.order_by("place").values_list("result", flat=True)) == [
        "done",
        "refused",
        "refused",
    ]
    assert Task.objects.get(case=free).holder == desk.people.milan


def test_a_task_goes_back_to_its_queue_or_to_a_colleague(desk: Any) -> None:
    milan, petra = Actor.of(desk.people.milan), Actor.of(desk.people.petra)
    case = desk.open("review")
    task = desk.claim(case, desk.people.milan)
    row = Picked(task_id=task.pk, seen_number=desk.fresh(case).head_number)
    act = choose(what="hand-over", rows=[row], actor=milan)
    begin(act=act, asked={"to": None, "queue": True, "reason": "Ill."}, actor=milan)
    bulkacts.carry_on(act.pk)
    assert Task.objects.get(pk=task.pk).holder is None

    # A supervisor gives it to somebody who has the role, and to nobody else
    for to, verdict in ((desk.people.sanne, "refused"), (desk.people.ayse, "done")):
        row = Picked(task_id=task.pk, seen_number=desk.fresh(case).head_number)
        act = choose(what="hand-over", rows=[row], actor=petra)
        asked = {"to": to.pk, "reason": "Ill."}
        assert [one.verdict for one in look(act=act, actor=petra, asked=asked)] == [verdict]
        begin(act=act, asked=asked, actor=petra)
        bulkacts.carry_on(act.pk)
        assert act.rows.get().result == verdict
    assert Task.objects.get(pk=task.pk).holder == desk.people.ayse


def test_an_outsider_learns_and_does_nothing(desk: Any, jan: Person) -> None:
    eve = Actor.of(desk.people.eve)
    case = desk.open("patience")
    act = choose(what="hand-over", rows=[*picked(case), Picked(case_id=10**9)], actor=eve)
    asked = {"to": desk.people.eve.pk, "reason": "Mine."}
    looked = look(act=act, actor=eve, asked=asked)
    assert [(one.case, one.verdict) for one in looked] == [(None, "refused")] * 2
    assert looked[0].sentence == looked[1].sentence
    begin(act=act, asked=asked, actor=eve)
    bulkacts.carry_on(act.pk)
    assert results(act) == {"refused": 2}
    assert Case.objects.get().owner == desk.people.sanne


def test_what_is_missing_is_asked_for(desk: Any, jan: Person) -> None:
    me = Actor.of(desk.people.sanne)
    with pytest.raises(Invalid):
        choose(what="hand-over", rows=[], actor=me)
    act = choose(what="hand-over", rows=picked(desk.open("patience")), actor=me)
    for asked in ({"to": None, "reason": "x"}, {"to": jan.pk, "reason": " "}):
        with pytest.raises(Invalid):
            begin(act=act, asked=asked, actor=me)
    assert not bulkacts.publish_unfinished()


def test_looking_takes_the_same_queries_for_any_number_of_rows(desk: Any, jan: Person) -> None:
    me = Actor.of(desk.people.sanne)
    counts = []
    for _ in range(2):
        cases = [desk.open("patience") for _ in range(4)]
        add_note(case_id=cases[0].pk, text="x", actor=Actor.of(desk.people.petra))
        act = choose(what="hand-over", rows=picked(*Case.objects.all()), actor=me)
        look(act=act, actor=me, asked={})  # reads their roles
        with CaptureQueriesContext(connection) as queries:
            look(act=act, actor=me, asked={"to": jan.pk, "reason": "x"})
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 10
