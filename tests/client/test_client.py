"""The client that is generated from the schema: complete, typed, and good for a day's work."""

from __future__ import annotations

import contextlib
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from processes.work import jobs as work
from tests.client.making import PACKAGE, make_client

DAY = Path(__file__).with_name("day.py")


pytestmark = pytest.mark.slow  # one worker generates the client for all of them


@pytest.fixture(scope="session")
def client_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client, generated once for all tests of a process."""
    return make_client(tmp_path_factory.mktemp("client"))


@pytest.fixture
def day(client_project: Path) -> Iterator[Any]:
    """An integrator's program, with the client installed."""
    sys.path[:0] = [str(client_project), str(DAY.parent)]
    yield importlib.import_module("day")
    del sys.path[:2]
    for name in [one for one in sys.modules if one == "day" or one.startswith(PACKAGE)]:
        del sys.modules[name]


def test_the_client_is_typed_and_so_is_a_program_that_uses_it(
    client_project: Path, tmp_path: Path
) -> None:
    words = ["--strict", "--config-file=", f"--cache-dir={tmp_path}", str(DAY)]
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", *words],
        cwd=client_project,
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        f"from {PACKAGE}.models import Case\n\ndef late(case: Case) -> int:\n"
        "    return case.waiting_until\n"
    )
    words[-1] = str(wrong)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", *words], cwd=client_project, capture_output=True, text=True
    )
    assert 'got "datetime | None", expected "int"' in checked.stdout


@pytest.mark.django_db(transaction=True)
def test_a_day_with_the_generated_client(
    day: Any, live_server: Any, program: Any, calls_of: Any, people: Any, engine: Any
) -> None:
    from longcase_client import AuthenticatedClient  # type: ignore[import-not-found]

    ends = contextlib.ExitStack()

    def client(calls: Any) -> Any:
        made = AuthenticatedClient(base_url=live_server.url, token=calls.token)
        return ends.enter_context(made)

    acts = ("open", "read", "messages", "documents")
    portal = client(program(*[f"{act}:trial" for act in acts], team=people.sanne.team))

    # Cases are opened, once for each number, and listed page by page
    cases = [
        day.open_one(portal, title=f"Case {n}", script="review", number=str(n)) for n in (1, 2)
    ]
    assert day.open_one(portal, title="Case 1", script="review", number="1").id == cases[0].id
    assert [one.reference for one in day.all_cases(portal, limit=1)] == [
        cases[1].reference,
        cases[0].reference,
    ]
    first = cases[0].reference

    # What is read has its types; a paper and a message come in
    assert day.send_paper(portal, first, name="payslip", content=b"%PDF-1.4 x") == 1
    found = day.read(portal, first)
    assert found.documents[0].received_at >= found.opened_at and found.facts["script"] == "review"
    assert day.send(portal, to=first, name="answer", key="m1").state == "kept"

    # A person decides over the API; the feed tells all of it, each once
    assert day.review(client(calls_of(people.milan)), case=first, outcome="approve").outcome
    engine.settle()
    told = list(day.follow(portal))
    assert len({one.id for one in told}) == len(told)
    assert {"case.opened", "document.received", "task.completed"} <= {one.type_ for one in told}

    # A refusal has its problem
    with pytest.raises(day.Refused) as refused:
        day.read(portal, "TR-1999-000001")
    assert refused.value.problem.type_ == "/api/v1/problems/no-such-case"

    # And a file is a job
    sent = day.open_file(portal, b"title;script;external_reference\nx;patience;3\ny;nonsense;\n")
    assert sent.state == "waiting" and work.carry_on(sent.job)
    rows = day.rows_of(portal, sent.job)
    assert [one.state for one in rows] in (["opened", "refused"], ["opened", "opened"])
    ends.close()
