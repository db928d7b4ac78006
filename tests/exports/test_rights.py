"""Every role against every export: what is in the file is what that person may take away."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group

from audit.models import Read
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed
from cases.models import Case, Export, ExportCase, Person
from processes.acts import exports as acts
from processes.acts.people import deactivate_person
from processes.callers import Caller
from processes.exports.formats import formats
from processes.work import exports as work
from tests.exports.conftest import ask, files

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.unsound,  # cases are moved between teams and restricted behind the back of the acts
]
# Of four cases: of the North, of the North and restricted, of the South, with a review to take.
TAKES = {
    "sanne": {"north", "review"},
    "petra": {"north", "review"},
    "milan": {"review"},
    "otto": set(),  # operators see all, to repair it
    "ada": {"north", "secret", "south", "review"},
    "eve": {"south"},
    "xena": {"north", "south", "review"},  # an exporter
    "root": set(),
    "gone": set(),  # set inactive
}


@pytest.fixture
def scene(request: pytest.FixtureRequest, desk: Any) -> dict[str, Case]:
    request.node.add_marker(pytest.mark.unsound("gives and restricts cases by hand"))
    found = {name: desk.open("patience", name) for name in ("north", "secret", "south")}
    found["review"] = desk.open("review", "review")
    Case.objects.update(owner=None)
    Case.objects.filter(pk=found["secret"].pk).update(restricted=True)
    Case.objects.filter(pk=found["south"].pk).update(team=desk.people.eve.team)
    return found


def person_of(desk: Any, name: str) -> Person:
    if hasattr(desk.people, name):
        return getattr(desk.people, name)
    one = Person.objects.create_user(name, is_superuser=name == "root")
    role = {"xena": "exporter", "gone": "auditor"}.get(name)
    if role:
        one.groups.add(Group.objects.get_or_create(name=role)[0])
    one.is_active = name != "gone"
    one.save()
    return one


@pytest.mark.parametrize("name", list(TAKES))
def test_each_role_takes_what_it_may_in_every_format(
    desk: Any, scene: dict[str, Case], name: str
) -> None:
    person = person_of(desk, name)
    wanted = {scene[one].pk for one in TAKES[name]}
    for form in formats():
        if not wanted:
            with pytest.raises(Invalid, match="no case among these"):
                ask(person, form)
            continue
        export = ask(person, form)
        held = set(ExportCase.objects.filter(export=export).values_list("case", flat=True))
        assert held == wanted, form
    everything = {"caller": Caller(person, None), "form": "csv-cases", "what": "everything"}
    if name in ("ada", "xena"):
        assert acts.ask(**everything, cases=Case.objects.all(), reason="x").count == len(wanted)
    else:
        with pytest.raises(NotAllowed, match="auditors"):
            acts.ask(**everything, cases=Case.objects.all(), reason="x")


@pytest.mark.parametrize("name", [one for one in TAKES if one != "gone"])
def test_each_role_on_the_pages(desk: Any, visit: Any, scene: dict[str, Case], name: str) -> None:
    person = person_of(desk, name)
    made = ask(desk.people.sanne, "csv-cases")
    visitor = visit(person)
    for what, case in scene.items():
        status = visitor.open(f"/exports/new/?case={case.reference}").status
        assert status == (200 if what in TAKES[name] else 404), what
        sent = {"case": case.reference, "form": "csv-cases", "people": "names", "reason": "x"}
        answer = visitor.client.post("/exports/new/", {**sent, "key": str(uuid4())})
        assert answer.status_code == (303 if what in TAKES[name] else 404), what
    sees = name in ("sanne", "ada", "root")  # one's own; auditors and administrators all
    assert visitor.open(f"/exports/{made.pk}/").status == (200 if sees else 404)
    status = visitor.open(f"/exports/{made.pk}/file").status
    assert status == {"sanne": 410, "ada": 403, "root": 403}.get(name, 404)
    for act in ("cancel", "remove"):
        answer = visitor.client.post(f"/exports/{made.pk}/{act}/", {"key": str(uuid4())})
        if name not in ("sanne", "root"):
            assert answer.status_code == (403 if name == "ada" else 404), act


def test_programs_take_what_they_may_read(desk: Any, scene: dict[str, Case], program: Any) -> None:
    portal = program("read:trial", team=desk.people.sanne.team)
    body = {"format": "jsonl", "reason": "Nightly", "everything": True}
    sent = portal.post("exports", body)
    assert sent.status_code == 202, sent.content
    held = ExportCase.objects.filter(export=sent.json()["id"]).values_list("case__title", flat=True)
    assert set(held) == {"north", "review"}
    while not work.carry_on(sent.json()["id"]):
        pass
    done = portal.get(f"exports/{sent.json()['id']}").json()
    assert (done["state"], done["cases"], done["done"]) == ("done", 2, 2)
    file = portal.get(f"exports/{done['id']}/file")
    assert len(b"".join(file.streaming_content)) == done["size"]
    # Others know nothing of it, and a token for something else does not reach it
    assert program("read:trial").get(f"exports/{done['id']}").status_code == 404
    assert program("open:trial").get(f"exports/{done['id']}").status_code == 403
    hidden = {"format": "xes", "reason": "x", "cases": [scene["south"].reference]}
    assert portal.post("exports", hidden).status_code == 404
    assert portal.post("exports", {**hidden, "everything": True}).status_code == 422
    assert portal.get("exports/schema").json()["title"].startswith("One line of a case")


def made_by(desk: Any, person: Person, form: str = "csv-cases") -> Export:
    export = ask(person, form)
    while not work.carry_on(export.pk):
        pass
    export.refresh_from_db()
    return export


@pytest.mark.unsound("gives it by hand")
def test_a_file_is_given_out_to_who_may_still_see_all_of_it(
    desk: Any, visit: Any, scene: dict[str, Case]
) -> None:
    export = made_by(desk, desk.people.sanne)
    visitor = visit(desk.people.sanne)
    answer = visitor.client.get(f"/exports/{export.pk}/file")
    assert answer.status_code == 200 and "attachment" in answer["Content-Disposition"]
    # The read log has the digest of the very file, and every case in it
    read = Read.objects.filter(what="export-file").latest("pk")
    assert bytes(read.digest).hex() == export.digest
    assert set(read.case_ids) == {scene["north"].pk, scene["review"].pk}
    # A case goes to another team: the whole file is withheld, and says why
    Case.objects.filter(pk=scene["north"].pk).update(team=desk.people.eve.team)
    page = visitor.open(f"/exports/{export.pk}/file")
    assert page.status == 403 and "no longer among those that you may take away" in page
    Case.objects.filter(pk=scene["north"].pk).update(team=desk.people.sanne.team)
    assert visitor.client.get(f"/exports/{export.pk}/file").status_code == 200
    # The person is set inactive between the export and its being given out
    deactivate_person(person=desk.people.sanne, actor=Actor.of(desk.people.petra))
    assert visitor.client.get(f"/exports/{export.pk}/file").status_code == 302
    sanne = Person.objects.get(pk=desk.people.sanne.pk)
    with pytest.raises(NotAllowed):
        acts.give_out(export=export, caller=Caller(sanne, None))


def test_what_is_made_for_somebody_set_inactive_ends_without_a_file(
    desk: Any, scene: dict[str, Case]
) -> None:
    export = ask(desk.people.sanne, "xes")
    Person.objects.filter(pk=desk.people.sanne.pk).update(is_active=False)
    assert work.carry_on(export.pk)
    export.refresh_from_db()
    assert export.state == "failed" and "was ended after asking" in export.failed
    assert files() == []


def test_a_file_expires_or_is_removed_and_what_it_was_stays(
    desk: Any, scene: dict[str, Case], settings: Any
) -> None:
    from timers import clock

    first, other = made_by(desk, desk.people.ada), made_by(desk, desk.people.eve)
    assert len(files()) == 2
    acts.remove(export_id=first.pk, actor=Actor.of(desk.people.ada))
    assert [one.split("/")[0] for one in files()] == [str(other.pk)]
    first.refresh_from_db()
    with pytest.raises(acts.ExportGone, match="was removed"):
        acts.give_out(export=first, caller=Caller(desk.people.ada, None))
    assert acts.forget_old() == 0
    Export.objects.update(expires_at=clock.now())
    desk.engine.advance(minutes=1)
    assert acts.forget_old() == 1 and files() == []
    # Who took which cases away, and why, is known for good
    assert Export.objects.count() == 2 and ExportCase.objects.filter(export=first).count() == 4


def test_a_reason_is_asked_for_and_kept(desk: Any, visit: Any, scene: dict[str, Case]) -> None:
    visitor, reference = visit(desk.people.sanne), scene["north"].reference
    page = visitor.open(f"/exports/new/?case={reference}")
    assert "1 case that you may take away" in page
    refused = page.send("/exports/new/", form="xes", people="names", reason=" ")
    assert refused.status == 422
    done = page.send("/exports/new/", form="xes", people="names", reason="For the court")
    assert "For the court" in done and "Ready" in done and "1 of 1 written" in done
    assert "For the court" in visit(desk.people.ada).open("/exports/")
    assert Export.objects.get().reason == "For the court"


def test_lists_and_ticked_rows_are_exported(desk: Any, visit: Any, scene: dict[str, Case]) -> None:
    visitor = visit(desk.people.sanne)
    assert "Export these" in visitor.open("/cases/?kind=trial")
    page = visitor.open("/exports/new/?list=cases&query=kind%3Dtrial%26state%3Dopen")
    assert "2 cases that you may take away" in page
    sent = {
        "what": "export",
        "scope": "ticked",
        "row": [f"c{scene['north'].pk}.1"],
        "list": "cases",
    }
    answer = visitor.client.post("/chosen/", {**sent, "key": str(uuid4())})
    assert answer.status_code == 303 and answer["Location"].endswith(f"ids={scene['north'].pk}")
    page = visitor.open(answer["Location"])
    done = page.send("/exports/new/", form="csv-events", people="codes", reason="x")
    assert "1 of 1 written" in done
    assert json.dumps(Export.objects.get().options, sort_keys=True)
