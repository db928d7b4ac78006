"""Operators see what is stopped, by cause, and try one or all again."""

from __future__ import annotations

from typing import Any

import pytest

from cases.actors import Actor
from cases.errors import NotAllowed
from processes.acts.incidents import retry_cause, retry_incident
from processes.acts.restarting import restart_step
from processes.models import Incident
from tests.cases.conftest import Visitor
from tests.trial import activities

pytestmark = pytest.mark.django_db(transaction=True)


def test_equal_causes_are_one_row(desk: Any) -> None:
    for title in ("Farm One", "Farm Two"):
        desk.stop(title)
    page = Visitor(desk.people.otto).open("/operations/incidents/")
    assert "2 cases stopped" in page
    first = Incident.objects.order_by("pk")[0]
    assert page.html.count(f'href="/operations/incidents/{first.pk}/"') == 2
    assert "Farm" not in page  # operators see references, not names


def test_one_case_is_tried_again_and_goes_on(desk: Any) -> None:
    case = desk.stop()
    incident = Incident.objects.get()
    address = f"/operations/incidents/{incident.pk}/"
    page = Visitor(desk.people.otto).open(address)
    assert "no answer within 30 s" in page and case.reference in page
    page = page.send(f"{address}again/")
    assert f"{case.reference} tries again." in page
    desk.engine.settle()
    assert desk.fresh(case).step == "done"
    assert "No case is stopped." in Visitor(desk.people.otto).open("/operations/incidents/")


def test_all_cases_of_a_cause_get_a_result_each(desk: Any) -> None:
    cases = [desk.stop(title) for title in ("Farm One", "Farm Two", "Farm Three")]
    incident = Incident.objects.order_by("pk")[0]
    address = f"/operations/incidents/{incident.pk}/all-again/"
    preview = Visitor(desk.people.otto).open(address)
    assert "Try all 3 cases again" in preview
    results = preview.send(address)
    for case in cases:
        assert f"{case.reference}" in results
    assert results.html.count("tries again.") == 3
    assert preview.send(address).html.count("tries again.") == 3  # the first answer again
    desk.engine.settle()
    assert {desk.fresh(case).step for case in cases} == {"done"}


def test_what_still_fails_stops_again_with_nothing_lost(desk: Any) -> None:
    case = desk.stop()
    incident = Incident.objects.get()
    address = f"/operations/incidents/{incident.pk}/"
    Visitor(desk.people.otto).open(address).send(f"{address}again/")
    activities.trouble[:] = [ConnectionError("no answer within 30 s")] * 3
    desk.engine.advance(hours=2)
    activities.trouble.clear()
    assert desk.fresh(case).stopped_at is not None
    assert "1 case stopped" in Visitor(desk.people.otto).open("/operations/incidents/")


def test_caseworkers_have_no_operators_pages(desk: Any) -> None:
    desk.stop()
    incident = Incident.objects.get()
    for person in (desk.people.sanne, desk.people.ada, desk.people.milan):
        visitor = Visitor(person)
        for address in ("incidents/", f"incidents/{incident.pk}/", "running/"):
            assert visitor.open(f"/operations/{address}").status == 403
        again = visitor.client.post(f"/operations/incidents/{incident.pk}/again/")
        assert again.status_code == 403


def test_a_glance_shows_whether_anything_runs(desk: Any) -> None:
    desk.open("patience")
    page = Visitor(desk.people.otto).open("/operations/running/")
    assert page.status == 200
    assert "0 overdue" in page
    assert "every open case waits for someone or something" in page


def test_hopeless_work_is_given_up_with_a_reason(desk: Any) -> None:
    # Given a case beside whose code some work is refused for good
    activities.trouble[:] = [activities.Refused("the register has closed")]
    case = desk.open("answered_side")
    activities.trouble.clear()
    incident = Incident.objects.get()
    address = f"/operations/incidents/{incident.pk}/give-up/"

    # When the operator gives it up
    incident_page = Visitor(desk.people.otto).open(f"/operations/incidents/{incident.pk}/")
    assert address in incident_page
    page = Visitor(desk.people.otto).open(address)
    assert "the register has closed" in page
    assert page.send(address, reason="").status == 422
    done = page.send(address, reason="It is gone for good.")

    # Then the case goes on, and history says who did it and why
    assert f"{case.reference} goes on without it." in done
    history = Visitor(desk.people.sanne).open(f"{case.get_absolute_url()}history/")
    assert "It is gone for good." in history
    assert Visitor(desk.people.sanne).open(address).status == 403


def test_what_the_code_cannot_answer_is_not_given_up(desk: Any) -> None:
    case = desk.stop()
    address = f"/operations/incidents/{Incident.objects.get().pk}/give-up/"
    refused = Visitor(desk.people.otto).open(address).send(address, reason="hopeless")
    assert refused.status == 409 and "has no answer to a failure" in refused
    assert desk.fresh(case).stopped_at is not None


def test_supervisors_repair_the_cases_of_their_own_team_alone(desk: Any) -> None:
    case = desk.stop()
    incident = Incident.objects.get()
    petra = desk.people.petra
    here, restart = f"/operations/incidents/{incident.pk}/", f"/operations/code/restart/{case}/"
    assert Visitor(petra).open(here).status == 200
    # Of another team, there is nothing to see, to try again, to give up or to restart
    petra.team = desk.people.eve.team
    petra.save()
    visitor = Visitor(petra)
    assert case.reference not in visitor.open("/operations/incidents/")
    for address in (here, f"{here}again/", f"{here}give-up/", f"{here}all-again/", restart):
        assert visitor.open(address).status == 404, address
        assert visitor.client.post(address, {"reason": "mine"}).status_code in (404, 405), address
    for address in ("/operations/code/", "/operations/code/move/", "/operations/running/"):
        assert visitor.open(address).status == 403, address
    with pytest.raises(NotAllowed):
        restart_step(case_id=case.pk, reason="mine", actor=Actor.of(petra))
    with pytest.raises(NotAllowed):
        retry_incident(incident_id=incident.pk, actor=Actor.of(petra))
    assert retry_cause(cause=incident.cause, actor=Actor.of(petra)) == []
