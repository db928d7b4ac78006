"""An integrator's first day: the commands of docs/api.md, one after the other, on a real server."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from audit.models import Event
from cases.models import Case, Document, Job, Upload
from processes.models import Webhook
from processes.webhooks import signing

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_first_day_goes_as_the_page_says(
    live_server: Any, office: Any, engine: Any, world: Any, tmp_path: Path
) -> None:
    text = PAGE.read_text()
    (command,) = re.findall(r"python manage\.py clients (new .*)", text)
    said = StringIO()
    words = re.findall(r'"([^"]*)"|(\S+)', command)
    call_command("clients", *[one or other for one, other in words], stdout=said, stderr=StringIO())
    environ = {
        **os.environ,
        "API": f"{live_server.url}/api/v1",
        "TOKEN": said.getvalue().strip(),
    }
    (tmp_path / "payslip.pdf").write_bytes(b"%PDF-1.4 payslip")

    # When each command is run
    statuses, refusal = [], 0
    for block in re.findall(r"```sh run\n(.*?)```", text, re.S):
        for one in re.split(r"\n(?=curl |export |# )|\n\n", block.strip()):
            if one.startswith("# "):  # what the next one is answered with
                refusal = int(re.findall(r"[0-9]{3}", one)[0])
                continue
            if one.startswith("printf"):
                subprocess.run(["bash", "-c", one], cwd=tmp_path, check=True)
            if not one.startswith("curl"):
                continue
            case = Case.objects.first()
            if case is not None:
                environ["CASE"], environ["ETAG"] = case.reference, f'"{case.head_number}"'
            job = Job.objects.first()
            environ["JOB"] = str(job.pk) if job is not None else ""
            upload = Upload.objects.first()
            environ["UPLOAD"] = str(upload.key) if upload is not None else ""
            hook = Webhook.objects.first()
            environ["WEBHOOK"] = str(hook.pk) if hook is not None else ""
            line = one.replace("curl -sS", "curl -sS --max-time 60 -w '\\n%{http_code}'", 1)
            ran = subprocess.run(
                ["bash", "-c", line], env=environ, cwd=tmp_path, capture_output=True, text=True
            )
            body, _newline, status = ran.stdout.rpartition("\n")
            assert ran.returncode == 0, (one, ran.stderr)
            assert int(status) == refusal if refusal else int(status) < 300, (one, body)
            assert status == "204" or json.loads(body)
            refusal = 0
            statuses.append(int(status))

    # Then the case went the way the page tells
    engine.settle()
    case = Case.objects.get()
    assert (case.step, case.source, case.source_key) == ("withdrawn", "portal", "4711")
    assert 201 in statuses and 202 in statuses and len(statuses) == 28
    assert Document.objects.filter(case=case, name="other").exists()  # in two parts
    types = set(Event.objects.filter(case_id=case.pk).values_list("type", flat=True))
    assert {"document.received", "facts.changed"} <= types
    first = Event.objects.get(case_id=case.pk, number=1)
    assert (first.actor, first.on_behalf) == ("service:portal", "party:applicant")


def test_the_page_tells_how_calls_are_verified() -> None:
    (code,) = re.findall(r"```python run\n(.*?)```", PAGE.read_text(), re.S)
    names: dict[str, Any] = {}
    exec(code, names)
    secret = signing.derived("webhook", "1.x")
    now = datetime.now(UTC)
    headers = signing.headers(id="evt_1_1", at=now, body=b"{}", secrets=[b"other", secret])
    assert names["verify"](headers, b"{}", signing.spell(secret)) == "evt_1_1"
    old = signing.headers(id="evt_1_1", at=now - timedelta(minutes=6), body=b"{}", secrets=[secret])
    for given, body, known in (
        (headers, b"{ }", secret),
        (headers, b"{}", b"another"),
        (old, b"{}", secret),
    ):
        with pytest.raises(ValueError):
            names["verify"](given, body, signing.spell(known))
