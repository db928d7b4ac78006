"""What the schema says of the API is so: every call answers as documented, whatever is sent."""

from __future__ import annotations

import copy
import json
import os
import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from cases.actors import Actor, service
from cases.errors import Refused
from cases.models import Case, Client, Document, Job, Upload
from processes.acts.jobs import Asked, accept_job
from processes.acts.webhooks import make_webhook
from processes.api.examples import BODIES, FORMS
from processes.api.problems import PROBLEMS, slug_of
from processes.callers import Caller
from processes.kinds import kinds
from processes.models import Incident
from tests.sizes import sized
from timers import clock

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
# A short run with the suite; LONGCASE_FUZZ=500 for a long one.
EXAMPLES = int(os.environ.get("LONGCASE_FUZZ") or sized(2, 20))


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return json.loads(json.dumps(SchemaGenerator().get_schema(request=None, public=True)))


def test_the_schema_is_valid_and_complete(schema: dict[str, Any], nobody: Any) -> None:
    validate_schema(copy.deepcopy(schema))
    assert schema["openapi"].startswith("3.1")
    for path, item in schema["paths"].items():
        for method, operation in item.items():
            assert operation["description"], (path, method)
            assert operation["operationId"].replace("_", "").isalpha()
            names = {one["name"] for one in operation.get("parameters", [])}
            has_key = "Idempotency-Key" in names or "webhook-id" in names
            plain = method == "get" or "/oauth/" in path or "/uploads/" in path
            assert plain != has_key, (path, method)
    served = nobody.get("schema")
    assert served.status_code == 200 and served.json()["paths"].keys() == schema["paths"].keys()


def test_bodies_answers_and_refusals_have_examples_that_fit(
    schema: dict[str, Any],
) -> None:
    from jsonschema import Draft202012Validator

    shown = set()
    for item in schema["paths"].values():
        for operation in item.values():
            (body,) = operation.get("requestBody", {}).get("content", {}).values() or (None,)
            name = operation["operationId"]
            if body is None or name == "continue_upload":  # bytes alone
                continue
            assert "example" in body, name
            whole = {**body["schema"], "components": schema["components"]}
            assert not list(Draft202012Validator(whole).iter_errors(body["example"])), name
            shown.add(name)
    assert shown == set(BODIES) | set(FORMS)
    for path, item in schema["paths"].items():
        for operation in item.values():
            for status, answer in operation["responses"].items():
                content = answer.get("content", {}).get("application/json")
                if content is None:
                    continue
                whole = {**content["schema"], "components": schema["components"]}
                assert "example" in content, (path, status)
                wrong = list(Draft202012Validator(whole).iter_errors(content["example"]))
                assert not wrong, (path, status, wrong)
    problem = {"$ref": "#/components/schemas/Problem", "components": schema["components"]}
    told = set()
    for response in schema["components"]["responses"].values():
        (content,) = response["content"].values()
        for slug, one in content["examples"].items():
            assert Draft202012Validator(problem).is_valid(one["value"]), slug
            told.add(slug)
    assert told == set(PROBLEMS) - {"wrong-method"}  # no call of the schema is answered so


def test_every_refusal_has_a_type_of_its_own(nobody: Any) -> None:
    def below(one: type) -> list[type]:
        return [one, *(found for sub in one.__subclasses__() for found in below(sub))]

    ours = [one for one in below(Refused) if not one.__module__.startswith("tests.")]
    assert len(ours) > 15
    for one in ours:
        made = one.__new__(one)
        assert one is Refused or slug_of(made) != "refused", one
        assert PROBLEMS[slug_of(made)].status == one.status, one
    listed = nobody.get("problems").json()["results"]
    assert [one["type"] for one in listed] == [f"/api/v1/problems/{slug}" for slug in PROBLEMS]
    for one in listed:
        assert nobody.get(one["type"]).json() == one
    assert nobody.get("problems/none").status_code == 404


def test_the_reference_page_tells_every_call_and_takes_nothing_from_outside(
    schema: dict[str, Any], client: Any, db: None
) -> None:
    page = client.get("/api/v1/")
    text = page.content.decode()
    assert page.status_code == 200 and "script-src 'self'" in page["Content-Security-Policy"]
    assert not re.findall(r"(?:src|href)=.https?:", text)
    ids = set(re.findall(r'id="([^"]+)"', text))
    assert ids >= {one["operationId"] for item in schema["paths"].values() for one in item.values()}
    assert "Is the turnover plausible" in text

    # An example of each body, and of each answer that has something in it
    answers = [
        (operation["operationId"], status)
        for item in schema["paths"].values()
        for operation in item.values()
        for status, one in operation["responses"].items()
        if "application/json" in one.get("content", {})
    ]
    problems = len(PROBLEMS) - 1  # wrong-method
    assert text.count("<pre") == len(BODIES) + len(FORMS) + len(answers) + problems
    assert text.count("<details") == len(answers)
    opened = text.partition('id="open_case"')[2].partition("</section>")[0]
    assert "Example of 201" in opened and "&quot;reference&quot;: &quot;LN-2026-000123" in opened
    assert 'href="#refusal-409"' in opened and 'id="refusal-409"' in text
    shown = text.partition('id="refusal-412"')[2].partition("</section>")[0]
    assert "/api/v1/problems/moved-on" in shown
    linked = set(re.findall(r'href="#([^"]+)"', text)) - {"main"}
    assert linked <= ids, linked - ids


def test_each_kind_serves_the_schema_of_its_facts(program: Any) -> None:
    from jsonschema import Draft202012Validator

    reader = program("read:*")
    listed = [one["name"] for one in reader.get("kinds").json()["results"]]
    assert listed == sorted(kinds())
    for name in listed:
        kind = reader.get(f"kinds/{name}").json()
        assert kind["schema"] == reader.get(f"kinds/{name}/schema").json()
        Draft202012Validator.check_schema(kind["schema"])
        assert {one["name"] for one in kind["steps"]} >= {kind["initial"]}
    loan = Draft202012Validator(reader.get("kinds/loan/schema").json())
    good = {"applicant_name": "Zoë", "national_id": "999900001", "amount": "2000.50"}
    assert loan.is_valid(good)
    assert not loan.is_valid({**good, "amount": "1.250"[:3] + ",00"})
    assert not loan.is_valid({**good, "credit_score": 900})
    assert not loan.is_valid({"amount": "1"})
    assert program("read:loan").get("kinds/permit").status_code == 404


class Served:
    """The application, whose schema names rows that there are, so that chance meets them."""

    def __init__(self, schema: dict[str, Any], known: dict[str, list[Any]]) -> None:
        self.app = get_wsgi_application()
        self.schema = copy.deepcopy(schema)
        for path, item in self.schema["paths"].items():
            for operation in item.values():
                for one in operation.get("parameters", []):
                    wanted = known.get(f"{path.split('/')[3]}.{one['name']}")
                    if one["in"] == "path" and wanted:
                        one["schema"] = {"enum": wanted}

    def __call__(self, environ: Any, start: Any) -> Any:
        if environ["PATH_INFO"] == "/fuzz":
            start("200 OK", [("Content-Type", "application/json")])
            return [json.dumps(self.schema).encode()]
        return self.app(environ, start)


def upload_and_job_of(who: Any, case: Case) -> tuple[Upload, Job]:
    """A document on its way, and a file of one row, of this caller."""
    actor = Actor.of_client(who) if isinstance(who, Client) else Actor.of(who)
    now = clock.now()
    upload = Upload.objects.create(
        key=uuid.uuid4(),
        case=case,
        caller=actor.code,
        name="payslip",
        filename="a.pdf",
        size=1000,
        made_at=now,
        ends_at=now + timedelta(hours=1),
    )
    row = Asked(1, {}, [{"pointer": "#/title", "detail": "Needed."}])
    job = accept_job(
        caller=Caller(who, None), token=None, rows=[row], filename="a.csv", digest="0" * 64
    )
    return upload, job


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("who", ["petra", "milan", "ada", "otto", "program"])
def test_whatever_is_sent_is_answered_as_documented(
    who: str, schema: dict[str, Any], desk: Any, people: Any, calls_of: Any, program: Any
) -> None:
    stopped = desk.stop()
    case, other = desk.open("review"), desk.open("patience")
    paper = desk.send_document(case, "payslip")
    task = desk.task_of(case)
    if who == "program":
        calls = program(
            *[f"{act}:*" for act in ("read", "open", "facts", "move", "messages", "documents")]
        )
    else:
        calls = calls_of(getattr(people, who))
    hook = make_webhook(
        client=getattr(calls, "client", None) or program("read:*").client,
        url="https://hooks.example.org/",
        actor=service("test"),
    )
    holder = getattr(calls, "client", None) or getattr(people, who)
    upload, job = upload_and_job_of(holder, other)
    references = [case.reference, other.reference, stopped.reference, "TR-1999-000001"]
    served = Served(
        schema,
        {
            "cases.reference": references,
            "cases.name": ["withdraw", "finish", "fly"],
            "tasks.pk": [task.pk, 10**9],
            "documents.pk": [paper.pk, 10**9],
            "incidents.pk": [Incident.objects.get().pk, 10**9],
            "webhooks.pk": [hook.pk, 10**9],
            "uploads.key": [str(upload.key), str(uuid.uuid4())],
            "jobs.pk": [job.pk, 10**9],
            "kinds.name": ["loan", "trial", "none"],
        },
    )
    found = schemathesis.openapi.from_wsgi("/fuzz", app=served)
    tried = 0
    for result in found.get_all_operations():
        operation = result.ok()

        @given(sent=operation.as_strategy())
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=EXAMPLES < 100,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def answers(sent: Any) -> None:
            response = sent.call(headers={"Authorization": f"Bearer {calls.token}"})
            sent.validate_response(response, checks=CHECKS)

        answers()
        tried += 1
    assert tried == sum(len(item) for item in schema["paths"].values())
    assert Case.objects.exists() and Document.objects.exists()
