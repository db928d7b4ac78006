"""Cases that belong together are related by hand, both ways, within rights."""

from __future__ import annotations

from typing import Any

import pytest

from audit.read import events_of
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed
from cases.models import Relation
from processes.acts.cases import open_case
from processes.acts.relations import NotRelated, part_cases, relate_cases
from processes.engine.verify import differences_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_both_show_each_other_and_are_parted_again(desk: Any, visit: Any) -> None:
    # Given two cases of one matter, related by their caseworker
    one, two = desk.open("patience", "Hartog Bakery"), desk.open("patience", "Hartog Mill")
    sanne = visit(desk.people.sanne)
    address = f"{one.get_absolute_url()}related/new/"
    page = sanne.open(address).send(
        address, reference=two.reference.lower(), reason="The same owner."
    )
    assert "are related now." in page

    # Then each shows the other with the reason, and tells it in its history
    for here, there in ((one, two), (two, one)):
        page = sanne.open(here.get_absolute_url())
        assert f'href="{there.get_absolute_url()}"' in page.html and "The same owner." in page
        assert [e.type for e in events_of(here.pk)].count("case.related") == 1
        assert list(differences_of(desk.fresh(here))) == []

    # When they are parted, neither does
    address = f"{two.get_absolute_url()}related/{one.reference}/part/"
    sanne.open(address).send(address, reason="Another Hartog.")
    assert not Relation.objects.exists()
    assert f'href="{two.get_absolute_url()}"' not in sanne.open(one.get_absolute_url()).html
    assert list(differences_of(desk.fresh(one))) == []
    with pytest.raises(NotRelated):
        part_cases(
            case_id=one.pk, other_id=two.pk, reason="Twice.", actor=Actor.of(desk.people.sanne)
        )


def test_a_case_that_one_may_not_see_is_neither_named_nor_shown(desk: Any, visit: Any) -> None:
    people = desk.people
    one = desk.open("patience")
    far = open_case(
        kind="trial",
        facts={"script": "patience"},
        title="Far Away Farm",
        actor=Actor.of(people.eve),
        owner=people.eve,
        team=people.eve.team,
    )
    sanne, eve = Actor.of(people.sanne), Actor.of(people.eve)
    for wanted in (far.reference, "TR-2026-999999", "\0", one.reference):
        with pytest.raises(Invalid):
            relate_cases(case_id=one.pk, reference=wanted, reason="Why not.", actor=sanne)
    for person in (people.ada, people.otto):
        with pytest.raises(NotAllowed):
            relate_cases(
                case_id=one.pk, reference=far.reference, reason="I see.", actor=Actor.of(person)
            )
    with pytest.raises((Invalid, NotAllowed)):
        relate_cases(case_id=one.pk, reference=far.reference, reason="Mine.", actor=eve)
    Relation.objects.create(
        case=one, other=far, reason="x", number=1, related_at=one.opened_at, related_by="engine"
    )
    assert "Far Away Farm" not in visit(people.sanne).open(one.get_absolute_url())
    assert "Far Away Farm" in visit(people.ada).open(one.get_absolute_url())
    Relation.objects.all().delete()
    address = f"{one.get_absolute_url()}related/new/"
    assert visit(people.eve).open(address).status == 404
    assert visit(people.ada).open(address).status == 403
