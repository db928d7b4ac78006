"""The supervisor's pages: every number leads to the list it counts, and nobody else sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cases import absence, noticeboard
from cases.actors import Actor
from cases.models import Person, StepDay, TeamDay, Token
from processes.acts import absences, clients
from processes.acts.cases import assign_case
from processes.acts.messages import deliver_message
from processes.acts.people import deactivate_person
from processes.work import weekfigures
from tests.trial import activities

QUERIES = 15  # more than a list: it counts, looks back over weeks and steps, and names people


@pytest.fixture(autouse=True)
def calm_world() -> Iterator[None]:
    activities.trouble.clear()
    yield
    activities.trouble.clear()


def a_team_at_work(desk: Any, people: Any, joris: Person) -> None:
    """Cases in hand, in review, waiting, paused, stopped, late, and one that nobody has."""
    desk.open("review", title="In review")
    desk.open("staff", title="In hand")
    desk.open("passed_before", title="On the clock")
    desk.engine.advance(days=60)  # past its legal term
    paused = desk.open("stands_still", title="Paused")
    deliver_message(
        case_id=paused.pk, name="begin", data={}, source="t", key="1", actor=Actor("service:t")
    )
    desk.open("term", title="Young")
    free = desk.open("patience", title="Nobody's")
    assign_case(case_id=free.pk, owner=None, actor=Actor.of(people.petra), reason="to the team")
    given = desk.open("review", title="Of Joris")
    assign_case(case_id=given.pk, owner=joris, actor=Actor.of(people.petra), reason="his")
    desk.stop()


def test_every_number_leads_to_the_list_that_it_counts(
    desk: Any, people: Any, joris: Person, visit: Any
) -> None:
    a_team_at_work(desk, people, joris)
    desk.engine.settle()
    petra = visit(people.petra)
    page = petra.open(f"/team/{people.petra.team_id}/")
    assert page.status == 200
    found = re.findall(
        r'<a (?:class="[^"]*" )?href="(/team/\d+/cases/[^"]*)">(?:<b[^>]*>)?(\d+)', page.html
    )
    assert len(found) > 12, found
    for address, number in found:
        listed = petra.open(address.replace("&amp;", "&"))
        shown = re.search(r"(\d+) open cases? of the team", listed.html)
        assert shown and shown[1] == number, (address, number)
        rows = listed.html.count('<tr>\n    <th scope="row">')
        assert rows == int(number), address
    tiles = dict(re.findall(r'\?show=(\w+)"><b class="[^"]*">(\d+)', page.html))
    assert tiles["limit"] == "1" and tiles["stopped"] == "1"
    late = petra.open(f"/team/{people.petra.team_id}/cases/?show=limit")
    assert "On the clock" in late and re.search(r"Legal term ran out on \d+ \w+", late.html)


def asked(queries: CaptureQueriesContext) -> list[str]:
    """The queries, without the look at the clock that comes once a second."""
    told = [query["sql"] for query in queries.captured_queries]
    return [sql for sql in told if "clock_timestamp" not in sql]


def test_the_page_takes_the_same_queries_for_any_number_of_cases(
    desk: Any, people: Any, joris: Person, visit: Any
) -> None:
    petra, address = visit(people.petra), f"/team/{people.petra.team_id}/"
    desk.open("review")
    for page in (address, f"{address}cases/", f"{address}people/{people.sanne.pk}/"):
        with CaptureQueriesContext(connection) as first:
            assert petra.open(page).status == 200
        for _ in range(4):
            desk.open("term")
        with CaptureQueriesContext(connection) as second:
            petra.open(page)
        assert len(asked(second)) <= len(asked(first)) <= QUERIES, asked(second)


def test_only_who_leads_the_team_and_auditors_see_its_pages(
    desk: Any, people: Any, joris: Person, visit: Any
) -> None:
    # Given a supervisor of another team, and a substitute of Petra's
    desk.open("review", title="Hartog Bakery")
    other = Person.objects.create_user("other", team=people.eve.team)
    other.groups.add(*people.petra.groups.all())
    absences.enter_absence(
        person=people.petra,
        from_date=absence.today(),
        until_date=absence.today(),
        substitute=joris,
        actor=Actor.of(people.petra),
    )
    team = f"/team/{people.petra.team_id}/"
    person = f"{team}people/{people.sanne.pk}/"
    pages = [team, f"{team}cases/", f"{team}assign/", person, f"{person}move/"]
    for outsider in (other, people.eve, people.sanne, joris, people.otto):
        for page in pages:
            answer = visit(outsider).open(page)
            assert answer.status == 404 and "Hartog" not in answer, (outsider, page)
        assert visit(outsider).client.post(f"{team}assign/", {}).status_code == 404

    # An auditor reads and changes nothing
    ada = visit(people.ada)
    assert [ada.open(page).status for page in pages] == [200, 200, 403, 200, 403]
    assert "Assign" not in ada.open(team)

    # And whoever leads a second team sees both
    people.petra.leads.add(people.eve.team)
    petra = visit(people.petra)
    assert petra.open(f"/team/{people.eve.team_id}/").status == 200
    assert "Business credit South" in petra.open(team)


def test_a_restricted_case_is_in_no_number_of_the_page(desk: Any, people: Any, visit: Any) -> None:
    from processes.acts.cases import open_case

    open_case(
        kind="trial",
        facts={"script": "staff"},
        title="Zephyr",
        actor=Actor.of(people.sanne),
        owner=people.sanne,
        restricted=True,
    )
    page = visit(people.petra).open(f"/team/{people.petra.team_id}/")
    assert "0 open cases" in page
    assert "Zephyr" not in visit(people.petra).open(f"/team/{people.petra.team_id}/cases/")


def test_figures_of_past_weeks_made_anew_are_those_that_were_written(
    desk: Any, people: Any, joris: Person, visit: Any, clock: Any
) -> None:
    # Given a team whose figures were written at the end of each week
    written: dict[Any, list[int]] = {}
    a_team_at_work(desk, people, joris)
    to_sunday = 6 - absence.today().weekday()
    desk.engine.advance(days=to_sunday)
    for _ in range(3):
        weekfigures.write_today()
        row = TeamDay.objects.get(team=people.petra.team_id, day=absence.today())
        written[row.day] = [row.in_hand, row.waiting, row.in_review, row.past_limit]
        desk.engine.advance(days=5)
        desk.open("review", title="A further one")
        desk.engine.advance(days=2)
    assert any(sum(one) for one in written.values())
    steps = sorted(StepDay.objects.values_list("day", "step", "took_days", "visits"))

    # When they are lost and made anew from history
    TeamDay.objects.all().delete()
    StepDay.objects.all().delete()
    call_command("teamfigures", weeks=14)

    # Then they are the same
    anew = {
        row.day: [row.in_hand, row.waiting, row.in_review, row.past_limit]
        for row in TeamDay.objects.filter(team=people.petra.team_id, day__in=written)
    }
    assert anew == written
    again = sorted(StepDay.objects.values_list("day", "step", "took_days", "visits"))
    assert steps and set(steps) <= set(again)
    page = visit(people.petra).open(f"/team/{people.petra.team_id}/")
    assert re.search(r"Open cases (rose|fell|went|stayed)", page.html)
    assert page.html.count('class="active area"') == 1


def test_who_is_away_is_said_beside_their_load(
    desk: Any, people: Any, joris: Person, visit: Any
) -> None:
    desk.open("staff")
    page = visit(people.petra).open(f"/people/{people.sanne.pk}/absences/")
    until = absence.today() + timedelta(days=3)
    done = page.send(
        f"/people/{people.sanne.pk}/absences/",
        from_date=absence.today().isoformat(),
        until_date=until.isoformat(),
        substitute=joris.pk,
    )
    assert "is away until" in done
    team = visit(people.petra).open(f"/team/{people.petra.team_id}/")
    assert "Away until" in team and "Joris Blom stands in" in team
    # The outsider enters nothing for others, and oneself is shown one's own
    assert visit(people.eve).open(f"/people/{people.sanne.pk}/absences/").status == 404
    assert visit(people.sanne).open(f"/people/{people.sanne.pk}/absences/").status == 200
    # The same days once more are refused, with the text kept
    again = page.send(
        f"/people/{people.sanne.pk}/absences/",
        from_date=until.isoformat(),
        until_date=until.isoformat(),
    )
    assert again.status in (409, 422) and Person.objects.get(pk=joris.pk)
    link = re.search(rf'href="(/people/{people.sanne.pk}/absences/\d+/end/)"', again.html)
    assert link is not None
    assert "is ended" in visit(people.sanne).open(link[1]).send(link[1])
    assert not absence.away_now([people.sanne])


def test_cases_of_somebody_who_left_are_without_caseworker_and_their_supervisor_knows(
    desk: Any, people: Any, joris: Person, visit: Any
) -> None:
    # Given Joris, away, with two cases and Eve standing in, who has a token and leaves
    for title in ("Of Joris", "Of Joris too"):
        given = desk.open("review", title=title)
        assign_case(case_id=given.pk, owner=joris, actor=Actor.of(people.petra), reason="his")
    day = absence.today()
    absences.enter_absence(
        person=joris, from_date=day, until_date=day, substitute=people.eve, actor=Actor.of(joris)
    )
    clients.issue_token(actor=Actor.of(joris), person=joris)
    petra = visit(people.petra)
    assert "Eve Outside stands in" in petra.open(f"/team/{people.petra.team_id}/")
    Person.objects.filter(pk=people.eve.pk).update(is_active=False)
    assert "Eve Outside stands in" not in petra.open(f"/team/{people.petra.team_id}/")
    deactivate_person(person=joris, actor=Actor.of(people.petra))

    # Then the page counts both as nobody's, says why, and offers to assign them
    page = petra.open(f"/team/{people.petra.team_id}/")
    assert "has left" in page and "Away until" not in page
    assert '?show=nobody"><b>2</b>' in page.html and "Assign 2 cases" in page
    listed = petra.open(f"/team/{people.petra.team_id}/cases/?show=nobody")
    assert "Of Joris too" in listed
    assert "Of Joris too" in petra.open(f"/team/{people.petra.team_id}/assign/")
    # and the supervisors were told once; the token is over, also when Joris comes back
    told = [one.text for one in noticeboard.unread(people.petra)]
    assert told == [f"{joris} has left; 2 cases have no caseworker any more."]
    assert Token.objects.get(person=joris).revoked_at is not None
