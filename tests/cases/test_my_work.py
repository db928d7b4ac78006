"""My work to the full: why a row is here, filters that stay, many rows at once, kept lists."""

from __future__ import annotations

import gzip
import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.read import events_of
from cases import dates
from cases.actors import Actor
from cases.models import Absence, BulkAct, Case, Person, Reminder, SavedList, Task, Team
from processes.acts.cases import assign_case
from processes.acts.notes import add_note
from processes.acts.reminders import set_reminder
from processes.acts.tasks import complete_task
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def jan(people: Any) -> Person:
    """A second caseworker of the team."""
    jan = Person.objects.create_user("jan", first_name="Jan", team=people.sanne.team)
    jan.groups.add(Group.objects.get(name="caseworker"))
    return jan


def key_of(case: Case) -> str:
    return f"c{case.pk}.{Case.objects.get(pk=case.pk).head_number}"


def away(person: Person, *, substitute: Person | None = None, days: int = 7) -> None:
    today = dates.local_date(clock.now())
    Absence.objects.create(
        person=person,
        from_date=today,
        until_date=today + timedelta(days=days),
        substitute=substitute,
        entered_at=clock.now(),
        entered_by="engine",
    )


def fill(people: Any, model: Case, n: int) -> None:
    """Rows that only a list looks at, as many as wanted: copies of a case, some with a task."""
    task = Task.objects.filter(case=model).first()
    for number in range(n):
        copy = Case.objects.get(pk=model.pk)
        copy.pk, copy._state.adding, copy.reference = None, True, f"CP-{n}-{number}"
        copy.owner = people.sanne if number % 2 else None
        copy.save()
        if task is not None and number % 3 == 0:
            task.pk, task._state.adding, task.case = None, True, copy
            task.role, task.holder = "caseworker", people.sanne if number % 2 else None
            task.save()


@pytest.mark.unsound("copies rows that only a list looks at, without a history")
def test_no_page_takes_more_than_eleven_queries_however_long(
    desk: Any, visit: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(clock, "STALE_SECONDS", float("inf"))
    model = desk.open("review", title="Bakkerij De Gouden Korenaar en Zonen")
    away(desk.people.sanne, substitute=desk.people.petra)
    SavedList.objects.create(
        owner=desk.people.sanne, name="Mine", page="cases", saved_at=clock.now()
    )
    Task.objects.update(role="caseworker")
    addresses = [f"/work/?show={tab}" for tab in ("mine", "waiting", "queue", "reviews", "done")]
    addresses += ["/work/?show=queue&due=never&sort=case", "/cases/", "/cases/?sort=-owner"]
    visitor, seen = visit(desk.people.sanne), []
    for more in (5, 495):
        fill(desk.people, model, more)
        for address in addresses:
            visitor.open(address)
            with CaptureQueriesContext(connection) as queries:
                page = visitor.open(address)
            assert page.status == 200
            told = "\n".join(query["sql"][:150] for query in queries)
            # The last one is the row of the read log.
            assert len(queries) <= 11, f"{address}: {len(queries)}\n{told}"
            assert len(gzip.compress(page.response.content)) <= 60_000
            seen.append((address, len(queries)))
    assert len(dict(seen)) == len(addresses)
    assert visitor.open("/work/?show=queue").html.count('name="row"') == 50


@pytest.mark.unsound("a question that comes back, made of its row alone")
def test_each_row_says_why_it_is_here(desk: Any, visit: Any) -> None:
    milan = Actor.of(desk.people.milan)
    case = desk.open("review", title="De Loper")
    task = desk.claim(case, desk.people.milan)
    assert "New" in visit(desk.people.milan).open("/work/")
    desk.engine.advance(days=1)
    assert "Your turn" in visit(desk.people.milan).open("/work/")
    # When the same question comes back to who answered it
    complete_task(task_id=task.pk, outcome="approve", reason="", actor=milan)
    desk.engine.settle()
    again = {"name": task.name, "holder": desk.people.milan, "unlike": []}
    Task.objects.filter(case=case, state="open").update(**again)
    assert "Returned to you" in visit(desk.people.milan).open("/work/")


def test_near_is_counted_in_working_days_of_the_team(desk: Any, visit: Any) -> None:
    from cases.queries import near_until

    # Friday 4 Dec 2026: five working days end on Friday the 11th; New Year and weekends count not
    for day, end in (
        (date(2026, 12, 4), date(2026, 12, 11)),
        (date(2026, 12, 24), date(2027, 1, 4)),
    ):
        from timers import calendars

        noon = calendars.default().at(day, calendars.default().opens)
        near = near_until(desk.people.sanne.team_id, noon)
        assert dates.local_date(near - timedelta(seconds=1)) == end


def test_filters_stay_in_the_address_and_come_off_one_by_one(desk: Any, visit: Any) -> None:
    desk.open("patience", title="De Loper")
    desk.open("race", title="Snelle Jan")
    visitor = visit(desk.people.sanne)
    page = visitor.open("/work/?show=waiting&waiting=applicant&due=later&sort=-case&step=trying")
    assert "De Loper" in page and "Snelle Jan" not in page
    chips = re.findall(r'<li><a href="([^"]+)">(\w[^:<]*):', page.html)
    assert [label for _address, label in chips] == ["Step", "Waiting for", "Due"]
    without = chips[1][0].replace("&amp;", "&")
    assert "waiting=applicant" not in without and "sort=-case" in without
    assert "due=later" in without and "show=waiting" in without
    assert 'aria-sort="descending"' in page.html
    nothing = visitor.open("/work/?show=waiting&kind=none")
    assert "Nothing here fits these filters." in nothing and "Clear all filters" in nothing
    assert "shorter than that by now" in visitor.open("/work/?show=waiting&page=7")
    assert (
        visitor.open("/work/?show=no&kind=%00&sort=sql&due=x&owner=9999999999999999999").status
        == 200
    )


def test_a_list_of_cases_keeps_team_state_order_and_page(
    desk: Any, visit: Any, jan: Person
) -> None:
    # W5: what one bookmarks, a colleague sees within their rights
    north, south = desk.people.sanne.team_id, desk.people.eve.team_id
    for title in ("Aarde", "Water", "Vuur"):
        desk.open("patience", title=title)
    address = f"/cases/?team={north}&state=all&sort=-case"
    for person in (desk.people.sanne, jan, desk.people.ada):
        page = visit(person).open(address)
        places = [page.html.index(title) for title in ("Water", "Vuur", "Aarde")]
        assert places == sorted(places)
    assert "0 cases" in visit(desk.people.eve).open(address)
    assert "0 cases" in visit(desk.people.ada).open(f"/cases/?team={south}&state=all")
    assert "see its first page" in visit(desk.people.ada).open(f"{address}&page=3").html.lower()


@pytest.mark.unsound("restricts it by hand")
def test_signs_are_taken_literally_and_nothing_is_given_away(desk: Any, visit: Any) -> None:
    # X2
    for title in ("50% grant", "case_1", "case-1", "zephyr"):
        desk.open("patience", title=title)
    Case.objects.filter(title="zephyr").update(restricted=True, owner=desk.people.petra)
    visitor = visit(desk.people.sanne)
    for sent, found in (("%", 1), ("_", 1), ("50%", 1), ("case_1", 1), ("\\", 0), ("zephyr", 0)):
        page = visitor.client.get("/cases/", {"find": sent, "state": "all"})
        words = "1 case" if found == 1 else f"{found} cases"
        assert f"<b>{words}</b>" in page.content.decode(), sent
    assert visitor.client.get("/cases/", {"find": ""}).status_code == 200
    assert visitor.client.get("/cases/", {"find": "x" * 10_000}).status_code == 422


def test_rows_are_chosen_looked_at_and_handed_over(desk: Any, visit: Any, jan: Person) -> None:
    # Given three cases on a list, of which a colleague then changes one
    cases = [desk.open("patience", title=title) for title in ("Aarde", "Water", "Vuur")]
    visitor = visit(desk.people.sanne)
    page = visitor.open("/work/?show=waiting&sort=case")
    keys = re.findall(r'name="row" value="([^"]+)"', page.html)
    assert len(keys) == 3
    add_note(case_id=cases[1].pk, text="Called.", actor=Actor.of(desk.people.petra))

    # When they are handed over, after a look at what will not work
    preview = page.send("/chosen/", row=keys, what="hand-over", scope="ticked")
    act = BulkAct.objects.get()
    here = act.get_absolute_url()
    assert "2 can be done" in preview and "Petra Smit changed it" in preview
    asked = {"to": str(jan.pk), "reason": "I am away."}
    looked = preview.send(here, look="1", **asked)
    assert BulkAct.objects.get().begun_at is None and "2 can be done" in looked
    wrong = preview.send(here, to="", reason="")
    assert wrong.status == 422 and BulkAct.objects.get().begun_at is None
    done = preview.send(here, **asked)
    twice = preview.send(here, **asked)

    # Then the result says so row by row, and the way back keeps the filters
    for one in (done, twice):
        assert "2 of 3 done" in one and "1 not done" in one and "Jan has it now." in one
    assert "/work/?show=waiting&amp;sort=case" in done.html
    assert Case.objects.filter(owner=jan).count() == 2
    marks = [e for case in cases for e in events_of(case.pk) if e.type == "case.assigned"]
    assert [e.data["batch"] for e in marks] == [act.pk] * 2

    # And the refused one can be tried again, alone, and looked up later
    again = done.send(f"{here}again/")
    assert "1 can be done" in again and "I am away." in again
    assert "Hand over" in visitor.open("/chosen/")
    assert visit(jan).open(here).status == 404


def test_all_of_a_list_means_all_that_its_filters_leave(desk: Any, visit: Any) -> None:
    for title in ("Aarde", "Water"):
        desk.open("patience", title=title)
    desk.open("race", title="Snelle Jan")
    page = visit(desk.people.sanne).open("/work/?show=waiting&due=later")
    day = dates.local_date(clock.now()) + timedelta(days=3)
    preview = page.send("/chosen/", scope="all", what="remind")
    act = BulkAct.objects.get()
    assert act.rows.count() == 2
    preview.send(act.get_absolute_url(), day=day.isoformat(), text="Call")
    assert set(Reminder.objects.values_list("case__title", flat=True)) == {"Aarde", "Water"}
    assert "Reminder" in visit(desk.people.sanne).open("/work/?show=waiting")
    assert page.send("/chosen/", scope="ticked", what="remind").status == 422
    cases = visit(desk.people.sanne).open("/cases/?find=water")
    cases.send("/chosen/", scope="all", what="hand-over")
    assert BulkAct.objects.latest("pk").rows.get().case.title == "Water"


def test_nobody_acts_on_what_they_may_not_see(desk: Any, visit: Any) -> None:
    # X1: another team's case is as one that does not exist, also in a form that names it
    case = desk.open("patience", title="De Loper")
    page = visit(desk.people.eve).open("/chosen/")
    own = {"key": "5b0bb7a4-30cf-4d3c-9d2f-6d3a0e6f1a11", "for": str(desk.people.eve.pk)}
    sent = {**own, "row": [key_of(case), "c999999999.1"], "what": "take", "scope": "ticked"}
    answer = page.client.post("/chosen/", sent, follow=True).content.decode()
    assert answer.count("A case that you may not see") == 2
    assert "De Loper" not in answer and case.reference not in answer
    ada = visit(desk.people.ada).open("/cases/")
    assert "De Loper" in ada and 'name="row"' not in ada.html


def test_a_substitute_finds_the_work_of_whoever_is_away(desk: Any, visit: Any, jan: Person) -> None:
    case = desk.open("patience", title="De Loper")
    desk.send_document(case, "passport")
    assert "De Loper" not in visit(jan).open("/work/")
    away(desk.people.sanne, substitute=jan)
    page = visit(jan).open("/work/")
    assert "De Loper" in page and "Sanne de Wit" in page
    assert "Jan stands in" in visit(desk.people.petra).open("/cases/")


@pytest.mark.unsound("gives it by hand")
def test_the_next_one_says_why_and_leaves_out_what_is_not_for_me(
    desk: Any, visit: Any, jan: Person
) -> None:
    # Given the most pressing review, which Milan opened himself, and a second one
    own, other = desk.open("review", title="Own"), desk.open("review", title="Other")
    Case.objects.filter(pk=own.pk).update(owner=None)
    Task.objects.filter(case=own).update(unlike=[f"person:{desk.people.milan.pk}"])
    visitor = visit(desk.people.milan)
    page = visitor.open("/work/next/")
    assert "Other" in page and "It is the most pressing: due" in page
    taken = page.send("/work/next/")
    assert "You have this task now. It is the most pressing" in taken
    assert Task.objects.get(case=other).holder == desk.people.milan
    assert Task.objects.get(case=own).holder is None
    nothing = visitor.open("/work/next/")
    assert "Nothing waits to be taken that you may take." in nothing

    # A caseworker takes a case that nobody has
    Case.objects.filter(pk=own.pk).update(owner=desk.people.sanne)
    free = desk.open("patience", title="Free")
    assign_case(case_id=free.pk, owner=None, actor=Actor.of(desk.people.sanne))
    assert "You have this case now." in visit(jan).open("/work/next/").send("/work/next/")
    assert Case.objects.get(pk=free.pk).owner == jan


def test_a_list_is_kept_shared_renamed_begun_with_and_removed(
    desk: Any, visit: Any, jan: Person
) -> None:
    desk.open("patience", title="De Loper")
    visitor = visit(desk.people.sanne)
    page = visitor.open("/cases/?find=loper&page=1&nonsense=1")
    form = re.search(r'href="(/lists/new/[^"]+)"', page.html)
    assert form
    new = visitor.open(form[1].replace("&amp;", "&"))
    assert "Found by: loper" in new
    kept = new.send("/lists/new/", name="Lopers", shared="on", start="on")
    assert "“Lopers” is kept." in kept and "De Loper" in kept
    saved = SavedList.objects.get()
    assert (saved.query, saved.page) == ("find=loper", "cases")
    assert visitor.open("/").response["Location"] == "/cases/?find=loper"
    assert new.send("/lists/new/", name="lopers").status in (200, 422, 409)
    assert SavedList.objects.count() == 1

    # The team sees it, each within their own rights; others do not
    assert "Lopers" in visit(jan).open("/work/")
    assert "Lopers" not in visit(desk.people.eve).open("/work/")
    assert visit(desk.people.eve).open(f"/lists/{saved.pk}/").status == 404
    assert "0 cases" in visit(desk.people.eve).open(saved.address)

    # A colleague may begin with it, and change nothing
    visit(jan).open(f"/lists/{saved.pk}/").send(f"/lists/{saved.pk}/", start="on", name="Mine now")
    assert SavedList.objects.get().name == "Lopers"
    assert Person.objects.get(pk=jan.pk).start_list == saved
    client = visit(jan).client
    own = {"key": "5b0bb7a4-30cf-4d3c-9d2f-6d3a0e6f1a12", "for": str(jan.pk)}
    assert client.post(f"/lists/{saved.pk}/remove/", own).status_code in (302, 303, 403)
    assert SavedList.objects.exists()

    # Its owner renames and removes it; whoever began with it begins with their work again
    change = visitor.open(f"/lists/{saved.pk}/")
    change.send(f"/lists/{saved.pk}/", name="Runners")
    assert SavedList.objects.get().name == "Runners" and SavedList.objects.get().team is None
    assert visit(jan).open("/").response["Location"] == "/work/"
    change.send(f"/lists/{saved.pk}/remove/")
    assert not SavedList.objects.exists()


def test_a_reminder_is_set_and_cancelled_by_whoever_wants_it(desk: Any, visit: Any) -> None:
    case = desk.open("patience", title="De Loper")
    visitor, here = visit(desk.people.sanne), f"{case.get_absolute_url()}remind/"
    day = dates.local_date(clock.now()) + timedelta(days=3)
    form = visitor.open(here)
    assert form.send(here, day="2020-01-01").status == 422
    form.send(here, day=day.isoformat(), text="Call")
    assert Reminder.objects.get().text == "Call"
    page = visitor.open(here)
    assert "You are reminded of this case on" in page
    page.send(f"{here}cancel/")
    assert not Reminder.objects.exists()
    assert visit(desk.people.eve).open(here).status == 404
    assert visit(desk.people.ada).open(here).status == 403
    set_reminder(case_id=case.pk, day=day, actor=Actor.of(desk.people.sanne))
    desk.engine.advance(days=4)
    assert "You wanted to be reminded of this case today." in visitor.open("/work/")


def test_a_team_without_a_name_for_it_is_no_error(desk: Any, visit: Any) -> None:
    alone = Person.objects.create_user("alone", first_name="Alone")
    alone.groups.add(Group.objects.get_or_create(name="caseworker")[0])
    assert Team.objects.count() == 2
    assert visit(alone).open("/work/").status == 200
    assert visit(alone).open("/lists/new/?list=work&query=show%3Dqueue").status == 200
