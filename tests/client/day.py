"""A day of an integrator with the generated client; checked by mypy as theirs would be."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import NamedTuple, TypeVar
from urllib.parse import parse_qs, urlsplit

from longcase_client import AuthenticatedClient
from longcase_client.api.cases import list_cases, open_case, read_case
from longcase_client.api.documents import hand_in_document
from longcase_client.api.events import follow_events
from longcase_client.api.jobs import list_job_rows, open_cases
from longcase_client.api.messages import send_message
from longcase_client.api.tasks import claim_task, complete_task, list_tasks
from longcase_client.models import (
    Case,
    CaseRow,
    CompleteTaskRequest,
    Delivery,
    Feed,
    FeedEvent,
    HandInDocumentRequest,
    JobRow,
    OpenCaseRequest,
    OpenCaseRequestFacts,
    OpenCasesRequest,
    Problem,
    SendMessageRequest,
    Task,
)
from longcase_client.types import UNSET, File

Answer = TypeVar("Answer")


class Refused(Exception):
    """A call that was refused, with its problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


def good(answer: Answer | Problem | None) -> Answer:
    """The answer of a call that went well."""
    if isinstance(answer, Problem):
        raise Refused(answer)
    assert answer is not None
    return answer


def open_one(client: AuthenticatedClient, *, title: str, script: str, number: str) -> Case:
    facts = OpenCaseRequestFacts.from_dict({"script": script})
    body = OpenCaseRequest(kind="trial", title=title, facts=facts, external_reference=number)
    return good(open_case.sync(client=client, body=body, idempotency_key=f"open-{number}"))


def all_cases(client: AuthenticatedClient, *, limit: int) -> Iterator[CaseRow]:
    """Every case, page by page."""
    cursor: str | None = ""
    while cursor is not None:
        page = good(list_cases.sync(client=client, limit=limit, cursor=cursor or UNSET))
        yield from page.results
        cursor = parse_qs(urlsplit(page.next_).query)["cursor"][0] if page.next_ else None


def read(client: AuthenticatedClient, reference: str) -> Case:
    answer = good(read_case.sync(reference, client=client, include="tasks,documents"))
    assert isinstance(answer, Case)  # or nothing, to whoever sent If-None-Match
    return answer


def send_paper(client: AuthenticatedClient, reference: str, *, name: str, content: bytes) -> int:
    file = File(payload=BytesIO(content), file_name=f"{name}.pdf", mime_type="application/pdf")
    answer = hand_in_document.sync(
        reference,
        client=client,
        body=HandInDocumentRequest(name=name, file=file),
        idempotency_key=f"paper-{name}",
    )
    return good(answer).version


def send(client: AuthenticatedClient, *, to: str, name: str, key: str) -> Delivery:
    body = SendMessageRequest(to=to, name=name, data={"answer": "yes"})
    return good(send_message.sync(client=client, body=body, idempotency_key=key))


def review(client: AuthenticatedClient, *, case: str, outcome: str) -> Task:
    """As a person: take the task of a case, and complete it."""
    (task,) = (one for one in good(list_tasks.sync(client=client)).results if one.case == case)
    good(claim_task.sync(task.id, client=client, idempotency_key=f"claim-{task.id}"))
    body = CompleteTaskRequest(outcome=outcome, reason="It is all there.")
    return good(
        complete_task.sync(task.id, client=client, body=body, idempotency_key=f"done-{task.id}")
    )


def follow(client: AuthenticatedClient, *, after: str = "") -> Iterator[FeedEvent]:
    """The feed, up to where nothing more is there."""
    more = True
    while more:
        found: Feed = good(follow_events.sync(client=client, after=after or UNSET, limit=3))
        yield from found.results
        after, more = found.next_, found.more


class Sent(NamedTuple):
    job: int
    state: str


def open_file(client: AuthenticatedClient, content: bytes) -> Sent:
    file = File(payload=BytesIO(content), file_name="cases.csv", mime_type="text/csv")
    body = OpenCasesRequest(file=file, kind="trial")
    job = good(open_cases.sync(client=client, body=body, idempotency_key="file-1"))
    return Sent(job.id, job.state)


def rows_of(client: AuthenticatedClient, job: int) -> list[JobRow]:
    return good(list_job_rows.sync(job, client=client)).results
