"""The pages of what is kept, held and erased, and what others see of an erased case."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from audit import keys
from audit.models import CaseKey
from cases.actors import Actor
from cases.models import Case, Destruction, Erasure, Hold, RetentionRule
from processes.acts import destructions
from processes.work import destructions as work
from tests.cases.conftest import Visitor

pytestmark = pytest.mark.django_db(transaction=True)
WHY = {"reason": "asked by letter", "basis": "GDPR, article 17"}


@pytest.fixture
def closed(desk: Any) -> Case:
    case = desk.open("patience", title="Hartog Quibus")
    desk.engine.advance(days=31)
    return desk.fresh(case)


def erased(case: Case, desk: Any, ruth: Any, bas: Any) -> Erasure:
    desk.engine.advance(days=7 * 366)
    made = destructions.request_erasure(
        case_ids=[case.pk], stays=False, actor=Actor.of(ruth), **WHY
    )
    destructions.approve(destruction_id=made.pk, actor=Actor.of(bas))
    work.carry_on(made.pk)
    return Erasure.objects.get(case=case)


def test_a_person_is_found_asked_for_and_approved_by_a_second_one(
    desk: Any, closed: Case, ruth: Any, bas: Any
) -> None:
    desk.engine.advance(days=7 * 366)
    page = Visitor(ruth).open(f"/destructions/person/?text={closed.reference}")
    assert "Hartog Quibus" in page and "the case itself" in page and "Now" in page
    here = f"/destructions/person/?text={closed.reference}"

    # A reason that names the person is refused where it was typed
    wrong = page.send(here, cases=closed.pk, reason="Quibus asked", basis="GDPR, article 17")
    assert wrong.status == 422 and "Write it without the name" in wrong
    page = page.send(here, cases=closed.pk, **WHY)
    made = Destruction.objects.get()
    address = made.get_absolute_url()
    assert "Waits for a second person" in page and "Approve and erase" not in page

    page = Visitor(bas).open(address)
    assert "Ruth Kok approved it first" in page and "Kept until 30 Dec 2033" in page
    page.send(f"{address}approve/")
    work.carry_on(made.pk)
    page = Visitor(bas).open(address)
    assert "Carried out" in page and "[erased]" in page and "Quibus" not in page


def test_a_list_is_made_reviewed_and_given_up_on_its_page(
    desk: Any, closed: Case, ruth: Any, bas: Any
) -> None:
    page = Visitor(ruth).open("/destructions/")
    assert "No list was made" in page
    page = page.send("/destructions/new/")
    assert page.status == 409 and "No case has come to its date" in page
    desk.engine.advance(days=7 * 366)
    page = Visitor(ruth).open("/destructions/").send("/destructions/new/")
    assert "The list has 1 case." in page
    made = Destruction.objects.get()
    row = made.rows.get()
    off = f"{made.get_absolute_url()}cases/{row.pk}/off/"
    page = Visitor(bas).open(off).send(off, reason="a study uses it")
    assert "was taken off" in page and "Taken off" in page and "a study uses it" in page
    assert Destruction.objects.get().state == "dropped"  # nothing was left of it


def test_a_hold_is_placed_shown_and_lifted(desk: Any, closed: Case, ruth: Any) -> None:
    place = f"{closed.get_absolute_url()}hold/"
    page = Visitor(ruth).open(place).send(place, reason="a court asks", of_person="on")
    assert "1 case is held." in page and "Held since" in page and "a court asks" in page
    shown = Visitor(desk.people.petra).open(closed.get_absolute_url())
    assert "It must not be destroyed until the hold is lifted" in shown
    assert "a court asks" in Visitor(desk.people.ada).open("/holds/")
    lift = f"/holds/{Hold.objects.get().pk}/lift/"
    page = Visitor(ruth).open(lift).send(lift, reason="it is over")
    assert "The hold of 1 case is lifted." in page
    assert Visitor(desk.people.sanne).open(place).status == 403


def test_the_page_of_a_case_says_until_when_it_is_kept_to_those_who_may_see_it(
    desk: Any, closed: Case, ruth: Any
) -> None:
    sentence = "Kept until 30 Dec 2033: 7 years from 30 Dec 2026, when it was closed"
    people = desk.people
    for person, sees in ((ruth, True), (people.ada, True), (people.petra, True)):
        assert (sentence in Visitor(person).open(closed.get_absolute_url())) is sees
    assert sentence not in Visitor(people.sanne).open(closed.get_absolute_url())


def test_an_erased_case_stays_usable_and_says_so_everywhere(
    desk: Any, closed: Case, ruth: Any, bas: Any, calls_of: Any
) -> None:
    certificate = erased(closed, desk, ruth, bas)
    here = closed.get_absolute_url()
    visitor = Visitor(desk.people.sanne)
    for part in ("", "documents/", "reviews/", "notes/", "steps/", "history/", "print"):
        page = visitor.open(f"{here}{part}")
        assert page.status == 200, part
        assert "Quibus" not in page, part
    page = visitor.open(here)
    assert "Erased on" in page and f"Certificate {certificate.number}" in page
    page = visitor.open(certificate.get_absolute_url())
    assert page.status == 200 and closed.reference in page and "Bas Dekker" in page
    assert Visitor(desk.people.eve).open(certificate.get_absolute_url()).status == 404
    assert "Erased, under certificate" in visitor.open(f"{here}history/")
    assert visitor.open("/find/?find=Quibus").html.count("TR-2026") == 0

    calls = calls_of(desk.people.petra)
    told = calls.get(f"cases/{closed.reference}?include=events,tasks,documents,retention").json()
    assert told["title"] == "[erased]" and told["certificate"] == certificate.number
    assert told["erased_at"] and told["retention"] is None
    assert "Quibus" not in json.dumps({**told, "events": []})
    assert calls.get(f"cases/{closed.reference}/stood").status_code == 200


def test_the_api_says_until_when_a_case_is_kept(
    desk: Any, closed: Case, calls_of: Any, program: Any
) -> None:
    path = f"cases/{closed.reference}?include=retention"
    told = calls_of(desk.people.petra).get(path).json()["retention"]
    assert told["kept_until"] == "2033-12-30" and not told["is_held"]
    assert "7 years from 30 Dec 2026" in told["explanation"]
    assert calls_of(desk.people.sanne).get(path).json()["retention"] is None
    assert program("read:trial").get(path).json()["retention"]["kept_until"] == "2033-12-30"


def test_an_administrator_changes_how_long_cases_are_kept(desk: Any, anna: Any) -> None:
    page = Visitor(anna).open("/administration/retention/")
    assert "trial" in page.html and "7 years" in page
    here = "/administration/retention/trial/failed/"
    given = {"months": "24", "since": "closed", "basis": "policy 7", "why": "a new policy"}
    wrong = Visitor(anna).open(here).send(here, **{**given, "months": "0"})
    assert wrong.status == 422
    page = Visitor(anna).open(here).send(here, **given)
    assert "It counts at once" in page and "Changed here" in page
    assert RetentionRule.objects.get().months == 24
    assert "how long cases are kept changed" in Visitor(anna).open("/administration/changes/")
    page = Visitor(anna).open(here)
    page.client.post(here, {**page.hidden(here), "restore": "1", "why": "a mistake"})
    assert not RetentionRule.objects.exists()
    assert Visitor(desk.people.petra).open(here).status == 403
    assert Visitor(anna).open("/destructions/").status == 403


def test_what_a_backup_brought_back_is_erased_again_by_the_ledger(
    desk: Any, closed: Case, ruth: Any, bas: Any, tmp_path: Path
) -> None:
    # Given the rows as a backup of before has them, and the ledger of after
    before = Case.objects.filter(pk=closed.pk).values().get()
    key = CaseKey.objects.filter(case_id=closed.pk).values().get()
    certificate = erased(closed, desk, ruth, bas)
    out = io.StringIO()
    call_command("erasures", stdout=out)
    (line,) = out.getvalue().splitlines()
    told = json.loads(line)
    assert told["certificate"] == certificate.number and told["case"] == closed.reference
    assert "Quibus" not in line
    ledger = tmp_path / "erasures.jsonl"
    ledger.write_text(line + "\n")
    _restore(closed, before, key)
    assert desk.fresh(closed).title == "Hartog Quibus"

    # When it is applied, and once more
    for said in ("erased again, under certificate", "is erased"):
        out = io.StringIO()
        call_command("erasures", "apply", str(ledger), stdout=out)
        assert said in out.getvalue()
    assert desk.fresh(closed).title == "[erased]"
    again = Erasure.objects.get(case=closed)
    assert (again.number, again.ground) == (certificate.number, "apply")


def _restore(case: Case, row: dict[str, Any], key: dict[str, Any]) -> None:
    """The row of a case and what was recorded of it, as they were; as pg_restore would."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            "DELETE FROM audit_event WHERE case_id = %s AND number > %s",
            [case.pk, row["head_number"]],
        )
        cursor.execute(
            "DELETE FROM audit_feed WHERE case_id = %s AND last > %s", [case.pk, row["head_number"]]
        )
        cursor.execute("DELETE FROM audit_unnumbered WHERE case_id = %s", [case.pk])
        cursor.execute("DELETE FROM cases_destructionrow")
        cursor.execute("DELETE FROM cases_erasure")
        CaseKey.objects.filter(pk=key.pop("case_id")).update(**key)
        cursor.execute("SET session_replication_role = origin")
    row = {name: value for name, value in row.items() if name not in ("id", "step")}
    Case.objects.filter(pk=case.pk).update(**row)
    keys.forget()


def test_the_command_says_what_may_be_erased_and_writes_nothing(desk: Any, closed: Case) -> None:
    out = io.StringIO()
    call_command("erase", closed.reference, "--dry-run", stdout=out)
    assert "Kept until 30 Dec 2033" in out.getvalue()
    assert "0 of 1 cases may be erased now." in out.getvalue()
    desk.engine.advance(days=7 * 366)
    out = io.StringIO()
    call_command("erase", stdout=out)
    assert f"{closed.reference}  may be erased." in out.getvalue()
    assert desk.fresh(closed).head_number == closed.head_number
