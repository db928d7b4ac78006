"""Mail and dropped files: to their case, or into the tray; each once, whatever is killed."""

from __future__ import annotations

import json
import mailbox as boxes
from email.message import EmailMessage
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.models import Event
from cases.actors import Actor
from cases.models import Document, Message
from processes import inbound, mailbox
from processes.acts import tray
from processes.storing import open_document

PDF = b"%PDF-1.4 payslip"


def mail(subject: str, *, to: str = "cases@example.org", id: str = "<1@example.org>") -> bytes:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "Zoë <zoe@example.org>", to, subject
    made["Message-ID"] = id
    made.set_content("Here it is. Zoë")
    made.add_attachment(PDF, maintype="application", subtype="pdf", filename="Payslip.pdf")
    return bytes(made)


def run(*words: str) -> str:
    said = StringIO()
    call_command(*words, stdout=said, stderr=StringIO())
    return said.getvalue()


@pytest.mark.parametrize("where", ["subject", "address"])
def test_a_mail_becomes_papers_of_the_case_that_it_names(
    where: str, desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = desk.open("hour")
    if where == "subject":
        raw = mail(f"Re: your request {case.reference.lower()}")
    else:
        raw = mail("my papers", to=f"cases+{case.reference}@example.org")
    for wanted in (f"used {case.reference}\n", f"used {case.reference}, again\n"):
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(raw)))
        assert run("mailin") == wanted
    papers = list(Document.objects.filter(case=case.pk).order_by("pk"))
    assert [one.filename for one in papers][0] == "Payslip.pdf" and len(papers) == 2
    assert open_document(papers[0]).read() == PDF
    assert "Here it is. Zoë" in open_document(papers[1]).read().decode()
    events = Event.objects.filter(case_id=case.pk, type="document.received")
    assert {one.actor for one in events} == {"service:mail"} and events.count() == 2


def test_what_names_no_case_lies_in_the_tray_and_is_linked_with_its_files(
    desk: Any, people: Any, tmp_path: Path
) -> None:
    one, other = desk.open("hour"), desk.open("hour")
    box = boxes.Maildir(str(tmp_path / "box"), create=True)
    box.add(mail("hello", id="<a@x>"))
    box.add(mail(f"{one.reference} and {other.reference}", id="<b@x>"))
    box.add(mail("TR-1999-000001", id="<c@x>"))
    assert run("mailin", str(tmp_path / "box")).split() == ["unmatched"] * 3
    assert run("mailin", str(tmp_path / "box")) == ""  # all are put away
    assert not Document.objects.exists()
    found = Message.objects.get(key="<a@x>")
    assert found.state == "unmatched" and found.data["text"].startswith("Here it is")
    assert "more than one case" in Message.objects.get(key="<b@x>").why
    _said, receipts = tray.link(message_id=found.pk, case_id=one.pk, actor=Actor.of(people.sanne))
    assert [paper.document.filename for paper in receipts][0] == "Payslip.pdf"
    assert open_document(receipts[0].document).read() == PDF
    # Nobody can name the bytes of another case's papers in a message of their own
    digest = receipts[0].document.digest
    assert tray.attachments_of({"attachments": [{"filename": "x", "kept": digest}]}) == []


def test_after_the_end_a_mail_lies_in_the_tray(desk: Any) -> None:
    case = desk.open("patience")
    desk.engine.advance(days=4000)
    if desk.fresh(case).is_open:
        from processes.acts.cases import take_transition

        take_transition(
            case_id=case.pk, name="withdraw", data={"reason": "x"}, actor=Actor("engine")
        )
    taken = inbound.take(mailbox.incoming(mail(case.reference)))
    assert taken.state == "unmatched" and not Document.objects.filter(case=case.pk).exists()
    assert case.reference in Message.objects.get(source="mail").why


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\0\0\0",
        b"Subject: =?x-unknown?B?//8=?=\n\n\xff\xfe",
        b"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain; "
        b"charset=nonsense\n\n\xff\n--x--",
        b"Content-Type: multipart/mixed\n\nno boundary",
        b"From: a\nSubject: " + b"y" * 5000 + b"\n\nx",
    ],
)
def test_no_mail_is_too_broken_to_be_kept(raw: bytes, desk: Any) -> None:
    assert inbound.take(mailbox.incoming(raw)).state == "unmatched"
    assert inbound.take(mailbox.incoming(raw)).is_repeat


def drop(folder: Path, stem: str, **said: Any) -> None:
    (folder / f"{stem}.part").write_text(json.dumps(said))
    (folder / f"{stem}.part").rename(folder / f"{stem}.json")


def test_a_drop_is_taken_once_with_its_files(desk: Any, tmp_path: Path) -> None:
    case = desk.open("hour")
    (tmp_path / "pay.pdf").write_bytes(PDF)
    said = {"to": case.reference, "files": [{"name": "payslip", "file": "pay.pdf"}]}
    drop(tmp_path, "one", **said)
    assert run("filedrop", str(tmp_path)) == f"one.json: used {case.reference}\n"
    assert sorted(one.name for one in (tmp_path / "done").iterdir()) == ["one.json", "pay.pdf"]
    # The same again, as after a kill between the commit and the move of the drop
    drop(tmp_path, "one", **said)
    run("filedrop", str(tmp_path))
    paper = Document.objects.get(case=case.pk)
    assert (paper.name, paper.version, paper.received_from) == ("payslip", 1, "service:filedrop")
    assert list(tmp_path.glob("*.json")) == []


def test_killed_before_its_files_are_moved_a_drop_is_done_by_the_next_run(
    desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from processes.filedrop import Folder

    case = desk.open("hour")
    (tmp_path / "pay.pdf").write_bytes(PDF)
    drop(tmp_path, "one", to=case.reference, files=[{"name": "payslip", "file": "pay.pdf"}])
    moved = Path.rename

    def killed(self: Path, target: Any) -> Any:
        if self.name == "one.json":
            raise KeyboardInterrupt
        return moved(self, target)

    monkeypatch.setattr(Path, "rename", killed)
    with pytest.raises(KeyboardInterrupt):
        run("filedrop", str(tmp_path))
    monkeypatch.setattr(Path, "rename", moved)
    assert Folder(tmp_path).drops() and not (tmp_path / "pay.pdf").exists()
    run("filedrop", str(tmp_path))
    assert Document.objects.filter(case=case.pk).count() == 1
    assert sorted(one.name for one in (tmp_path / "done").iterdir()) == ["one.json", "pay.pdf"]


@pytest.mark.parametrize(
    "said",
    [
        {"files": [{"file": "../secret"}]},
        {"files": [{"file": "missing.pdf"}]},
        {"files": [{"file": "link.pdf"}]},
        {"files": ["x"]},
        {"data": "x"},
    ],
)
def test_what_cannot_be_taken_is_put_aside_with_the_reason(
    said: Any, desk: Any, tmp_path: Path
) -> None:
    (tmp_path / "link.pdf").symlink_to("/etc/hostname")
    drop(tmp_path, "bad", to=desk.open("hour").reference, **said)
    with pytest.raises(CommandError, match="failed/ says why"):
        run("filedrop", str(tmp_path))
    assert (tmp_path / "failed" / "bad.json.why.txt").read_text()
    assert not Document.objects.exists() and not list(tmp_path.glob("*.json"))


def test_a_drop_may_be_a_message_that_the_kind_takes(
    office: Any, engine: Any, world: Any, tmp_path: Path
) -> None:
    case = office.to_offer(engine)
    drop(tmp_path, "a", to=case.reference, name="offer_answer", data={"answer": "perhaps"})
    drop(tmp_path, "b", to=case.reference, name="offer_answer", data={"answer": "decline"})
    told = run("filedrop", str(tmp_path)).splitlines()
    assert told == ["a.json: unmatched", f"b.json: used {case.reference}"]
    engine.settle()
    answers = Event.objects.filter(case_id=case.pk, type="message.received")
    assert answers.count() == 1
