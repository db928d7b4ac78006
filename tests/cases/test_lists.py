"""My work and the list of cases: what is on them, in which order, and how they are narrowed."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.django_db(transaction=True)


def order_of(page: Any, *titles: str) -> bool:
    places = [page.html.index(title) for title in titles]
    return places == sorted(places)


def test_what_needs_me_comes_with_its_reason(desk: Any, visit: Any) -> None:
    # Given a case whose paper came in, one that waits, and one nobody has
    answered = desk.open("patience", title="De Loper")
    desk.open("patience", title="Stille Wateren")
    desk.send_document(answered, "passport")
    visitor = visit(desk.people.sanne)

    # Then each is on its own tab
    mine = visitor.open("/work/")
    assert "De Loper" in mine and "Answer came in" in mine
    assert "Stille Wateren" not in mine
    assert "Waiting for others (1)" in mine
    assert "Stille Wateren" in visitor.open("/work/?show=waiting")


def test_reviews_wait_for_whoever_may_do_them(desk: Any, visit: Any) -> None:
    case = desk.open("review", title="De Loper")
    for person in (desk.people.milan, desk.people.ayse):
        assert "De Loper" in visit(person).open("/work/?show=reviews")
    desk.claim(case, desk.people.milan)
    assert "De Loper" in visit(desk.people.milan).open("/work/")
    assert "De Loper" not in visit(desk.people.ayse).open("/work/?show=reviews")


@pytest.mark.unsound("gives it by hand")
def test_a_case_whose_task_is_offered_stands_once_in_the_queue(desk: Any, visit: Any) -> None:
    from cases.models import Case

    case = desk.open("review", title="De Loper")
    Case.objects.filter(pk=case.pk).update(owner=None)
    desk.people.sanne.groups.add(desk.people.milan.groups.get())
    page = visit(desk.people.sanne).open("/work/?show=queue")
    assert page.html.count(">De Loper</a>") == 1


def test_four_eyes_are_kept_in_the_list_too(desk: Any, visit: Any) -> None:
    from cases.actors import Actor
    from processes.acts.tasks import complete_task

    case = desk.open("review", title="De Loper")
    task = desk.claim(case, desk.people.milan)
    complete_task(task_id=task.pk, outcome="approve", reason="", actor=Actor.of(desk.people.milan))
    assert "De Loper" not in visit(desk.people.milan).open("/work/?show=reviews")
    assert "De Loper" in visit(desk.people.milan).open("/work/?show=done")
    assert "De Loper" in visit(desk.people.ayse).open("/work/?show=reviews")
    second = visit(desk.people.milan).open(desk.task_of(case).get_absolute_url())
    assert "A second, different person does this one" in second
    assert "Take this task" not in second


def test_the_earliest_deadline_comes_first_in_groups(desk: Any, visit: Any) -> None:
    desk.open("patience", title="Early Bird")
    desk.engine.advance(days=27)
    desk.open("patience", title="Late Riser")
    page = visit(desk.people.sanne).open("/work/?show=waiting")
    assert order_of(page, "Due within 5 working days (1)", "Early Bird", "Later (1)", "Late Riser")


def test_an_empty_list_says_what_would_be_there(desk: Any, visit: Any) -> None:
    assert "Nothing needs you." in visit(desk.people.sanne).open("/work/")
    assert "No review waits for you." in visit(desk.people.milan).open("/work/?show=reviews")
    assert "There are no open cases that you may see." in visit(desk.people.eve).open("/cases/")


def test_cases_are_narrowed_and_cleared(desk: Any, visit: Any) -> None:
    desk.open("patience", title="De Loper")
    desk.stop("Registry Farm")
    visitor = visit(desk.people.sanne)
    assert "2 cases" in visitor.open("/cases/")
    assert "De Loper" not in visitor.open("/cases/?state=stopped")
    assert "Registry Farm" in visitor.open("/cases/?state=stopped")
    assert "De Loper" in visitor.open("/cases/?find=loper")
    assert "De Loper" in visitor.open("/cases/?waiting=applicant&step=trying&owner=me")
    nothing = visitor.open("/cases/?find=nobody&owner=nobody")
    assert "No case fits these filters." in nothing and "Clear all filters" in nothing
    assert visitor.open("/cases/?state=nonsense&page=nonsense&owner=%00").status == 200


def test_a_whole_reference_leads_to_its_case(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    page = visit(desk.people.sanne).open(f"/cases/?find={case.reference.lower()}")
    assert page.status == 302
    assert page.response["Location"] == case.get_absolute_url()


def test_the_list_alone_comes_when_htmx_asks_for_it(desk: Any, visit: Any) -> None:
    desk.open("patience", title="De Loper")
    headers = {"HX-Request": "true", "HX-Target": "div#found", "HX-Request-Type": "partial"}
    page = visit(desk.people.sanne).open("/cases/?find=loper", **headers)
    assert "<html" not in page.html
    assert "De Loper" in page and "1 case found" in page


def test_an_outsider_counts_none_of_it(desk: Any, visit: Any) -> None:
    desk.open("patience", title="De Loper")
    visitor = visit(desk.people.eve)
    for address in ("/cases/", "/cases/?state=all&find=loper", "/work/", "/work/?show=queue"):
        page = visitor.open(address)
        assert "De Loper" not in page
    assert "0 cases" in visitor.open("/cases/")


def test_everybody_comes_in_where_their_work_is(desk: Any, visit: Any) -> None:
    for person, address in [
        (desk.people.sanne, "/work/"),
        (desk.people.milan, "/work/"),
        (desk.people.otto, "/operations/incidents/"),
        (desk.people.ada, "/cases/"),
    ]:
        assert visit(person).open("/").response["Location"] == address
