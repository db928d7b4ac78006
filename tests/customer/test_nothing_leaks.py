"""Secrets are laid wherever the inside of a case keeps text; no page of the customer shows one."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import models

from audit.record import record
from cases import sentences
from cases.actors import service
from cases.models import Case, Document, Letter, Note, Person, Requirement, Task, Team
from processes.acts.cases import open_case
from processes.customer import addresses
from processes.customer.page import EVENTS
from processes.kinds import Kind, kind_of
from timers import clock

KINDS = ("loan", "permit", "claim", "onboarding", "owner", "enforcement")
FACTS: dict[str, dict[str, Any]] = {
    "loan": {"applicant_name": "Zoë", "national_id": "1", "amount": "100", "income": "3000"},
    "permit": {"applicant_name": "Zoë", "site": "Dorpsstraat 1", "parts": "build"},
    "claim": {"claimant_name": "Zoë", "amount": "900000000.00", "account": "NL91ABNA0417164300"},
    "onboarding": {
        "name": "Zoë Bakery",
        "relation": "customer",
        "registration_number": "12345678",
        "country": "NL",
        "activity": "trade",
        "turnover": "100.00",
    },
    "owner": {"full_name": "Zoë", "born_date": "1970-05-31", "country": "NL", "share": 60,
              "id_number": "1"},
    "enforcement": {"offender_name": "Zoë", "offence": "Parked", "amount": "36.00",
                    "raised_amount": "74.00"},
}  # fmt: skip


FIELDS = re.findall(
    r"\w+",
    "title reason text error line outcome outcome_reason role source key why on label result to "
    "filename transition person owner who stays what how party code answer because",
)


class Secrets:
    """Makes secrets, and finds them again in a page."""

    def __init__(self) -> None:
        self.laid = 0

    def __call__(self) -> str:
        self.laid += 1
        return f"Zq{self.laid}secret"

    def number(self) -> int:
        self.laid += 1
        return 777_000_000 + self.laid

    def found_in(self, page: str) -> set[str]:
        return set(
            re.findall(r"Zq\d+secret|777\d{6}", re.sub(r"(?<=\d)[,.\u00a0](?=\d)", "", page))
        )


def lay_everywhere(case: Case, kind: Kind, secret: Secrets) -> None:
    """Secrets in notes, tasks, reviews, facts, letters and papers of others, waits and events."""
    now = clock.now()
    page = kind.page
    assert page is not None
    team = Team.objects.create(name=secret())
    boss = Person.objects.create_user(secret(), first_name=secret(), last_name=secret(), team=team)
    Note.objects.create(case=case, number=1, author=boss, text=secret(), written_at=now)
    for number in (901, 902):
        Task.objects.create(
            case=case, visit=0, command=-number, name=secret(), title=secret(), role=secret(),
            outcomes=[[secret(), secret()]], show={secret(): secret()}, holder=boss,
            opened_at=now, opened_number=1, due_at=now, state="open" if number == 901 else "done",
            reason=secret(), outcome=secret(), result={secret(): secret()},
            closed_by=f"person:{boss.pk}",
        )  # fmt: skip
    Letter.objects.create(
        case=case, key=secret(), template="t", to_name=secret(), subject=secret(), text=secret(),
        written_at=now, to_email="other@example.org",
    )  # fmt: skip
    Requirement.objects.create(
        case=case, name=secret(), title=secret(), asked_of="the neighbours", asked_at=now,
        state="rejected", reason=secret(),
    )  # fmt: skip
    theirs = Requirement.objects.create(
        case=case, name="payslip", title="Payslip", asked_of=page.asked_of[0], asked_at=now
    )
    Document.objects.create(
        case=case, name=theirs.name, version=1, filename=secret(), media_type="x", size=1,
        digest=secret(), reason=secret(), received_at=now, received_from=f"person:{boss.pk}",
    )  # fmt: skip
    shown = {name for one in page.steps.values() for name in one.facts}
    facts: dict[str, Any] = {}
    for field in kind.model.fact_fields():
        if field.name in shown or field.choices:
            continue
        if isinstance(field, models.CharField | models.TextField) and (field.max_length or 99) > 15:
            facts[field.name] = secret()
        elif isinstance(field, models.IntegerField) and field.null:
            facts[field.name] = secret.number()
        elif isinstance(field, models.DecimalField) and field.max_digits > 8:
            facts[field.name] = Decimal(secret.number())
    kind.model.objects.filter(pk=case.pk).update(**facts)
    Case.objects.filter(pk=case.pk).update(
        title=secret(), owner=boss, team=team, outcome=secret(), outcome_reason=secret(),
        stopped_at=now,
    )  # fmt: skip
    for type_ in sorted({*sentences._tellers, *EVENTS, "something.new"} - {"clock.started"}):
        lay_event(case, kind, type_, secret, boss)


def lay_event(case: Case, kind: Kind, type_: str, secret: Secrets, boss: Person) -> None:
    """An event with a secret in every field that an event of any type has."""
    data: dict[str, Any] = {name: secret() for name in FIELDS}
    data |= {"name": secret(), "names": [secret()], "of": "the neighbours", "version": 1}
    data |= {"data": {secret(): secret()}, "changes": {secret(): [secret(), secret()]}}
    if type_ == "step.entered":
        data |= {"step": kind.initial, "from": secret(), "facts": {secret(): secret()}}
    if type_ in ("document.received", "document.accepted", "document.asked"):
        data["name"] = "payslip"
    steps = kind.model.Step.values  # type: ignore[attr-defined]
    for place, actor in enumerate((f"person:{boss.pk}", "engine", f"service:{secret()}")):
        if type_ == "step.entered":  # of other titles than the one before: each is told
            data["step"] = steps[-1 - place]
        head: Any = Case.objects.get(pk=case.pk)
        head.sealer = None
        record(head, type_, actor=actor, recorded_at=clock.now(), **data)
        Case.objects.filter(pk=case.pk).update(
            head_number=head.head_number, head_hash=head.head_hash
        )


@pytest.mark.parametrize("name", KINDS)
def test_nothing_internal_shows_on_any_page_in_any_step(name: str, db: None, customer: Any) -> None:
    # Given a case whose inside is full of secrets
    kind, secret = kind_of(name), Secrets()
    page = kind.page
    assert page is not None
    case = open_case(kind=name, facts=FACTS[name], title="Zoë", actor=service("website"))
    lay_everywhere(case, kind, secret)
    assert secret.laid > 300
    given = addresses.make(
        case_id=case.pk, party=page.party, name="Zoë", email="zoe@a.example", given_with="t"
    )
    zoe = customer(case, page=given)
    outside = [zoe.text(), zoe.browser.get("/page/").content.decode()]
    zoe.come_in()
    waits = [
        {"kind": kind_of_wait, "name": secret(), "on": secret(), "since": clock.now(),
         "until": clock.now() + timedelta(days=1), "command": 1, "met": secret(),
         "otherwise": secret()}
        for kind_of_wait in ("task", "activity", "timer", "party", "subcase", "staff", "incident")
    ]  # fmt: skip
    waits += [{**waits[0], "kind": "message", "name": one.message} for one in page.answers]
    waits += [{**waits[0], "kind": "documents", "on": page.asked_of[0]}]
    # When it stands in each of its steps, and the customer looks at each of their pages
    for step in kind.model.Step.values:  # type: ignore[attr-defined]
        is_over = step in kind.closing_steps
        Case.objects.filter(pk=case.pk).update(
            step=step, closed_at=clock.now() if is_over else None, waits=[] if is_over else waits
        )
        seen = list(outside)
        paths = ["", "paper/", "paper/payslip/", "withdraw/", "code/", "letters/1/"]
        paths += [f"answer/{one.message}/" for one in page.answers]
        for path in paths:
            answer = zoe.browser.get(zoe.address + path, follow=True)
            assert answer.status_code in (200, 404), (step, path)
            seen.append(answer.content.decode())
        # Then it reads its step in plain words, and none of the secrets is there
        assert str(page.told(step).says).replace("’", "'") in seen[2]
        for text in seen:
            assert not secret.found_in(text), (step, secret.found_in(text))
