"""Many cases from one file: each row as a call would open it, whatever becomes of the others."""

from __future__ import annotations

import io
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.models import Event
from cases.models import Case, Job, JobRow
from processes.acts import clients
from processes.acts import jobs as acts
from processes.work import jobs as work
from timers import clock


def upload(calls: Any, content: str | bytes, name: str = "cases.csv", **more: str) -> Any:
    raw = content.encode() if isinstance(content, str) else content
    file = io.BytesIO(raw)
    file.name = name
    key = more.pop("key", None)
    return calls.post("jobs", files={"file": file, **more}, key=key)


def lines(*titles: str, **more: Any) -> str:
    return "".join(
        json.dumps({"kind": "trial", "title": one, "facts": {"script": "patience"}, **more}) + "\n"
        for one in titles
    )


def rows(calls: Any, job: int, state: str = "") -> list[dict[str, Any]]:
    return calls.get(f"jobs/{job}/rows" + (f"?state={state}" if state else "")).json()["results"]


def test_good_rows_are_opened_and_bad_ones_say_why(program: Any, people: Any) -> None:
    # Given a file of a spreadsheet with three good rows and three that do not fit
    portal = program("open:loan", "read:loan", team=people.sanne.team)
    text = (
        "title;external_reference;applicant_name;national_id;amount;credit_score\r\n"
        "Zoë;1;Zoë Vries;999900001;20000;\r\n"
        "=1+1;2;=1+1;999900002;1.234,56;\r\n"
        "Bad amount;3;Ana;999900003;1.250;\r\n"
        "Found by us;4;Ana;999900003;1250;900\r\n"
        ";5;Ana;999900003;1250;\r\n"
        "Zoë;1;Zoë Vries;999900001;20000;\r\n"
    )

    # When it is sent, and a worker carries it on
    sent = upload(portal, "\ufeff" + text, kind="loan")
    assert sent.status_code == 202, sent.content
    job = sent.json()
    assert sent["Location"] == f"/api/v1/jobs/{job['id']}"
    assert (job["state"], job["size"], job["rows"]["waiting"]) == ("waiting", 6, 5)
    assert work.carry_on(job["id"])

    # Then each row tells what became of it
    done = portal.get(f"jobs/{job['id']}").json()
    assert done["state"] == "done"
    assert done["rows"] == {"waiting": 0, "opened": 2, "known": 1, "refused": 3, "cancelled": 0}
    first, formula = rows(portal, job["id"], "opened")
    assert [one["case"] for one in rows(portal, job["id"], "known")] == [first["case"]]
    case = portal.get(f"cases/{formula['case']}").json()
    assert (case["title"], case["facts"]["applicant_name"]) == ("=1+1", "=1+1")
    assert case["facts"]["amount"] == "1234.56"
    refused = {one["line"]: one["problem"] for one in rows(portal, job["id"], "refused")}
    found = {line: one["errors"][0]["pointer"] for line, one in refused.items()}
    assert found == {4: "#/facts/amount", 5: "#/facts/credit_score", 6: "#/title"}
    assert {one["type"] for one in refused.values()} == {"/api/v1/problems/invalid"}
    assert "thousands or as decimals" in refused[4]["detail"]

    # And the first event of each case names its job; nothing that people said is kept beside it
    opened = Event.objects.filter(type="case.opened", case_id__in=Case.objects.values("pk"))
    assert {event.data["job"] for event in opened} == {job["id"]}
    assert {event.actor for event in opened} == {f"service:{portal.client.name}"}
    assert all(row.data == {} for row in JobRow.objects.all())

    # And once more, the file opens nothing new; the same call is the same job
    again = upload(portal, text, kind="loan").json()
    assert work.carry_on(again["id"])
    assert portal.get(f"jobs/{again['id']}").json()["rows"]["known"] == 3
    assert Case.objects.count() == 2
    one, two = (upload(portal, text, kind="loan", key="k").json()["id"] for _ in range(2))
    assert one == two


def test_an_unreadable_file_is_refused_whole(program: Any, settings: Any) -> None:
    portal = program("open:trial")
    broken = upload(portal, lines("x") + "{", "cases.jsonl")
    assert broken.status_code == 422
    assert "Line 2" in broken.json()["detail"]
    assert broken.json()["errors"][0]["pointer"] == "#/file"
    settings.LONGCASE_JOB_BYTES = 10
    assert upload(portal, lines("x"), "cases.jsonl").status_code == 413
    assert not Job.objects.exists()
    assert upload(program("read:trial"), lines("x"), "cases.jsonl").status_code == 403
    assert upload(program("open:loan"), lines("x")[:5], "x.jsonl", kind="trial").status_code == 403


def test_rights_are_those_of_the_moment_when_a_row_runs(
    program: Any, people: Any, calls_of: Any
) -> None:
    # Given jobs of an account that loses a scope, of one that ends, and of a revoked token
    narrowed, ended, revoked = (program("open:trial") for _ in range(3))
    reviewer = calls_of(people.milan)
    sent = {one: upload(one, lines("x"), "a.jsonl") for one in (narrowed, ended, revoked, reviewer)}
    narrowed.client.scopes = ["open:loan"]
    narrowed.client.save()
    ended.client.is_active = False
    ended.client.save()
    revoked.row.revoked_at = clock.now()
    revoked.row.save()

    # When the rows run, nothing is opened
    for calls, told in sent.items():
        assert work.carry_on(told.json()["id"])
        row = JobRow.objects.get(job=told.json()["id"])
        assert row.state == "refused", calls
        assert row.refusal["types"][0] in ("not-allowed", "scope-missing")
    assert not Case.objects.exists()


def test_a_token_of_an_hour_may_end_while_its_job_goes_on(program: Any) -> None:
    portal = program("open:trial")
    portal.row.ends_at = clock.now() + timedelta(hours=1)
    portal.row.save()
    job = upload(portal, lines("x"), "a.jsonl").json()["id"]
    portal.row.ends_at = clock.now() - timedelta(seconds=1)
    portal.row.save()
    assert work.carry_on(job)
    assert JobRow.objects.get(job=job).state == "opened"


def test_jobs_are_seen_and_cancelled_by_their_own_alone(
    program: Any, people: Any, calls_of: Any, nobody: Any
) -> None:
    # Given a job whose first row is done
    portal = program("open:trial", "read:trial", team=people.sanne.team)
    job = upload(portal, lines("one", "two", "three"), "a.jsonl").json()["id"]
    acts.do_row(job=Job.objects.get(), row=JobRow.objects.order_by("place").first())

    # Then others do not see it, operators do, and readers lack the scope
    for other in (program("open:trial", "read:trial"), calls_of(people.sanne)):
        assert other.get("jobs").json()["results"] == []
        for path in (f"jobs/{job}", f"jobs/{job}/rows"):
            assert other.get(path).status_code == 404
        assert other.post(f"jobs/{job}/cancel").status_code == 404
    for path in ("jobs", f"jobs/{job}", f"jobs/{job}/rows"):
        assert nobody.get(path).status_code == 401
        assert program("read:trial").get(path).status_code == 403
        assert calls_of(people.otto).get(path).status_code == 200
    assert [one["id"] for one in portal.get("jobs?state=under_way").json()["results"]] == [job]

    # When it is cancelled, what was opened stays, and the rest is never done
    cancelled = portal.post(f"jobs/{job}/cancel")
    assert cancelled.status_code == 200 and cancelled.json()["state"] == "cancelled"
    assert cancelled.json()["rows"]["cancelled"] == 2
    assert work.carry_on(job) and Case.objects.count() == 1
    twice = portal.post(f"jobs/{job}/cancel")
    assert (twice.status_code, twice.json()["type"]) == (409, "/api/v1/problems/job-over")
    paged = portal.get(f"jobs/{job}/rows?limit=2").json()
    assert len(paged["results"]) == 2
    assert [one["row"] for one in portal.get(paged["next"]).json()["results"]] == [3]


def test_two_runs_of_one_row_open_one_case(program: Any, people: Any) -> None:
    portal = program("open:trial", team=people.sanne.team)
    upload(portal, lines("x"), "a.jsonl")
    job, row = Job.objects.get(), JobRow.objects.get()
    for _ in range(2):
        acts.do_row(job=job, row=row)
    assert Case.objects.count() == 1
    assert work.publish_unfinished() == 1
    assert work.carry_on(job.pk) and work.publish_unfinished() == 0


def test_a_fault_of_ours_is_told_in_its_row_and_stops_no_other(
    program: Any, monkeypatch: Any
) -> None:
    portal = program("open:trial")
    job = upload(portal, lines("one", "two"), "a.jsonl").json()["id"]
    true = acts.open_requested

    def falters(**more: Any) -> Any:
        if more["request"]["title"] == "one":
            raise RuntimeError("a fault")
        return true(**more)

    monkeypatch.setattr(acts, "open_requested", falters)
    assert work.carry_on(job)
    assert [row["state"] for row in rows(portal, job)] == ["refused", "opened"]


def test_results_are_dropped_when_long_over(program: Any) -> None:
    portal = program("open:trial")
    job = upload(portal, lines("x"), "a.jsonl").json()["id"]
    assert work.carry_on(job) and acts.forget_old() == 0
    Job.objects.update(ended_at=clock.now() - timedelta(days=31))
    assert acts.forget_old() == 2 and Case.objects.count() == 1


def test_the_command_opens_a_file_and_goes_on_with_it(
    program: Any, tmp_path: Path, db: None
) -> None:
    portal = program("open:trial", name="archive")
    assert clients.SCOPES["open"]
    file = tmp_path / "cases.jsonl"
    file.write_text(lines("one", "two"))
    said = io.StringIO()
    for _ in range(2):
        call_command("opencases", str(file), "--account", "archive", stdout=said)
    assert "2 opened" in said.getvalue() and "job" in said.getvalue()
    assert Case.objects.count() == 2 and Job.objects.get().client == portal.client
    file.write_text(lines("three") + lines("", "four"))
    with pytest.raises(CommandError, match="1 rows were refused"):
        call_command("opencases", str(file), "--account", "archive", stdout=said, stderr=said)
    assert "line 2: title" in said.getvalue() and Case.objects.count() == 4
    with pytest.raises(CommandError, match="no account"):
        call_command("opencases", str(file), "--account", "nobody")


def test_the_pages_show_jobs_with_their_rows_to_whoever_they_concern(
    program: Any, people: Any, client: Any, django_assert_max_num_queries: Any
) -> None:
    portal = program("open:trial", team=people.sanne.team)
    text = lines(*(f"row {n}" for n in range(60))) + lines("")
    job = upload(portal, text, "a.jsonl").json()["id"]
    acts.do_row(job=Job.objects.get(), row=JobRow.objects.order_by("place")[0])
    for person, status in ((people.sanne, 404), (people.eve, 404), (people.otto, 200)):
        client.force_login(person)
        assert client.get(f"/jobs/{job}/").status_code == status, person
        assert client.post(f"/jobs/{job}/cancel/").status_code in (404, 422)
        assert (b"a.jsonl" in client.get("/jobs/").content) == (status == 200)
    with django_assert_max_num_queries(10):
        page = client.get(f"/jobs/{job}/?state=").content.decode()
    with django_assert_max_num_queries(10):
        client.get("/jobs/")
    assert "2 of 61 done" in page and Case.objects.get().reference in page and "hx-get" in page
    refused = client.get(f"/jobs/{job}/").content.decode()
    assert "title: This field may not be blank." in refused

    # A person's own job, cancelled on the page; its form twice does nothing more
    client.force_login(people.otto)
    form = client.get(f"/jobs/{job}/cancel/").context
    fields = hidden_fields(client, f"/jobs/{job}/cancel/")
    assert form["waiting"] == 59
    for _ in range(2):
        assert client.post(f"/jobs/{job}/cancel/", fields).status_code in (302, 303)
    assert Job.objects.get().state == "cancelled" and Case.objects.count() == 1
    assert "59 were cancelled" in client.get(f"/jobs/{job}/").content.decode()


def hidden_fields(client: Any, path: str) -> dict[str, str]:
    text = client.get(path).content.decode()
    return dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', text))
