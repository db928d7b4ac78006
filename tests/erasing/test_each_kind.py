"""Erasing the person of a case of each kind: of the demo, whose cases went through everything."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from audit.read import events_of
from cases.actors import Actor
from cases.models import Case, DestructionRow, Person
from processes import retention
from processes.acts import destructions
from processes.acts.cases import get_case
from processes.engine.replay import as_it_stood
from processes.engine.verify import verify
from processes.erasing.registry import Subject
from processes.kinds import kinds
from processes.work import destructions as work
from tests.erasing.test_erasing import dump, stored
from tests.fixtures.demo import COPY
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


def everything() -> str:
    """All rows as Postgres writes them, all files, and all events opened."""
    files = b"\n".join(stored()).decode(errors="replace")
    events = (
        str(event.data) for case in Case.objects.order_by("pk") for event in events_of(case.pk)
    )
    rows = (text for table, text in dump().items() if not table.startswith(f"{COPY}."))
    return "\n".join([*rows, files, *events]).casefold()


def tells(line: str) -> bool:
    """Whether it is more than a plain word or an amount."""
    return len(line) >= 6 and not line.isalpha() and not re.fullmatch(r"[0-9]+\.[0-9]+", line)


def family(case: Case) -> list[Case]:
    """The case, and those that go with it."""
    found = retention.family_of([case.pk]).get(case.pk, [])
    return [get_case(pk) for pk in sorted({case.pk, *(pk for pk, _reference, _open in found)})]


def closed_case_of(kind: str) -> Case | None:
    """A closed one that belongs with no open one."""
    for case in Case.objects.filter(kind=kind, parent=None).exclude(closed_at=None).order_by("-pk"):
        if all(one.closed_at is not None for one in family(case)):
            return get_case(case.pk)
    return None


def test_nothing_of_the_person_is_left_in_any_kind(demo: None) -> None:
    ruth, bas = (Person.objects.get(username=name) for name in ("ruth", "bas"))
    chosen = {name: case for name in kinds() if (case := closed_case_of(name)) is not None}
    assert set(chosen) >= {"loan", "permit", "claim", "onboarding", "enforcement"}

    # Given what tells each person apart, unless others have it, too
    planted: dict[str, list[str]] = {}
    for name, case in chosen.items():
        of_the_case = {one.pk for one in family(case)}
        others = " ".join(
            str(event.data).casefold()
            for one in Case.objects.exclude(pk__in=of_the_case)
            for event in events_of(one.pk)
        )
        texts = [value.casefold() for one in family(case) for value in Subject(one).values]
        values = {line for text in texts for line in text.splitlines() if tells(line)}
        planted[name] = sorted(value for value in values if value not in others)
        assert len(planted[name]) >= 2, (name, values)
    before = everything()
    for name, values in planted.items():
        assert [value for value in values if value not in before] == [], name

    # When their time has come, however long their kinds are kept, and they are erased
    with clock.turned(clock.now() + timedelta(days=366 * 60)):
        ids = sorted({one.pk for case in chosen.values() for one in family(case)})
        held = destructions.request_erasure(
            case_ids=ids,
            reason="They asked for it by letter.",
            basis="GDPR, article 17",
            stays=False,
            actor=Actor.of(ruth),
        )
        destructions.approve(destruction_id=held.pk, actor=Actor.of(bas))
        while not work.carry_on(held.pk):
            pass
    told = list(held.rows.values_list("case__reference", "state", "why"))
    assert {state for _reference, state, _why in told} == {DestructionRow.State.ERASED}, told

    # Then nothing of them is anywhere, history is whole, and it still replays
    after = everything()
    left = {
        name: found
        for name, values in planted.items()
        if (found := [value for value in values if value in after])
    }
    assert left == {}
    assert list(verify()) == []
    for case in chosen.values():
        stood = as_it_stood(get_case(case.pk), case.head_number)
        assert stood.number == case.head_number and stood.lack in ("", "erased", "closed")
