"""A case that went through everything, with a word planted in each place that keeps words."""

from __future__ import annotations

import io
import uuid
from datetime import date
from typing import Any

from django.core.files.base import ContentFile

from cases import drafts
from cases.actors import Actor, party, service
from cases.models import BulkAct, BulkRow, Case, CustomerPage, Digest, Message, Once, Task
from cases.presence import note as note_presence
from processes.acts import advice, lists, notes, relations, reminders, tasks, uploads
from processes.acts.cases import assign_case, change_facts, get_case, move_case
from processes.acts.customer_pages import give_page
from processes.acts.documents import ask_documents, judge_document, receive_document
from processes.acts.holds import lift_hold, place_hold
from processes.acts.letters import write_letter
from processes.acts.messages import lay_in_tray
from processes.acts.tray import kept_attachment
from processes.letters import Correspondent
from processes.models import Incident
from timers import clock

PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj "
    b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj "
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\n"
    b"trailer<</Root 1 0 R>>\n%%EOF "
)

# Each stands nowhere but where it was planted.
WORDS = {
    "the name": "Quirijn Zonderland-Xhosa",
    "a mail address": "quirijn@zonderland.example",
    "a number": "908172635",
    "an address": "Vlinderhof 77, 9123 XQ Wommelgoor",
    "what it is for": "trombonarium",
    "security": "a houseboat named Pimpernella",
    "an account": "NL91ABNA0417164300",
    "a corrected fact": "trombonariumplus",
    "why it was corrected": "velocipedic mishap",
    "a file name": "loonstrook-zonderland",
    "a document's content": "salaris van Quirijnus",
    "why a paper was rejected": "illegible stampquorum",
    "a paper asked for by hand": "Certificate of the wombatery",
    "a note": "spoke to his sister Wilhelmijntje",
    "a letter": "Dear Quirijntje, about the wombatery",
    "the subject of a letter": "Your wombats",
    "a question for advice": "is gambleholics anonymous relevant",
    "an advice": "seems gamblefree",
    "a decision's reason": "solid as a kremlinoid",
    "a message": "wants his wombats back",
    "a telephone number": "+31 6 98765401",
    "a reminder": "ring Wilhelmijntje",
    "a draft": "half a sentence on dromedariers",
    "a draft of a new case": "another for Quirijn Zonderland-Xhosa",
    "an upload's file name": "taxatie-pimpernella",
    "an upload's bytes": "half of the pimpernellabrief",
    "why cases are related": "cohabits with Bartholomeusje",
    "why it was held": "subpoena of notaris Quibus",
    "why the hold was lifted": "Quibus withdrew",
    "why it was withdrawn": "emigrates to Vanuatuland",
    "a message in the tray": "mail from quirijn@zonderland.example",
    "a file in the tray": "scan of the pimpernellatitle",
    "a saved list": "zonderland list",
    "why it was handed over": "his neighbour is Wilhelmijntje",
    "an external reference": "portal-zonderland-1",
    "a mail to staff": "Wilhelmijntje rang about it",
    "what a bulk act said": "Quirijn is with somebody else",
    "what a form answered": "The letter to Quirijntje is on its way",
    "an incident": "bank said: account of Quirijn is frozenated",
}  # fmt: skip


def plant(office: Any, engine: Any, program: Any, colleague: Any, boss: Any) -> Case:
    """The case, closed, with all of them in it. `colleague` gives advice, `boss` places holds."""
    w, ours = WORDS, Actor.of(office.caseworker)
    case = _opened(office, program)
    assign_case(
        case_id=case.pk,
        owner=office.caseworker,
        reason=w["why it was handed over"],
        actor=Actor.of(office.supervisor),
    )
    engine.settle()
    page = give_page(case_id=case.pk, actor=ours)
    CustomerPage.objects.filter(pk=page.pk).update(phone=w["a telephone number"])
    change_facts(
        case_id=case.pk,
        changes={"purpose": w["a corrected fact"]},
        reason=w["why it was corrected"],
        actor=ours,
    )
    engine.settle()
    _papers(case, office, engine)
    note = f"{w['a note']} @{colleague.username}"
    notes.add_note(case_id=case.pk, text=note, actor=ours, also=[colleague])
    write_letter(
        case_id=case.pk,
        to=Correspondent(w["the name"], w["a mail address"]),
        subject=w["the subject of a letter"],
        text=w["a letter"],
        actor=ours,
    )
    engine.settle()
    _review(case, office, colleague)
    engine.settle()
    day = date(2026, 12, 24)
    reminders.set_reminder(case_id=case.pk, day=day, text=w["a reminder"], actor=ours)
    other = office.open(title="Bystander", email="by@stander.example", national_id="555500001")
    relations.relate_cases(
        case_id=case.pk, reference=other.reference, reason=w["why cases are related"], actor=ours
    )
    _beside(case, office)
    holds = place_hold(case_ids=[case.pk], reason=w["why it was held"], actor=Actor.of(boss))
    lift_hold(hold_id=holds[0].pk, reason=w["why the hold was lifted"], actor=Actor.of(boss))
    withdraw(case, office, engine, w["why it was withdrawn"])
    withdraw(other, office, engine, "Enough.")
    _rows(case, office)
    return get_case(case.pk)


def _opened(office: Any, program: Any) -> Case:
    w = WORDS
    facts = {
        "applicant_name": w["the name"],
        "email": w["a mail address"],
        "national_id": w["a number"],
        "address": w["an address"],
        "purpose": w["what it is for"],
        "security": w["security"],
        "account": w["an account"],
        "amount": "20000.00",
        "income": "3000.00",
        "term_months": 48,
    }
    body = {"kind": "loan", "title": w["the name"], "facts": facts, "team": office.team.name}
    body["external_reference"] = w["an external reference"]
    answer = program("open:loan", "read:loan").post("cases", body)
    assert answer.status_code == 201, answer.content
    return Case.objects.get(reference=answer.json()["reference"])


def _papers(case: Case, office: Any, engine: Any) -> None:
    w, ours = WORDS, Actor.of(office.caseworker)
    title = w["a paper asked for by hand"]
    ask_documents(case_id=case.pk, names={"hand": title}, reason=title, actor=ours)
    file = ContentFile(PDF + w["a document's content"].encode(), name=f"{w['a file name']}.pdf")
    sent = receive_document(case_id=case.pk, name="payslip", file=file, actor=party("applicant"))
    judge_document(
        document_id=sent.pk, accept=False, reason=w["why a paper was rejected"], actor=ours
    )
    engine.settle()
    office.accept(case, "identity", "payslip", "bank_statement", "hand")
    engine.settle()


def _review(case: Case, office: Any, colleague: Any) -> None:
    w = WORDS
    task = Task.objects.get(case_id=case.pk, state="open")
    holder = Actor.of(office.underwriter)
    tasks.claim_task(task_id=task.pk, actor=holder)
    asked = advice.ask_advice(
        task_id=task.pk, of=colleague, question=w["a question for advice"], actor=holder
    )
    advice.give_advice(
        task_id=asked.pk, outcome="given", reason=w["an advice"], actor=Actor.of(colleague)
    )
    tasks.complete_task(
        task_id=task.pk, outcome="approve", reason=w["a decision's reason"], actor=holder
    )


def _beside(case: Case, office: Any) -> None:
    """What stands beside the case: drafts, uploads, a saved list, mail that found no case."""
    w, ours = WORDS, Actor.of(office.caseworker)
    drafts.save(office.caseworker, f"/cases/{case.reference}/notes/", {"text": w["a draft"]})
    drafts.save(office.caseworker, "/cases/new/loan/", {"title": w["a draft of a new case"]})
    name = w["an upload's file name"] + ".pdf"
    upload = uploads.begin_upload(
        case_id=case.pk, name="other", filename=name, size=1000, actor=ours
    )
    part = io.BytesIO(w["an upload's bytes"].encode())
    uploads.add_part(upload=upload, offset=0, part=part, actor=ours)
    lists.save_list(
        actor=ours,
        name=w["a saved list"],
        page="cases",
        query="find=Zonderland-Xhosa&state=all",
        shared=False,
        start=False,
    )
    file = kept_attachment("scan.pdf", PDF + w["a file in the tray"].encode())
    lay_in_tray(
        to="somebody",
        name="mail",
        data={"text": w["a message in the tray"], "attachments": [file]},
        source="mail",
        key=f"mail-of-{w['a mail address']}",
        why="It names no case.",
        actor=service("mail"),
    )


def withdraw(case: Case, office: Any, engine: Any, reason: str) -> None:
    ours = Actor.of(office.caseworker)
    move_case(case_id=case.pk, name="withdraw", data={"reason": reason}, actor=ours)
    engine.settle()


def _rows(case: Case, office: Any) -> None:
    """Rows as the past leaves them: a mended incident, a message that was late, a webhook's try."""
    w, now = WORDS, clock.now()
    Incident.objects.create(
        case_id=case.pk,
        kind="activity",
        cause=w["an incident"],
        title=w["an incident"],
        detail=w["an incident"],
        visit=1,
        opened_at=now,
        closed_at=now,
    )
    Message.objects.create(
        source="customer",
        key=f"answer of {w['the name']}",
        name="offer_answer",
        to=case.reference,
        case_id=case.pk,
        state="late",
        data={"reason": w["a message"]},
        digest="0" * 64,
        actor="party:customer",
        received_at=now,
    )
    Digest.objects.create(
        person=office.caseworker,
        day=date(2026, 12, 1),
        until=now,
        subject="Longcase",
        text=f"{w['a mail to staff']} {case.reference}",
        claimed_at=now,
        sent_at=now,
    )
    act = BulkAct.objects.create(
        person=office.caseworker,
        what="hand-over",
        asked={"reason": f"all of {w['the name']}"},
        back="/work/?find=Zonderland-Xhosa",
        chosen_at=now,
        begun_at=now,
        ended_at=now,
    )
    BulkRow.objects.create(act=act, place=1, case_id=case.pk, sentence=w["what a bulk act said"])
    Once.objects.create(
        key=uuid.uuid4(),
        person=office.caseworker,
        digest="0" * 64,
        answer=case.get_absolute_url(),
        said=w["what a form answered"],
        at=now,
    )
    note_presence(office.caseworker, f"{case.get_absolute_url()}facts/")
