"""What a customer does on their page: answer, send a paper, take the request back.

Each is an act of the party, recorded as such. The page proves who they are (`customer/codes.py`).
"""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Any

from django.core.files.base import File

from audit import codec
from cases.actors import Actor, party
from cases.errors import CaseClosed, Invalid, NotNow, TransitionRefused
from cases.models import Case, CustomerPage, Document, Message, Requirement
from processes.acts import documents
from processes.acts.cases import move_case
from processes.acts.locking import acting_on
from processes.customer.page import Answer
from processes.engine import inbox
from processes.kinds import kind_of
from timers import clock

SOURCE = "customer page"
PAPERS_A_DAY = 60
OTHER = documents.OTHER


def customer_of(page: CustomerPage) -> Actor:
    return party(page.party)


def send_answer(
    *, page: CustomerPage, answer: Answer, data: dict[str, Any], key: str, visit: int | None = None
) -> bool:
    """Give the case the customer's answer. True if it is new; the same key again does nothing.
    `visit` is the visit of the step that the customer was shown.

    Raises Invalid naming the fields, NotNow when the case does not wait for it, CaseClosed.
    """
    kind = kind_of(Case.objects.values_list("kind", flat=True).get(pk=page.case_id))
    data = kind.check_message(answer.message, data)
    full_key = f"{page.pk}:{key}"
    customer = customer_of(page)
    with acting_on(page.case_id, actor=customer, closed=True) as (turn, run):
        if Message.objects.filter(source=SOURCE, key=full_key).exists():
            return False
        if run.is_closed:
            raise CaseClosed("The case is closed.")
        if answer.message not in awaited(run.row["waits"]) or not is_step(answer, run.row["step"]):
            raise NotNow("The case does not wait for this now.")
        if visit is not None and visit != run.visit:
            raise NotNow("The case has moved on since this page was opened.")
        stored = inbox.store(
            source=SOURCE,
            key=full_key,
            name=answer.message,
            to=run.reference,
            data=data,
            actor=customer.code,
            state="taking",
        )
        text, _digest = inbox.spell(
            source=SOURCE, key=full_key, name=answer.message, to=run.reference, data=data
        )
        message = inbox.Waiting(
            stored.id, SOURCE, full_key, answer.message, run.reference, text, customer.code, ""
        )
        inbox.take(turn, run, message)
    return True


def is_step(answer: Answer, step: str) -> bool:
    """Whether this answer is offered in this step."""
    return not answer.steps or step in {str(one) for one in answer.steps}


def awaited(waits: Any) -> set[str]:
    """The names of the messages that a case waits for."""
    found: Any = codec.decode(waits) if isinstance(waits, str) else waits
    return {one["name"] for one in found if one["kind"] == "message"}


def send_paper(*, page: CustomerPage, name: str, file: File[bytes]) -> Document:
    """Keep a paper that the customer sends: one that was asked of them, or another. The very same
    file again is no second one. Raises Invalid, NotNow, CaseClosed."""
    declared = kind_of(Case.objects.values_list("kind", flat=True).get(pk=page.case_id)).page
    asked = Requirement.objects.filter(
        case_id=page.case_id, name=name, asked_of__in=declared.asked_of if declared else ()
    ).first()
    if name != OTHER and asked is None:
        raise NotNow("This paper was not asked for.")
    if asked is not None and asked.state == "accepted":
        raise NotNow("This paper was accepted already.")
    customer = customer_of(page)
    today = Document.objects.filter(
        case_id=page.case_id,
        received_from=customer.code,
        received_at__gt=clock.now() - timedelta(days=1),
    )
    if today.count() >= PAPERS_A_DAY:
        raise Invalid(
            f"You have sent {PAPERS_A_DAY} papers within a day. Send the rest tomorrow, or by post."
        )
    if name == OTHER:
        if (same := _sent_before(page, file)) is not None:
            return same
        name = documents.name_for_other(page.case_id)
    return documents.receive_document(case_id=page.case_id, name=name, file=file, actor=customer)


def _sent_before(page: CustomerPage, file: File[bytes]) -> Document | None:
    """The very same file, where this customer sent it: a form that came twice."""
    digest = hashlib.sha256()
    for piece in file.chunks():
        digest.update(piece)
    file.seek(0)
    return Document.objects.filter(
        case_id=page.case_id,
        digest=digest.hexdigest(),
        received_from=customer_of(page).code,
    ).first()


def withdraw(*, page: CustomerPage, reason: str) -> None:
    """Take the request back. Raises NotNow where that is over, Invalid, CaseClosed."""
    declared = kind_of(Case.objects.values_list("kind", flat=True).get(pk=page.case_id)).page
    if declared is None or declared.withdrawal is None:
        raise NotNow("This cannot be taken back.")
    step = Case.objects.values_list("step", flat=True).get(pk=page.case_id)
    if step not in {str(one) for one in declared.withdrawal.steps}:
        raise NotNow("It can no longer be taken back from where it stands.")
    if not reason.strip():
        raise Invalid("Say why.", {"reason": "Needed."})
    try:
        move_case(
            case_id=page.case_id,
            name=declared.withdrawal.transition,
            data={"reason": reason.strip()},
            actor=customer_of(page),
        )
    except TransitionRefused as refusal:
        raise NotNow("It can no longer be taken back from where it stands.") from refusal
