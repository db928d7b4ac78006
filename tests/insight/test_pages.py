"""The pages of process owners: every number leads to the list of what it counts."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from cases.actors import Actor
from cases.models import Case
from processes.acts.cases import move_case, open_case
from processes.acts.messages import deliver_message
from processes.acts.reopening import reopen_case
from processes.acts.tasks import claim_task, complete_task
from processes.insight import writing

PAGES = ("", "ways/", "rework/", "deadlines/", "line/")
NUMBER = re.compile(r'<a (?:class="[^"]*" )?href="(/insight/trial/cases/[^"]*)">([\d,]+)<')


def a_period(desk: Any) -> None:
    """Ten days: one case declined after six days and reopened, one moved on twice, one open."""
    declined = desk.open("review", title="Zephyr Mills")
    moved = desk.open("two_steps", title="Zephyr Farm")
    desk.open("patience", title="Zephyr Bakery")
    desk.engine.advance(days=2)
    deliver_message(
        case_id=moved.pk, name="first", data={}, source="t", key="1", actor=Actor("service:t")
    )
    desk.engine.advance(days=8)
    task = desk.task_of(declined)
    milan = Actor.of(desk.people.milan)
    claim_task(task_id=task.pk, actor=milan)
    complete_task(task_id=task.pk, outcome="decline", reason="no", actor=milan)
    desk.engine.settle()
    reopen_case(case_id=declined.pk, reason="an error", actor=Actor.of(desk.people.petra))
    desk.engine.settle()
    fresh = Case.objects.get(pk=moved.pk)
    if fresh.closed_at is None:
        move_case(case_id=moved.pk, name="finish", data={}, actor=Actor.of(desk.people.petra))
    desk.engine.advance(days=30)  # the documents of the third never came
    writing.catch_up(seconds=None)


def test_every_number_leads_to_the_list_that_it_counts(desk: Any, people: Any, visit: Any) -> None:
    a_period(desk)
    petra = visit(people.petra)
    followed = 0
    for filters in ("?period=0", "?period=0&of=closed", "?outcome=failed&period=0"):
        for page in PAGES:
            answer = petra.open(f"/insight/trial/{page}{filters}")
            assert answer.status == 200, (page, filters)
            for address, number in NUMBER.findall(answer.html):
                listed = petra.open(unescape(address))
                told = re.search(r"<span>([\d,]+) times?, in", listed.html)
                assert told and told[1] == number, (address, number)
                assert listed.html.count('<tr><th scope="row">') == int(number), address
                followed += 1
    assert followed > 30


def test_what_a_small_history_says(desk: Any, people: Any, visit: Any) -> None:
    a_period(desk)
    petra = visit(people.petra)
    time = petra.open("/insight/trial/")
    # trying took 10 days (declined), 2 days (moved on), 30 or more (no documents)
    assert re.search(r">3<span class=\"unseen\"> Trying", time.html)
    assert "Our people" in time and "The underwriter" in time and "The applicant" in time
    ways = petra.open("/insight/trial/ways/")
    assert 'class="line never"' in ways.html and 'class="line often"' in ways.html
    rework = petra.open("/insight/trial/rework/")
    assert "Failed → Trying" in rework
    late = petra.open("/insight/trial/deadlines/")
    assert "0\N{NO-BREAK SPACE}% of the tasks were done in time; 1 of 1 were late." in late
    line = petra.open("/insight/trial/line/")
    assert "left the main line" in line


def test_only_who_leads_a_team_and_auditors_see_figures(desk: Any, people: Any, visit: Any) -> None:
    a_period(desk)
    here = [f"/insight/trial/{page}" for page in PAGES]
    here += ["/insight/", "/insight/trial/cases/?show=time&step=trying&period=0"]
    for outsider in (people.sanne, people.eve, people.milan, people.otto):
        for address in here:
            answer = visit(outsider).open(address)
            assert answer.status == 404 and "Zephyr" not in answer, (outsider, address)
    assert {visit(people.ada).open(address).status for address in here} == {200}

    # A supervisor of another team sees figures without these cases
    people.petra.team = people.eve.team
    people.petra.save()
    petra = visit(people.petra)
    assert "No visit of a step ended here." in petra.open(here[0])
    assert "Zephyr" not in petra.open(here[-1])


def test_a_restricted_case_is_counted_for_auditors_alone(
    desk: Any, people: Any, visit: Any
) -> None:
    case = open_case(
        kind="trial",
        facts={"script": "local"},
        title="Zephyr",
        actor=Actor.of(people.sanne),
        owner=people.sanne,
        team=people.sanne.team,
        restricted=True,
    )
    desk.engine.advance(days=1)
    assert Case.objects.get(pk=case.pk).closed_at is not None
    writing.catch_up(seconds=None)
    page = visit(people.petra).open("/insight/trial/")
    assert "No visit of a step ended here." in page and "restricted ones are left out" in page
    assert "Trying" in visit(people.ada).open("/insight/trial/")


@pytest.mark.parametrize(
    "asked", ["", "?show=nothing", "?show=time&step=%00", "?show=terms&month=2026-99&sort=clock"]
)
def test_nonsense_is_answered_calmly(desk: Any, people: Any, visit: Any, asked: str) -> None:
    answer = visit(people.petra).open(f"/insight/trial/cases/{asked}")
    assert answer.status in (200, 404)
    assert visit(people.petra).open("/insight/trial/?period=x&team=y&of=z").status == 200
    assert visit(people.petra).open("/insight/nothing/").status == 404
