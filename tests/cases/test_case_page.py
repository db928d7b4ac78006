"""The case page answers: which step, waiting for whom since when, until when, what next."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cases.actors import Actor
from cases.errors import NotAllowed
from cases.models import Person
from processes.acts.tasks import complete_task

pytestmark = pytest.mark.django_db(transaction=True)

TABS = ("", "documents/", "reviews/", "notes/", "steps/", "history/")


def test_it_gives_the_four_answers(desk: Any, visit: Any) -> None:
    # Given a case that has waited for the applicant's papers for twelve days
    case = desk.open("patience")
    desk.engine.advance(days=12)

    # When its caseworker opens it
    page = visit(desk.people.sanne).open(case.get_absolute_url())

    # Then the page says all four
    assert page.status == 200
    assert "Trying" in page
    assert "For the applicant since 30 Nov (12 days)" in page
    assert "0 of 2 came in" in page
    assert "Wed 30 Dec 2026" in page
    assert "When all are accepted: the trial ends well" in page
    assert "Not by 30 Dec: the trial fails" in page


def test_outstanding_documents_offer_what_can_be_done(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    document = desk.send_document(case, "passport")
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert f'href="{document.get_absolute_url()}"' in page.html
    assert "Came in, to be judged" in page
    assert f"{case.get_absolute_url()}documents/new/payslip/" in page.html


def test_a_task_says_who_has_it(desk: Any, visit: Any) -> None:
    case = desk.open("review")
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert "Nobody has it" in page
    desk.claim(case, desk.people.milan)
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert "With Milan Kovač since 30 Nov" in page
    assert "Your turn" in visit(desk.people.milan).open(case.get_absolute_url())


def test_a_second_review_that_nobody_may_take_says_so(desk: Any, visit: Any) -> None:
    # Given a review for a second person, whom there is
    case = desk.open("review")
    task = desk.claim(case, desk.people.milan)
    complete_task(task_id=task.pk, outcome="approve", reason="", actor=Actor.of(desk.people.milan))
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert "Nobody has it." in page and "Nobody may take it" not in page

    # When all others of that role have left
    others = Person.objects.filter(groups__name="underwriter").exclude(pk=desk.people.milan.pk)
    Person.objects.filter(pk__in=[one.pk for one in others]).update(is_active=False)

    # Then the page does not let one wait for them
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert "Nobody may take it: it is for another person than before" in page


def test_a_stopped_case_says_that_nothing_is_lost(desk: Any, visit: Any) -> None:
    case = desk.stop()
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert "Stopped by a fault" in page
    assert "Nothing is lost" in page
    assert "/operations/incidents/" not in page.html
    page = visit(desk.people.otto).open(case.get_absolute_url())
    assert "/operations/incidents/" in page.html


def test_a_closed_case_says_how_it_ended_and_offers_no_acts(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    desk.engine.advance(days=31)
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert "Closed 30 Dec 2026: Failed. no documents" in " ".join(page.html.split()).replace(
        "</b>", ""
    )
    assert "Withdraw the trial" not in page


def test_every_tab_is_a_page_of_its_own_that_is_never_stored(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    for tab in TABS:
        page = visit(desk.people.sanne).open(case.get_absolute_url() + tab)
        assert page.status == 200
        assert page.response["Cache-Control"] == "no-store"
        assert "HX-Request" in page.response["Vary"] and "Cookie" in page.response["Vary"]
        assert "style=" not in page.html and "onclick" not in page.html


def test_the_work_of_a_team_is_its_own(desk: Any, visit: Any) -> None:
    """A task for a caseworker is one for a caseworker of the team whose case it is."""
    case = desk.open("counter")
    task = desk.task_of(case)
    eve = desk.people.eve
    assert visit(eve).open(case.get_absolute_url()).status == 404
    assert visit(eve).open(task.get_absolute_url()).status == 404
    assert case.reference not in visit(eve).open("/work/")
    with pytest.raises(NotAllowed):
        desk.claim(case, eve)
    desk.claim(case, desk.people.sanne)


def test_an_outsider_finds_no_page_of_it(desk: Any, visit: Any) -> None:
    case = desk.open("review")
    task, document = desk.task_of(case), desk.send_document(case, "passport")
    addresses = [case.get_absolute_url() + tab for tab in (*TABS, "facts/", "caseworker/", "pulse")]
    addresses += [task.get_absolute_url(), document.get_absolute_url()]
    addresses += [f"{task.get_absolute_url()}take/", f"{document.get_absolute_url()}file"]
    for address in addresses:
        assert visit(desk.people.eve).open(address).status == 404, address
        assert visit(None).open(address).status == 302, address


def test_an_auditor_reads_and_is_offered_nothing(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    page = visit(desk.people.ada).open(case.get_absolute_url())
    assert page.status == 200
    for word in ("Record a document", "Withdraw", "Change facts", "Keep the note"):
        assert word not in page


def test_it_takes_the_same_queries_however_much_it_shows(
    desk: Any, visit: Any, monkeypatch
) -> None:
    from timers import clock

    monkeypatch.setattr(clock, "STALE_SECONDS", float("inf"))
    few, many = desk.open("patience"), desk.open("patience")
    for number in range(12):
        desk.send_document(many, "passport", f"passport-{number}.pdf")
    visitor = visit(desk.people.sanne)
    for tab in TABS:
        visitor.open(few.get_absolute_url() + tab)
        with CaptureQueriesContext(connection) as first:
            visitor.open(few.get_absolute_url() + tab)
        with CaptureQueriesContext(connection) as second:
            visitor.open(many.get_absolute_url() + tab)
        assert len(second) == len(first), tab
        assert len(first) <= 16, tab  # the last one is its row in the read log


def test_the_pulse_is_silent_until_something_changes(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    visitor = visit(desk.people.sanne)
    address = f"{case.get_absolute_url()}pulse?seen={case.head_number}"
    assert visitor.open(address).status == 204
    desk.send_document(case, "passport")
    page = visitor.open(address)
    assert page.status == 200
    assert "This case changed: Passport received" in page


# -- outside work that fails


def test_work_that_is_tried_again_tells_how_often_why_and_when(desk: Any, visit: Any) -> None:
    from tests.trial import activities

    activities.trouble[:] = [ConnectionError("no answer within 30 s")]
    case = desk.open("unhandled")
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert "Tried 1 of 3 times" in page
    assert page.html.count("Attempt 1 of 3 failed: no answer within 30 s. Next try: ") == 2
    desk.engine.advance(hours=2)
    assert "Tried 1 of 3" not in visit(desk.people.sanne).open(case.get_absolute_url())


def test_work_that_is_refused_for_good_is_told_apart(desk: Any, visit: Any) -> None:
    from tests.trial import activities

    activities.trouble[:] = [activities.Refused("404, no such person")]
    case = desk.open("unhandled")
    activities.trouble.clear()
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert "Refused for good at attempt 1: 404, no such person. Not tried again by itself." in page
    assert "“Call” failed" in page and "trial.call" not in page

    used_up = desk.stop()
    page = visit(desk.people.sanne).open(used_up.get_absolute_url())
    assert "Attempt 3 of 3 failed, the last one: no answer within 30 s." in page
