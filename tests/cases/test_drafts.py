"""What somebody types is kept on the server until they send it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from cases import drafts
from cases.errors import Invalid
from cases.models import Draft
from timers import clock as clocks

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_was_typed_comes_back_and_is_gone_once_sent(desk: Any, visit: Any) -> None:
    # Given a reviewer who has typed half a reason
    case = desk.open("review")
    task = desk.claim(case, desk.people.milan)
    here = task.get_absolute_url()
    visitor = visit(desk.people.milan)
    typed = {"draft_of": here, "outcome": "decline", "reason": "The figures <do> not", "key": "x"}
    kept = visitor.client.post("/drafts/", {**typed, "for": desk.people.milan.pk})
    assert kept.status_code == 200 and "Draft kept" in kept.json()["said"]

    # When they come back to it, on whatever machine
    page = visit(desk.people.milan).open(here)

    # Then the form holds it, and sending the form forgets it
    assert "The figures &lt;do&gt; not</textarea>" in page.html
    assert "What you had typed here is filled in" in page
    assert re.search(r'value="decline"[^>]* checked', page.html)
    assert "key" not in Draft.objects.get().data
    page.send(here, outcome="decline", reason="The figures do not add up.")
    assert not Draft.objects.exists()


def test_a_draft_is_its_writers_alone(desk: Any, visit: Any) -> None:
    case = desk.open("review")
    task = desk.claim(case, desk.people.milan)
    here = task.get_absolute_url()
    drafts.save(desk.people.sanne, here, {"reason": "Between us."})
    assert "Between us." not in visit(desk.people.milan).open(here)
    assert drafts.load(desk.people.milan, here) is None
    elsewhere = visit(desk.people.milan).client
    sent = {"draft_of": here, "reason": "Typed as another", "for": desk.people.sanne.pk}
    assert elsewhere.post("/drafts/", sent).status_code == 400
    assert elsewhere.post("/drafts/", {"draft_of": "//elsewhere.example/"}).status_code == 400
    assert Draft.objects.count() == 1


def test_a_draft_is_thrown_away_on_the_word_of_its_writer(desk: Any, visit: Any) -> None:
    visitor = visit(desk.people.sanne)
    drafts.save(desk.people.sanne, "/settings/", {"scheme": "dark"})
    answer = visitor.client.post("/drafts/drop/", {"draft_of": "/settings/"})
    assert answer.status_code == 303 and answer["Location"] == "/settings/"
    assert not Draft.objects.exists()
    assert visitor.client.get("/drafts/drop/?of=//elsewhere.example/")["Location"] == "/"


def test_nothing_typed_is_no_draft_and_what_is_too_long_says_so(people: Any, clock: Any) -> None:
    sanne = people.sanne
    drafts.save(sanne, "/a/", {"text": "one"})
    assert drafts.save(sanne, "/a/", {"text": "  ", "key": "k"}) is None
    assert not Draft.objects.exists()
    with pytest.raises(Invalid, match="too long to keep"):
        drafts.save(sanne, "/a/", {"text": "x" * (drafts.CHARACTERS + 1)})
    drafts.save(sanne, "/a/", {"text": "two"})
    clock.advance(days=31)
    drafts.save(sanne, "/b/", {"text": "three"})
    assert drafts.forget_old() == 1
    assert Draft.objects.get().saved_at == clocks.now()
