"""Many cases to many people: chosen, looked at beforehand, each with a result of its own."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from audit.models import Event
from cases import absence
from cases.actors import Actor
from cases.models import Case, Person, Task
from processes.acts import absences
from processes.acts.cases import assign_case, change_facts
from tests.fixtures.desk import PASSWORD


def free(desk: Any, people: Any, count: int) -> list[Case]:
    made = [desk.open("staff", title=f"Case {place}") for place in range(count)]
    for case in made:
        assign_case(case_id=case.pk, owner=None, actor=Actor.of(people.petra), reason="new")
    return made


def team_of(people: Any) -> str:
    return f"/team/{people.petra.team_id}/"


def choose(page: Any, people: Any, **more: Any) -> Any:
    """Send the page of choosing as it was suggested."""
    address = f"{team_of(people)}assign/"
    chosen = {
        name: value
        for name, block in re.findall(r'<select name="(to-\d+)".*?>(.*?)</select>', page.html, re.S)
        for value in re.findall(r'value="(\d+)" selected', block)
    }
    # Hidden fields with a hyphen in their name are sent as they are, too
    chosen |= dict(re.findall(r'name="(seen-\d+)" value="(\d+)"', page.html))
    return page.send(address, **chosen, reason="Spread by load", **more)


def here(page: Any) -> str:
    found = re.search(r'action="(/team/\d+/spread/\d+/)"', page.html)
    assert found is not None
    return found[1]


def test_cases_without_caseworker_are_spread_by_load_and_absence(
    desk: Any, people: Any, joris: Person, visit: Any
) -> None:
    # Given six cases that nobody has; Sanne has one already, and Aad is away
    desk.open("staff")
    cases = free(desk, people, 6)
    away = Person.objects.create_user("aad", first_name="Aad", team=people.petra.team)
    away.groups.set(people.sanne.groups.all())
    absences.enter_absence(
        person=away,
        from_date=absence.today(),
        until_date=absence.today() + timedelta(days=9),
        actor=Actor.of(people.petra),
    )

    # When Petra takes the suggestion, looks, and does it
    petra = visit(people.petra)
    preview = choose(petra.open(f"{team_of(people)}assign/"), people)
    assert "6 will change" in preview and "Nothing has changed yet" in preview
    assert Case.objects.filter(owner=None, closed_at=None).count() == 6
    result = preview.send(here(preview))
    assert "6 are as you wanted" in result

    # Then each case has its own event, with one number for all, and the loads are even
    owned = [
        Case.objects.filter(owner=one, closed_at=None).count() for one in (people.sanne, joris)
    ]
    assert sorted(owned) == [3, 4] and not Case.objects.filter(owner=away).exists()
    events = [
        Event.objects.filter(case_id=case.pk, type="case.assigned").order_by("-number")[0]
        for case in cases
    ]
    assert len({event.data["batch"] for event in events}) == 1
    assert {event.actor for event in events} == {f"person:{people.petra.pk}"}
    assert all(event.data["before"] is None and event.data["owner"] for event in events)


def test_of_ten_three_are_refused_with_the_reason_and_only_those_are_tried_again(
    desk: Any, people: Any, joris: Person, visit: Any
) -> None:
    # Given ten cases on Petra's page
    cases = free(desk, people, 10)
    petra = visit(people.petra)
    page = petra.open(f"{team_of(people)}assign/")
    preview = choose(page, people)

    # When one is closed, one goes to another team, and one is changed by a colleague meanwhile
    from processes.acts.cases import move_case

    move_case(
        case_id=cases[0].pk,
        name="withdraw",
        data={"reason": "changed their mind"},
        actor=Actor.of(people.sanne),
    )
    assign_case(case_id=cases[1].pk, owner=people.eve, actor=Actor("service:x"), reason="theirs")
    change_facts(
        case_id=cases[2].pk, changes={"amount": 7}, reason="new", actor=Actor.of(people.sanne)
    )
    again = petra.open(here(preview))
    assert "7 will change" in again and "3 will not" in again
    result = again.send(here(again))

    # Then seven are done, three are named with their reason, and the page can be looked up
    assert "7 are as you wanted" in result and "3 were refused" in result
    assert "Sanne de Wit changed it on" in result
    assert "among the cases that you may see" in result
    assert "7 are as you wanted" in petra.open(here(result))
    before = Event.objects.filter(type="case.assigned").count()
    retry = result.send(here(result), again="1")
    assert retry.html.count('class="tag') == 3 or "will change" in retry
    done = retry.send(here(retry))
    assert Event.objects.filter(type="case.assigned").count() == before + 1
    assert "1 is as you wanted" in done

    # And nobody else's page is this
    assert visit(people.eve).open(here(done)).status == 404


@pytest.mark.unsound("takes the due moment away by hand")
def test_somebody_leaves_and_their_work_goes_where_the_rule_says(
    desk: Any, people: Any, joris: Person, visit: Any, bram: Person
) -> None:
    # Given Sanne with three cases, a task in hand, and Joris standing in for her next week
    cases = [desk.open("staff", title=f"Case {place}") for place in range(3)]
    people.sanne.groups.add(*people.milan.groups.all())
    held = desk.open("review", title="A review")
    assign_case(case_id=held.pk, owner=joris, actor=Actor.of(people.petra), reason="his")
    other = desk.open("review")
    Task.objects.filter(case=held.pk).update(due_at=None)
    absences.enter_absence(
        person=people.sanne,
        from_date=absence.today() + timedelta(days=7),
        until_date=absence.today() + timedelta(days=20),
        substitute=joris,
        actor=Actor.of(people.sanne),
    )
    two_windows = [visit(people.sanne), visit(people.sanne)]
    assert two_windows[0].open("/work/").status == 200

    # When Petra lets her go, with the work to the substitute
    address = f"{team_of(people)}people/{people.sanne.pk}/move/"
    petra = visit(people.petra)
    preview = petra.open(address).send(
        address, rule="substitute", leaves="on", reason="leaves the bank"
    )
    assert "Joris Blom" in preview and "Nothing has changed yet" in preview
    assert Person.objects.get(pk=people.sanne.pk).is_active
    result = preview.send(here(preview))

    # Then each case is Joris's with an event that says why, and she is let in nowhere
    for case in [*cases, other]:
        fresh = Case.objects.get(pk=case.pk)
        event = Event.objects.filter(case_id=case.pk, type="case.assigned").order_by("-number")[0]
        assert fresh.owner == joris and event.data["reason"] == "leaves the bank"
    assert "can no longer sign in" in result
    for window in two_windows:
        assert window.client.get("/work/").status_code == 302
    assert not two_windows[0].client.login(username="sanne", password=PASSWORD)
    with pytest.raises(Exception, match="left"):
        assign_case(
            case_id=cases[0].pk,
            owner=Person.objects.get(pk=people.sanne.pk),
            actor=Actor.of(people.petra),
        )
