"""The anchor of the day is made once, and goes out by each way until it has arrived."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from audit import elsewhere
from audit.models import Anchor, AnchorSending
from processes.engine.verify import verify
from processes.proof import anchoring, outlets
from tests.audit.test_standalone import verifier

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def key(settings: Any) -> None:
    settings.LONGCASE_ANCHOR_KEYS = ["7" * 64]
    settings.LONGCASE_WEBHOOK_NETWORKS = ["127.0.0.0/8"]


class Receiver:
    """A server outside: answers with what a test says."""

    def __init__(self) -> None:
        self.status, self.answer, self.came = 200, (lambda body: b"ok"), []  # type: ignore[var-annotated]
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.came.append((dict(self.headers), body))
                told = receiver.answer(body)
                self.send_response(receiver.status)
                self.send_header("content-length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)

            def log_message(self, *words: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/anchors"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.server.shutdown()
    made.server.server_close()


def states() -> dict[str, str]:
    return dict(AnchorSending.objects.order_by("pk").values_list("outlet", "state"))


def test_each_day_has_one_anchor_which_the_sweep_calls_for(clock: Any):
    assert anchoring.is_due()
    anchoring.work()
    anchoring.work()
    assert Anchor.objects.count() == 1 and not anchoring.is_due()

    clock.advance(days=1)
    assert anchoring.is_due() and anchoring.publish_due() == 1
    anchoring.work()

    first, second = Anchor.objects.order_by("number")
    assert second.day - first.day == timedelta(days=1)
    assert anchoring.publish_due() == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("place", ["before the commit", "after it"])
def test_kill_9_while_the_anchor_is_made_leaves_it_whole_or_not_at_all(
    place: str, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    settings.LONGCASE_ANCHOR_FOLDER = str(tmp_path)
    child = os.fork()
    if child == 0:
        connection.connection = None  # the parent's: it goes on with it
        if place == "before the commit":
            monkeypatch.setattr(outlets, "line_up", lambda made: os.kill(os.getpid(), 9))
        anchoring.make()
        os.kill(os.getpid(), signal.SIGKILL)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    assert Anchor.objects.count() == (place == "after it")

    # The next worker makes what is missing and sends what was lined up; there is one, and it holds
    anchoring.work()
    assert Anchor.objects.count() == 1 and states() == {"folder": "done"}
    assert list(tmp_path.iterdir()) and list(verify()) == []


def test_the_hour_of_the_day_is_the_organisations(settings: Any, clock: Any):
    settings.LONGCASE_ANCHOR_HOUR = 23
    hour = anchoring.localtime(anchoring.clock.now()).hour
    assert anchoring.is_due() is (hour == 23)


def test_it_goes_into_a_folder_by_mail_and_by_post(
    settings: Any, tmp_path: Path, receiver: Receiver, mailoutbox: list[Any]
):
    settings.LONGCASE_ANCHOR_FOLDER = str(tmp_path / "kept")
    settings.LONGCASE_ANCHOR_MAIL = ["notary@notary.example"]
    settings.LONGCASE_ANCHOR_URLS = [receiver.url]

    anchoring.work()

    anchor = Anchor.objects.get()
    assert states() == {"folder": "done", "mail": "done", "post": "done"}
    (kept,) = elsewhere.read(tmp_path / "kept")
    assert (kept.number, kept.text) == (1, anchor.text)
    (mail,) = mailoutbox
    assert anchor.text in mail.body and mail.attachments[0][0].endswith(".json")
    ((headers, body),) = receiver.came
    assert json.loads(body)["text"] == anchor.text
    for name, content in (("mail", mail.attachments[0][1]), ("post", body.decode())):
        path = tmp_path / f"{name}.json"
        path.write_text(content)
        report = verifier.Report()
        verifier.check_anchors(verifier.read_anchors(str(path)), [], report)
        assert report.wrong == []


def test_what_does_not_arrive_is_tried_again_and_says_why(
    settings: Any, receiver: Receiver, clock: Any
):
    settings.LONGCASE_ANCHOR_URLS = [receiver.url]
    receiver.status = 503
    anchoring.work()
    sending = AnchorSending.objects.get()
    assert (sending.state, sending.tries) == ("due", 1)
    assert sending.last_error == "The answer was 503."

    anchoring.work()  # not before its time
    assert len(receiver.came) == 1

    receiver.status = 200
    clock.advance(seconds=31)
    anchoring.work()
    sending.refresh_from_db()
    assert (sending.state, sending.last_error, len(receiver.came)) == ("done", "", 2)


def test_a_worker_that_died_while_sending_costs_its_lease(
    settings: Any, tmp_path: Path, clock: Any
):
    settings.LONGCASE_ANCHOR_FOLDER = str(tmp_path / "kept")
    anchoring.make()
    AnchorSending.objects.update(lease_until=anchoring.clock.now() + outlets.LEASE)
    assert not outlets.send_next()

    clock.advance(seconds=outlets.LEASE.total_seconds() + 1)
    assert outlets.send_next() and states() == {"folder": "done"}


def test_a_folder_that_comes_later_gets_what_was_before(settings: Any, tmp_path: Path, clock: Any):
    for _ in range(2):
        anchoring.work()
        clock.advance(days=1)
    settings.LONGCASE_ANCHOR_FOLDER = str(tmp_path / "kept")
    anchoring.publish_due()
    anchoring.work()
    assert [one.number for one in elsewhere.read(tmp_path / "kept")] == [1, 2, 3]


def test_another_anchor_in_the_folder_is_not_overwritten(settings: Any, tmp_path: Path, clock: Any):
    settings.LONGCASE_ANCHOR_FOLDER = str(tmp_path)
    forged = tmp_path / "anchor-000001-2020-01-01.json"
    forged.write_text('{"text": "another", "signatures": []}')
    anchoring.work()
    assert "is another anchor 1" in AnchorSending.objects.get().last_error
    assert list(tmp_path.iterdir()) == [forged]


# --- Time stamps -----------------------------------------------------------------------------

CONFIG = """
[tsa]
default_tsa = here
[here]
serial = {0}/serial
signer_cert = {0}/tsa.pem
signer_key = {0}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256, sha512
accuracy = secs:1
ess_cert_id_alg = sha256
[req]
distinguished_name = name
[name]
[ca]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
subjectKeyIdentifier = hash
[stamping]
extendedKeyUsage = critical,timeStamping
keyUsage = critical,digitalSignature
authorityKeyIdentifier = keyid
subjectKeyIdentifier = hash
"""


def openssl(*words: object) -> None:
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A time-stamp authority of our own, made with openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    folder = tmp_path_factory.mktemp("tsa")
    (folder / "config").write_text(CONFIG.format(folder))
    (folder / "serial").write_text("01\n")
    own = ("-config", folder / "config", "-nodes", "-newkey", "ec:" + str(folder / "curve"))
    openssl("ecparam", "-name", "prime256v1", "-out", folder / "curve")
    openssl("req", "-x509", *own, "-keyout", folder / "ca.key", "-out", folder / "ca.pem",
            "-days", "3650", "-subj", "/CN=Root", "-extensions", "ca")  # fmt: skip
    openssl("req", *own, "-keyout", folder / "tsa.key", "-out", folder / "tsa.csr", "-subj",
            "/CN=Stamps")  # fmt: skip
    openssl("x509", "-req", "-in", folder / "tsa.csr", "-CA", folder / "ca.pem", "-CAkey",
            folder / "ca.key", "-CAcreateserial", "-days", "3650", "-extfile", folder / "config",
            "-extensions", "stamping", "-out", folder / "tsa.pem")  # fmt: skip
    return folder


def stamping(folder: Path) -> Any:
    def answer(body: bytes) -> bytes:
        (folder / "query").write_bytes(body)
        openssl("ts", "-reply", "-config", folder / "config", "-queryfile", folder / "query",
                "-out", folder / "reply")  # fmt: skip
        return (folder / "reply").read_bytes()

    return answer


def test_an_authority_stamps_the_anchor(
    settings: Any, authority: Path, receiver: Receiver, tmp_path: Path
):
    settings.LONGCASE_ANCHOR_TSA = receiver.url
    settings.LONGCASE_ANCHOR_TSA_CA = str(authority / "ca.pem")
    receiver.answer = stamping(authority)

    anchoring.work()

    sending = AnchorSending.objects.get()
    assert (sending.state, sending.last_error) == ("done", "")
    assert receiver.came[0][0]["content-type"] == "application/timestamp-query"
    # Openssl agrees, and the verifier that stands alone finds the stamp with the anchor
    anchor = Anchor.objects.get()
    (tmp_path / "text").write_text(anchor.text)
    (tmp_path / "token").write_bytes(bytes(sending.answer or b""))
    openssl("ts", "-verify", "-data", tmp_path / "text", "-in", tmp_path / "token", "-token_in",
            "-CAfile", authority / "ca.pem")  # fmt: skip
    (tmp_path / "anchor.json").write_text(outlets.file_of(anchor))
    report = verifier.Report()
    verifier.check_anchors(verifier.read_anchors(str(tmp_path / "anchor.json")), [], report)
    assert report.wrong == []
    assert any("has a time stamp of 20" in note and receiver.url in note for note in report.notes)


def test_a_stamp_by_another_or_of_something_else_is_refused(
    settings: Any, authority: Path, receiver: Receiver, tmp_path: Path, clock: Any
):
    settings.LONGCASE_ANCHOR_TSA = receiver.url
    settings.LONGCASE_ANCHOR_TSA_CA = str(tmp_path / "other.pem")
    own = ("-config", authority / "config", "-nodes", "-newkey", f"ec:{authority / 'curve'}")
    openssl("req", "-x509", *own, "-keyout", tmp_path / "key", "-out", tmp_path / "other.pem",
            "-days", "3650", "-subj", "/CN=Other", "-extensions", "ca")  # fmt: skip
    receiver.answer = stamping(authority)
    anchoring.work()
    assert "not by the authority we trust" in AnchorSending.objects.get().last_error

    settings.LONGCASE_ANCHOR_TSA_CA = ""
    receiver.answer = lambda body: (authority / "reply").read_bytes()  # of another request
    clock.advance(seconds=31)
    anchoring.work()
    assert AnchorSending.objects.get().last_error == "The stamp that came is of something else."

    receiver.answer = lambda body: b"no stamp"
    clock.advance(seconds=121)
    anchoring.work()
    assert "is no time stamp" in AnchorSending.objects.get().last_error


# --- Keys and the command --------------------------------------------------------------------


def test_the_command_makes_the_anchor_and_says_what_it_holds(capsys: Any, settings: Any):
    call_command("anchor")
    assert "Anchor 1: 0 cases, 0 events" in capsys.readouterr().out
    call_command("anchor")
    assert "has its anchor already" in capsys.readouterr().out
    call_command("anchor", again=True)
    assert Anchor.objects.count() == 2


def test_keys_are_told_with_the_anchors_they_signed(settings: Any):
    anchoring.make()
    settings.LONGCASE_ANCHOR_KEYS = ["8" * 64, "7" * 64]
    anchoring.make(again=True)

    new, old = anchoring.public_keys()

    assert (new["first_anchor"], new["confirmed_by"], new["signs"]) == (2, old["key"], True)
    assert (old["first_anchor"], old["last_anchor"]) == (1, 1) and "signs" not in old
    assert anchoring.keys_file().splitlines()[1:] == [new["key"], old["key"]]


def test_what_keeps_anchors_from_being_made_is_said(settings: Any):
    anchoring.make()
    assert anchoring.trouble() == ""
    settings.LONGCASE_ANCHOR_KEYS = ["8" * 64]
    assert "signed by a key that is not here" in anchoring.trouble()
    settings.LONGCASE_ANCHOR_KEYS = []
    assert "LONGCASE_ANCHOR_KEYS" in anchoring.trouble()
    assert not anchoring.is_due()
