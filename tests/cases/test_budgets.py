"""What a case page costs: the same queries and a light page, however much the case holds."""

from __future__ import annotations

import gzip
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cases.models import Case, Document, Note, Relation, Task
from processes.acts.advice import ask_advice
from timers import clock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.unsound]  # rows by the thousand

QUERIES = 16  # the last one is the row of the read log
BYTES = 60_000  # gzipped, without documents
MANY = 1_000


@pytest.fixture
def rich(request: pytest.FixtureRequest, desk: Any) -> Any:
    """A case with a thousand documents, tasks and notes, a parent, children and relations."""
    request.node.add_marker(pytest.mark.unsound("makes sub-cases by hand"))
    from cases.actors import Actor

    people = desk.people
    parent, case = desk.open("parent", "The whole matter"), desk.open("review", "Hartog Bakery")
    task = desk.claim(case, people.milan)
    ask_advice(
        task_id=task.pk, of=people.ayse, question="Is it sound?", actor=Actor.of(people.milan)
    )
    at = clock.now()
    common: dict[str, Any] = {"case_id": case.pk}
    Document.objects.bulk_create(
        Document(
            **common,
            name="passport",
            version=n,
            filename=f"passport-{n}.pdf",
            media_type="application/pdf",
            size=n,
            digest=f"{n:064d}",
            state="accepted",
            received_at=at - timedelta(minutes=n),
            received_from="party:applicant",
            judged_at=at,
            judged_by=f"person:{people.sanne.pk}",
        )
        for n in range(1, MANY)
    )
    Task.objects.bulk_create(
        Task(
            **common,
            visit=0,
            command=-n - 100_000,
            name="look",
            title=f"Look number {n}",
            role="underwriter",
            outcomes=[["approve", "Approve", False]],
            opened_at=at - timedelta(days=1),
            opened_number=1,
            state="done",
            closed_at=at,
            closed_by=f"person:{people.ayse.pk}",
            outcome="approve",
            reason="Sound, as the papers show.",
        )
        for n in range(MANY)
    )
    Note.objects.bulk_create(
        Note(**common, number=n, author=people.petra, text="A note.", written_at=at)
        for n in range(MANY)
    )
    other = desk.open("patience", "Another matter")
    Relation.objects.create(
        case=case, other=other, reason="One owner.", number=1, related_at=at, related_by="engine"
    )
    Case.objects.filter(pk=case.pk).update(parent=parent)
    return case


def counted(visitor: Any, address: str) -> tuple[int, int]:
    """The queries that a page takes, and its bytes as they are sent."""
    visitor.open(address)
    with CaptureQueriesContext(connection) as queries:
        page = visitor.open(address)
    assert page.status == 200
    return len(queries), len(gzip.compress(page.html.encode()))


def test_a_case_page_is_light_and_quick_whatever_the_case_holds(
    desk: Any, visit: Any, rich: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(clock, "STALE_SECONDS", float("inf"))
    small = desk.open("patience")
    for person in (desk.people.sanne, desk.people.petra, desk.people.ada, desk.people.milan):
        queries, size = counted(visit(person), rich.get_absolute_url())
        assert queries <= QUERIES, person
        assert size <= BYTES, person
        if person.pk in (desk.people.sanne.pk, desk.people.petra.pk):
            assert counted(visit(person), small.get_absolute_url())[0] <= queries
    for tab in ("steps/", "history/", "reviews/"):
        queries, size = counted(visit(desk.people.petra), f"{rich.get_absolute_url()}{tab}")
        assert (queries <= QUERIES, size <= BYTES) == (True, True), tab


def test_the_form_of_a_task_is_light_whatever_the_case_holds(
    desk: Any, visit: Any, rich: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(clock, "STALE_SECONDS", float("inf"))
    task = rich.tasks.get(state="open", advises=None)
    queries, size = counted(visit(desk.people.milan), task.get_absolute_url())
    assert queries <= 21  # the last one is its row in the read log
    assert size <= BYTES
