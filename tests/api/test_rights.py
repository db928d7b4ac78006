"""Who gets what answer: every address, whoever calls, on their own case and on others."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from audit.models import Event
from cases.actors import Actor, service
from cases.models import Case, Document, Message
from processes.acts.cases import open_case
from processes.acts.clients import SCOPES
from processes.acts.webhooks import make_webhook
from processes.api.urls import urlpatterns
from processes.models import Incident
from tests.api.test_schema import upload_and_job_of
from timers import clock

READS = (
    "cases/{case}",
    "cases/{case}?include=tasks,requirements,documents,clocks,events,transitions,parent,children,undo,related,retention",
    "cases/{case}/stood",
    "cases/{case}/events",
    "cases/{case}/documents",
    "cases/{case}/related",
    "tasks/{task}",
    "documents/{document}",
    "documents/{document}/file",
)
WRITES = {
    "PATCH cases/{case}": {"facts": {"amount": "5"}, "reason": "x"},
    "POST cases/{case}/transitions/withdraw": {"data": {"reason": "x"}},
    "POST cases/{case}/documents": None,
    "POST cases/{case}/reopen": {"reason": "x"},
    "POST cases/{case}/events/1/undo": {},
    "POST cases/{case}/related": {"reference": "TR-1999-000001", "reason": "x"},
    "POST cases/{case}/related/TR-1999-000001/part": {"reason": "x"},
    "POST documents/{document}/accept": {},
    "POST documents/{document}/reject": {"reason": "x"},
    "POST tasks/{task}/claim": {},
    "POST tasks/{task}/release": {"reason": "x"},
    "POST tasks/{task}/complete": {"outcome": "approve"},
    "POST tasks/{task}/hand-over": {"to": 10**9, "reason": "x"},
    "POST tasks/{task}/take-back": {"reason": "x"},
    "POST tasks/{task}/advice": {"of": 10**9, "question": "x"},
    "POST messages": {"to": "{case}", "name": "x"},
}
FREE = "tasks/{task}/release"  # nobody holds it: done already, so nothing is done
# By role: what of a case of their own team they may change. The rest is 403.
MAY = {
    "sanne": {"PATCH cases", "POST cases", "POST documents", "POST messages", FREE},
    "petra": {
        "PATCH cases",
        "POST cases",
        "POST documents",
        "POST messages",
        "tasks/{task}/hand-over",
        FREE,
    },
    "milan": {"tasks/{task}/claim", "cases/{case}/documents", FREE},
    "otto": {"cases/{case}/documents", FREE},
    "ada": set(),
}


@pytest.fixture
def cases(desk: Any, people: Any) -> dict[str, dict[str, Any]]:
    """A case of Sanne's team, one of another, and a restricted one, each with task and paper."""
    found = {}
    for name, team, restricted in (
        ("own", people.sanne.team, False),
        ("other", people.eve.team, False),
        ("restricted", people.sanne.team, True),
    ):
        case = open_case(
            kind="trial",
            facts={"script": "review"},
            title=f"zephyr {name}",
            actor=service("website"),
            team=team,
            restricted=restricted,
        )
        desk.send_document(case, "payslip")
        found[name] = {
            "case": case.reference,
            "pk": case.pk,
            "task": desk.task_of(case).pk,
            "document": Document.objects.get(case=case.pk).pk,
        }
    return found


def call(calls: Any, line: str, body: Any, ids: dict[str, Any]) -> Any:
    method, path = line.split(" ")
    path = path.format(**ids)
    if line.startswith("POST cases") and body is None:
        file = SimpleUploadedFile("a.pdf", b"%PDF " + str(ids["pk"]).encode())
        return calls.post(path, files={"name": "payslip", "file": file})
    if path == "messages":
        body = {**body, "to": ids["case"]}
    match = f'"{Case.objects.get(pk=ids["pk"]).head_number}"' if method == "PATCH" else None
    return calls(method, path, body, match=match)


def test_the_matrix_names_every_address() -> None:
    known = {re.sub(r"<\w+:(\w+)>", r"{\1}", str(one.pattern)) for one in urlpatterns}
    tested = {line.split(" ")[-1].split("?")[0] for line in (*READS, *WRITES)}
    names = {"{case}": "{reference}", "{task}": "{pk}", "{document}": "{pk}"}
    for ours, theirs in names.items():
        tested = {one.replace(ours, theirs) for one in tested}
    for ours, theirs in (
        ("transitions/withdraw", "transitions/{name}"),
        ("events/1", "events/{number}"),
        ("related/TR-1999-000001", "related/{other}"),
    ):
        tested = {one.replace(ours, theirs) for one in tested}
    elsewhere = {"", "schema", "problems", "problems/{slug}", "{rest}"}
    elsewhere |= {
        "kinds",
        "kinds/{name}",
        "kinds/{name}/schema",
        "cases",
        "tasks",
        "waits",
        "events",
    }
    hooks = ("attempts", "secret", "rotate", "test", "pause", "resume", "replay", "end")
    elsewhere |= {f"webhooks/{{pk}}/{act}" for act in hooks}  # test_webhooks.py
    elsewhere |= {"webhooks", "webhooks/{pk}"}
    elsewhere |= {"signed/{name}"}  # test_signed.py
    elsewhere |= {"jobs", "jobs/{pk}", "jobs/{pk}/rows", "jobs/{pk}/cancel"}  # tests/jobs
    elsewhere |= {"cases/{reference}/uploads", "uploads/{key}"}  # test_uploads.py
    clocks = ("pause", "resume", "extend", "pauses/{number}")
    elsewhere |= {f"cases/{{reference}}/clocks/{{name}}/{act}" for act in clocks}  # test_clocks.py
    elsewhere |= {"exports", "exports/schema", "exports/{pk}"}  # tests/exports
    elsewhere |= {f"exports/{{pk}}/{act}" for act in ("file", "cancel", "remove")}
    elsewhere |= {"anchors", "anchors/keys", "anchors/{number}"}  # tests/audit
    elsewhere |= {"oauth/token", "oauth/revoke"}  # test_oauth.py
    elsewhere |= {"cases/{reference}/open"}  # tests/readlog/test_restricted.py
    elsewhere |= {"tasks/{pk}/advisers"}  # test_returning.py
    elsewhere |= {"activities", "timers", "workers", "incidents/{pk}/give-up"}  # test_operators.py
    elsewhere |= {"messages/{pk}/link", "incidents", "incidents/{pk}", "incidents/{pk}/retry"}
    assert known == tested | elsewhere


def test_who_is_outside_gets_the_answer_of_what_does_not_exist(
    cases: Any, calls_of: Any, people: Any, program: Any
) -> None:
    nothing = {"case": "TR-1999-000001", "task": 10**9, "document": 10**9, "pk": 0}
    outsiders = {
        "eve": (calls_of(people.eve), ["own", "restricted"]),
        "sanne": (calls_of(people.sanne), ["other", "restricted"]),
        "program": (
            program(
                "read:*",
                "facts:*",
                "move:*",
                "documents:*",
                "judge:*",
                "messages:*",
                "tasks:*",
                team=people.sanne.team,
            ),
            ["other", "restricted"],
        ),
        "loans": (
            program(
                "read:loan",
                "move:loan",
                "facts:loan",
                "documents:loan",
                "judge:loan",
                "messages:loan",
                "tasks:loan",
            ),
            ["own", "other", "restricted"],
        ),
    }
    before = Event.objects.count()
    for name, (calls, hidden) in outsiders.items():
        for where in hidden:
            ids = cases[where]
            for path in READS:
                answer = calls.get(path.format(**ids))
                made_up = calls.get(path.format(**nothing))
                assert answer.status_code == 404, (name, where, path)
                assert _same(answer, ids) == _same(made_up, nothing), (name, path)
            for line, body in WRITES.items():
                answer = call(calls, line, body, ids)
                wanted = 202 if line == "POST messages" else 404
                assert answer.status_code == wanted, (name, where, line, answer.content)
    assert Event.objects.count() == before


# What the parts of an address are, when each names what belongs to a hidden case.
PARTS = {
    "cases": {"reference": "case", "name": "withdraw", "number": 1, "other": "TR-1999-000001"},
    "tasks": {"pk": "task"},
    "documents": {"pk": "document"},
    "incidents": {"pk": "incident"},
    "messages": {"pk": "message"},
    "uploads": {"key": "upload"},
    "jobs": {"pk": "job"},
    "webhooks": {"pk": "webhook"},
    "kinds": {"name": "trial"},
    "exports": {"pk": 10**9},  # one of somebody else: tests/exports/test_rights.py
    "anchors": {"number": 1},
    "problems": {"slug": "invalid"},
    "signed": {"name": "nobody"},
}
THE_SAME_FOR_ALL = {"", "schema", "{rest}"}


@pytest.mark.unsound("gives a case by hand")
def test_no_address_by_any_method_tells_of_a_hidden_case_or_changes_it(
    cases: Any, calls_of: Any, people: Any, program: Any, desk: Any
) -> None:
    """All addresses there are: a new one is tried as well, or fails for want of its PARTS."""
    ids = {**cases["own"], **rows_of(cases["own"], desk, people, program)}
    secret = ("zephyr own", ids["case"], "secret-of-the-case")
    outsiders = {
        "eve": calls_of(people.eve),
        "other team": program(*(f"{act}:*" for act in SCOPES), team=people.eve.team),
        "other kind": program(*(f"{act}:loan" for act in SCOPES if act != "operate")),
    }
    before, tried = Event.objects.count(), 0
    for pattern in urlpatterns:
        path = re.sub(r"<\w+:(\w+)>", r"{\1}", str(pattern.pattern))
        if path in THE_SAME_FOR_ALL or path.startswith("oauth/"):
            continue
        known = PARTS.get(path.partition("/")[0], {})
        names_a_row = bool(re.search("{(pk|key|reference)}", path))
        path = path.format(**{name: ids.get(str(one), one) for name, one in known.items()})
        view: Any = pattern.callback.cls  # type: ignore[union-attr]
        for method in ("GET", "POST", "PATCH", "DELETE"):
            if not hasattr(view, method.lower()):
                continue
            for name, calls in outsiders.items():
                answer = calls(method, path, {}, match='"1"')
                # What the caller named itself may be named in the answer.
                told = answer.content.decode().replace(path, "")
                told = re.sub(r"no case [A-Z0-9-]+ among", "", told)
                assert answer.status_code < 500, (name, method, path, told)
                assert not [one for one in secret if one in told], (name, method, path, told)
                if names_a_row:
                    assert answer.status_code >= 400, (name, method, path, told)
                tried += 1
    assert Event.objects.count() == before and tried > 150


def rows_of(ids: dict[str, Any], desk: Any, people: Any, program: Any) -> dict[str, Any]:
    """One of each other thing that has an address, of the hidden case or of its people."""
    case = Case.objects.get(pk=ids["pk"])
    owner = program("read:*", "documents:*", "open:*", team=people.sanne.team).client
    upload, job = upload_and_job_of(owner, case)
    stopped = desk.stop()
    Case.objects.filter(pk=stopped.pk).update(team=people.sanne.team)
    message = Message.objects.create(
        source="bank",
        key="1",
        name="secret-of-the-case",
        to=case.reference,
        digest="x",
        actor="service:bank",
        state="late",
        case_id=case.pk,
        received_at=clock.now(),
    )
    hook = make_webhook(client=owner, url="https://hooks.example.org/", actor=service("test"))
    return {
        "upload": upload.key,
        "job": job.pk,
        "incident": Incident.objects.get(case=stopped.pk).pk,
        "message": message.pk,
        "webhook": hook.pk,
    }


def _same(answer: Any, ids: dict[str, Any]) -> str:
    return answer.content.decode().replace(str(ids["case"]), "CASE")


def test_lists_and_searches_show_only_what_may_be_seen(
    cases: Any, calls_of: Any, people: Any, program: Any, desk: Any
) -> None:
    own, other, restricted = (cases[one]["case"] for one in ("own", "other", "restricted"))
    team = people.sanne.team
    seen = {
        "sanne": (calls_of(people.sanne), {own}),
        "eve": (calls_of(people.eve), {other}),
        "milan": (calls_of(people.milan), {own, other, restricted}),  # offered the reviews
        "ada": (calls_of(people.ada), {own, other, restricted}),
        "team": (program("read:*", team=team), {own}),
        "all": (program("read:trial"), {own, other}),
        "loans": (program("read:loan"), set()),
        "writer": (program("move:trial", "read:loan"), set()),
        "narrow": (calls_of(people.ada, "read:loan"), set()),
    }
    for name, (calls, wanted) in seen.items():
        for path, field in (
            ("cases", "reference"),
            ("cases?find=zephyr", "reference"),
            ("cases?order=due", "reference"),
            ("waits", "case"),
            ("tasks", "case"),
        ):
            found = {one[field] for one in calls.get(path).json()["results"]}
            assert found == wanted, (name, path)
        followed = calls.get("events?limit=500").json()["results"]
        assert {one["case"]["reference"] for one in followed} == wanted, name


def test_each_role_does_what_it_may_on_its_own_cases(
    cases: Any, calls_of: Any, people: Any
) -> None:
    ids = cases["own"]
    for name, allowed in MAY.items():
        calls = calls_of(getattr(people, name))
        for path in READS:
            assert calls.get(path.format(**ids)).status_code == 200, (name, path)
        for line, body in WRITES.items():
            if "withdraw" in line or line.endswith(("accept", "reject")):
                continue  # they would end what the others are tried on; see below
            answer = call(calls, line, body, ids)
            if line.endswith("undo"):  # a supervisor may; but nobody unopens a case
                assert answer.status_code == (409 if name == "petra" else 403), name
            elif any(part in line for part in allowed):
                assert answer.status_code in (200, 201, 202, 409, 422), (name, line, answer.content)
            elif line.endswith(("complete", "hand-over", "take-back", "advice")):
                assert answer.status_code in (403, 409, 422), (name, line, answer.content)
            else:
                assert answer.status_code == 403, (name, line, answer.content)
        if name == "milan":
            calls.post(f"tasks/{ids['task']}/release", {"reason": "x"})
    for name in ("milan", "otto", "ada"):
        calls = calls_of(getattr(people, name))
        for line in ("POST documents/{document}/accept", "POST documents/{document}/reject"):
            assert call(calls, line, WRITES[line], ids).status_code in (403, 409)
        line = "POST cases/{case}/transitions/withdraw"
        assert call(calls, line, WRITES[line], ids).status_code == 403, name
        body = {"kind": "trial", "title": "x", "facts": {"script": "patience"}}
        assert calls.post("cases", body).status_code == 403


def test_the_auditor_reads_all_and_leaves_no_trace(cases: Any, calls_of: Any, people: Any) -> None:
    ada = calls_of(people.ada)
    before = Event.objects.count()
    for ids in cases.values():
        for line, body in WRITES.items():
            answer = call(ada, line, body, ids)
            assert answer.status_code in (200, 403, 409, 422), (line, answer.content)
            if answer.status_code == 200:
                assert line.endswith("release")  # nobody holds it: nothing is done
    assert Event.objects.count() == before


def test_a_token_does_only_the_acts_that_it_names(
    cases: Any, program: Any, calls_of: Any, people: Any
) -> None:
    ids = cases["own"]
    reader = program("read:trial", team=people.sanne.team)
    narrow = calls_of(people.petra, "read:trial")
    for calls in (reader, narrow):
        for path in READS:
            assert calls.get(path.format(**ids)).status_code == 200, path
        for line, body in WRITES.items():
            answer = call(calls, line, body, ids)
            assert answer.status_code == 403, (line, answer.content)
            assert answer.json()["type"] == "/api/v1/problems/scope-missing"
    writer = program("move:trial", team=people.sanne.team)
    assert writer.get(f"cases/{ids['case']}").status_code == 403
    moved = call(writer, "POST cases/{case}/transitions/withdraw", {"data": {"reason": "x"}}, ids)
    assert moved.status_code == 200 and "facts" not in moved.json()


def test_without_a_living_token_nothing_is_told(
    cases: Any, nobody: Any, program: Any, calls_of: Any, people: Any
) -> None:
    ids = cases["own"]
    ended = calls_of(people.sanne)
    people.sanne.is_active = False
    people.sanne.save()
    closed = program("read:*")
    closed.client.is_active = False
    closed.client.save()
    made_up = type(nobody)("lc_nonsense")
    for calls in (nobody, ended, closed, made_up):
        for path in READS:
            answer = calls.get(path.format(**ids))
            assert answer.status_code == 401, path
            assert answer["WWW-Authenticate"] == 'Bearer realm="Longcase"'
            assert ids["case"] not in answer.json()["detail"]


def test_nobody_reviews_what_was_opened_for_them(
    program: Any, desk: Any, people: Any, calls_of: Any
) -> None:
    portal = program("open:trial", "read:trial", "behalf:trial", team=people.sanne.team)
    body = {"kind": "trial", "title": "x", "facts": {"script": "review"}}
    case = portal.post(
        "cases", body, **{"Longcase-On-Behalf-Of": f"person:{people.milan.pk}"}
    ).json()
    task = Case.objects.get(reference=case["reference"]).tasks.get()
    assert calls_of(people.milan).post(f"tasks/{task.pk}/claim").status_code == 403
    assert calls_of(people.ayse).post(f"tasks/{task.pk}/claim").status_code == 200
    # A person speaks for parties alone
    answer = calls_of(people.sanne).get("cases", **{"Longcase-On-Behalf-Of": "person:1"})
    assert answer.status_code == 400


def test_a_page_session_reads_and_needs_its_csrf_token_to_write(
    cases: Any, people: Any, client: Any
) -> None:
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(people.petra)
    address = f"/api/v1/cases/{cases['own']['case']}"
    assert strict.get(address).status_code == 200
    refused = strict.post(f"{address}/transitions/withdraw", "{}", content_type="application/json")
    assert refused.status_code == 403
    assert Actor.of(people.petra).code == f"person:{people.petra.pk}"
