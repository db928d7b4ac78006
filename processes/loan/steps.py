"""What happens in each step of a loan application. docs/loan.md tells it in plain words."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.utils.translation import gettext_lazy as _

from processes.engine.errors import ActivityFailed
from processes.engine.words import (
    Outcome,
    all_of,
    ask_review,
    ask_task,
    callback,
    compensate,
    deadline,
    decide,
    documents,
    first_of,
    message,
    replaced_papers,
    sleep,
    start,
)
from processes.kinds import Kind
from processes.loan import messages, page, rules
from processes.loan.activities import (
    chase_appraisal,
    check_identity,
    letter,
    note_reminder,
    order_appraisal,
    papers_still_missing,
    pay_out,
    score_credit,
)
from processes.loan.models import LoanApplication, Step
from processes.retention import Retention
from processes.validity import Validity
from timers.spans import days, months, working_days

loan = Kind(
    LoanApplication,
    title=_("Loan application"),
    prefix="LN",
    initial=Step.RECEIVED,
    main_line=[
        (_("Checks"), [Step.RECEIVED, Step.CHECKS]),
        (_("Documents"), [Step.AWAITING_DOCUMENTS]),
        (_("Underwriting"), [Step.UNDERWRITING]),
        (_("Appraisal"), [Step.APPRAISAL]),
        (_("Decision"), [Step.DECISION]),
        (_("Offer"), [Step.OFFER]),
        (_("Paid out"), [Step.PAYOUT, Step.PAID_OUT]),
    ],
    document_titles={
        "identity": _("Proof of identity"),
        "payslip": _("Payslip"),
        "bank_statement": _("Bank statement"),
    },
    rejection_letters={"applicant": "loan/letters/paper_rejected.txt"},
    validity={"payslip": Validity(months(3), (Step.AWAITING_DOCUMENTS, Step.UNDERWRITING))},
    messages={"offer_answer": messages.offer_answer, "appraisal": messages.appraisal},
    answers=("offer_answer",),
    form="processes.loan.forms.LoanForm",
    reopened_letter="loan/letters/reopened.txt",
    correctable=rules.SAID_BY_APPLICANT,
    check_facts=rules.unfit,
    answer_forms={"offer_answer": "processes.loan.forms.OfferAnswerForm"},
    found_by=("applicant_name", "email", "national_id", "address", "account"),
    targets={
        Step.RECEIVED: 1,
        Step.CHECKS: 2,
        Step.AWAITING_DOCUMENTS: 21,
        Step.UNDERWRITING: 7,
        Step.APPRAISAL: 14,
        Step.DECISION: 5,
        Step.OFFER: 14,
        Step.PAYOUT: 3,
    },
    page=page.PAGE,
    identified_by=("email", "national_id", "account"),
    retention={
        Step.PAID_OUT: Retention(years=7, basis=_("General Tax Act, article 52: accounts")),
        Step.DECLINED: Retention(years=2, basis=_("in case the decision is disputed")),
        "": Retention(years=1, basis=_("credit policy: applications that came to nothing")),
    },
    personal={"income": ("net_income_a_month",), "credit_score": ("score",)},
    plain=("missing_papers", "papers", "answer"),
)


class ClearNo(Exception):
    """A check that ends the application, whatever the other one says."""


@loan.step(Step.RECEIVED)
async def received(case: LoanApplication) -> Any:
    await letter("received")
    return case.begin_checks()


@loan.step(Step.CHECKS)
async def checks(case: LoanApplication) -> Any:
    """Both services are asked side by side. A clear no of either declines at once."""
    try:
        _identity, score = await all_of(confirm_identity(case), pass_credit(case))
    except ClearNo as no:
        await letter("declined", reason=str(no))
        return case.decline(reason=str(no))
    return case.request_documents(score=score)


async def confirm_identity(case: LoanApplication) -> None:
    found = await check_identity(national_id=case.national_id, name=case.applicant_name)
    if not found["confirmed"]:
        raise ClearNo(found["reason"] or "The identity could not be confirmed.")


async def pass_credit(case: LoanApplication) -> int:
    found = await score_credit(
        national_id=case.national_id,
        amount=case.amount,
        income=case.income,
        term_months=case.term_months,
    )
    if no := rules.clear_no(found["score"]):
        raise ClearNo(no)
    return found["score"]


@loan.step(Step.AWAITING_DOCUMENTS)
async def awaiting_documents_by_code(case: LoanApplication) -> Any:
    """The customer has 30 days, with a reminder every 7. Which papers, the code said."""
    return await gather(case, case.missing_papers.split() or rules.papers_by_code(case))


@loan.step(Step.AWAITING_DOCUMENTS, version=2)
async def awaiting_documents(case: LoanApplication) -> Any:
    """The customer has 30 days, with a reminder every 7. Which papers, a table says."""
    papers = case.missing_papers.split()
    if not papers:
        needed = await decide(
            rules.PAPERS_NEEDED,
            amount=case.amount,
            burden=rules.burden(case.amount, case.income, case.term_months),
        )
        papers = needed["paper"]
    return await gather(case, papers)


async def gather(case: LoanApplication, papers: list[str]) -> Any:
    again = bool(case.missing_papers)
    if again:
        await letter("documents_again", papers=rules.words_for(papers), reason=case.papers_reason)
    else:
        await letter("documents", papers=rules.words_for(papers))
    afresh = again  # what was good enough before is not any more
    while True:
        async with deadline(days(30), then="the application lapses") as too_late:
            wanted = documents(
                *papers, afresh=afresh, reason=case.papers_reason, met="underwriting begins"
            )
            await first_of(wanted, remind(papers))
        if not too_late:
            return case.begin_underwriting()
        missing = await papers_still_missing(papers=papers)
        if missing:
            break
        afresh = False  # all came, and it is we who have not looked at them: no reason to lapse
    reason = f"Not received within 30 days: {', '.join(rules.words_for(missing))}."
    await letter("lapsed", papers=rules.words_for(missing))
    return case.lapse(reason=reason)


async def remind(papers: list[str]) -> None:
    while True:
        await sleep(days(7), name="reminder")
        missing = await note_reminder(papers=papers)
        if missing:
            await letter("reminder", papers=rules.words_for(missing))


@loan.step(Step.UNDERWRITING)
async def underwriting_by_code(case: LoanApplication) -> Any:
    """A score informs, a person judges; above 50,000 a second, different person does too."""
    while True:
        judged = what_is_judged(case)
        second = first = await judge_first(case)
        if first.outcome == "approve" and case.amount > rules.SECOND_PERSON_FROM:
            second = await judge_second(case, unlike=first.by)
        if second.outcome != "approve" or what_is_judged(case) == judged:
            break
    return await judged_so(case, second)


@loan.step(Step.UNDERWRITING, version=2)
async def underwriting(case: LoanApplication) -> Any:
    """A score informs, a person judges; where the table asks for it, a second person does too."""
    while True:
        judged = what_is_judged(case)
        second = first = await judge_first(case)
        if first.outcome == "approve":
            who = await decide(rules.WHO_JUDGES, amount=case.amount)
            if who["second_person"]:
                second = await judge_second(case, unlike=first.by)
        if second.outcome != "approve" or what_is_judged(case) == judged:
            break
    return await judged_so(case, second)


async def judged_so(case: LoanApplication, second: Outcome) -> Any:
    if second.outcome == "send_back":
        papers = rules.papers_named(second.result) or list(rules.PAPERS)
        return case.send_back(papers=" ".join(papers), reason=second.reason)
    if second.outcome == "decline":
        await letter("declined", reason=second.reason)
        return case.decline(reason=second.reason)
    if case.secured:
        return case.begin_appraisal()
    return case.put_to_decision()


def what_is_judged(case: LoanApplication) -> Any:
    """The facts and papers that reviews, decision and offer rest on. They may change at any time,
    and an approval covers only what its reviewer saw: whatever changes goes back to underwriting.
    """
    return (
        case.amount,
        case.term_months,
        case.income,
        case.secured,
        case.security,
        case.national_id,
        case.applicant_name,
        replaced_papers(),
    )


CHANGED = "What it was judged on changed after it was judged."


def judge_first(case: LoanApplication) -> Any:
    return judge(case, "underwriting", role="underwriter", due=working_days(5))


def judge_second(case: LoanApplication, *, unlike: str) -> Any:
    """Of another person than the first."""
    return judge(
        case,
        "second_underwriting",
        role="senior underwriter",
        due=working_days(2),
        unlike=unlike,
    )


def judge(case: LoanApplication, name: str, *, role: str, due: Any, unlike: str = "") -> Any:
    return ask_review(
        name,
        role=role,
        due=due,
        title="Second underwriting review" if unlike else "Underwriting review",
        outcomes=[
            ("approve", "Approve"),
            ("send_back", "Send back for missing papers", True),
            ("decline", "Decline", True),
        ],
        asks=[(paper, f"Missing: {title}", "yes") for paper, title in rules.PAPERS.items()],
        unlike=unlike or (),
        show={
            "credit_score": case.credit_score,
            "amount": case.amount,
            "net_income_a_month": case.income,
            "part_of_the_income": rules.share_in_words(
                rules.burden(case.amount, case.income, case.term_months)
            ),
        },
        met="approved files go on, declined ones are closed, incomplete ones go back for papers",
    )


WITHOUT_APPRAISAL = "an underwriter decides how to go on without it"


@loan.step(Step.APPRAISAL)
async def appraisal(case: LoanApplication) -> Any:
    """The appraiser has 21 days, and is chased after 14. Then an underwriter decides without."""
    judged = what_is_judged(case)
    answer = callback(
        "appraisal",
        on="the appraiser",
        open_for=days(21),
        met="the application is put to decision",
        otherwise=WITHOUT_APPRAISAL,
    )
    question = answer.key
    value = None
    try:
        async with deadline(days(21), then=WITHOUT_APPRAISAL):
            order = await order_appraisal(
                question=question, security=case.security, amount=case.amount
            )
            await letter("appraisal")
            start(chase(question=question, order=order["order"]))
            value = (await answer).data["value"]
    except ActivityFailed:
        pass  # nobody could take the order: for the file that is the same
    if value is None:
        await compensate()
        review = await ask_review(
            "no_appraisal",
            role="underwriter",
            due=working_days(2),
            title="Decide without an appraisal",
            outcomes=[("go_on", "Go on without it"), ("decline", "Decline", True)],
            show={"security": case.security, "amount": case.amount},
            met="the application is put to decision, or declined",
        )
        if review.outcome == "decline":
            await letter("declined", reason=review.reason)
            return case.decline(reason=review.reason)
    if what_is_judged(case) != judged:
        return case.judge_anew(reason=CHANGED)
    return case.put_to_decision(appraised_value=value)


async def chase(*, question: str, order: str) -> None:
    await sleep(days(14), name="chase")
    with suppress(ActivityFailed):  # a chase that is not delivered changes nothing: the days go on
        await chase_appraisal(question=question, order=order)


@loan.step(Step.DECISION)
async def decision_by_code(case: LoanApplication) -> Any:
    """Up to 50,000 an underwriter decides, above it a senior one."""
    senior = case.amount > rules.SECOND_PERSON_FROM
    return await put_before(case, "senior underwriter" if senior else "underwriter")


@loan.step(Step.DECISION, version=2)
async def decision(case: LoanApplication) -> Any:
    """The table says who decides on the terms."""
    who = await decide(rules.WHO_JUDGES, amount=case.amount)
    return await put_before(case, who["decider"])


async def put_before(case: LoanApplication, role: str) -> Any:
    judged = what_is_judged(case)
    terms = rules.terms(
        amount=case.amount,
        term_months=case.term_months,
        score=case.credit_score or 0,
        secured=case.secured,
    )
    review = await ask_review(
        "decision",
        role=role,
        due=working_days(2),
        title="Decision",
        outcomes=[("approve", "Approve and make the offer"), ("decline", "Decline", True)],
        show={
            "amount": case.amount,
            "credit_score": case.credit_score,
            "interest_rate": terms.interest_rate,
            "monthly_payment": terms.monthly_payment,
            **rules.security_in_words(case.amount, case.appraised_value),
        },
        met="the customer gets an offer, or a letter that says why not",
    )
    if review.outcome == "decline":
        await letter("declined", reason=review.reason)
        return case.decline(reason=review.reason)
    if what_is_judged(case) != judged:
        return case.judge_anew(reason=CHANGED)
    return case.make_offer(**terms._asdict())


@loan.step(Step.OFFER)
async def offer(case: LoanApplication) -> Any:
    """The customer has 30 calendar days."""
    judged = what_is_judged(case)
    await letter("offer")
    async with deadline(days(30), then="the offer expires") as too_late:
        answer = await message(
            "offer_answer", of="customer", met="the loan is paid out, or closed if refused"
        )
    if too_late:
        await letter("expired")
        return case.expire(reason="The customer did not answer within 30 days.")
    if answer.data["answer"] == "decline":
        await letter("offer_refused")
        return case.refuse_offer(reason=answer.data["reason"] or "The customer refused the offer.")
    if what_is_judged(case) != judged:
        return case.judge_anew(reason=CHANGED)
    return case.accept_offer()


CALL_OFF = ("call_off", "Call the loan off", True)


@loan.step(Step.PAYOUT)
async def payout(case: LoanApplication) -> Any:
    amount = case.amount  # as the customer accepted it; a later correction pays nothing else
    while True:
        try:
            paid = await pay_out(
                customer=case.national_id,
                account=case.account,
                amount=amount,
                reference=case.reference,
            )
            break
        except ActivityFailed as failure:
            if not failure.final:
                raise  # it may have been paid: only the same key may be tried again
            refusal = failure.error
        look = await ask_task(
            "payout_refused",
            role="caseworker",
            due=working_days(1),
            title="The bank refused the payout",
            outcomes=[("again", "Pay again, with the facts as they are now"), CALL_OFF],
            show={"the_bank_says": refusal, "account": case.account},
            met="the loan is paid out, or called off",
        )
        if look.outcome == "call_off":
            await letter("not_paid_out", reason=look.reason)
            return case.call_off(reason=look.reason)
    await letter("paid_out", booking=paid["booking"])
    return case.close_paid_out(booking=paid["booking"])


@loan.step(Step.WITHDRAWING)
async def withdrawing(case: LoanApplication) -> Any:
    await letter("withdrawn")
    return case.close_withdrawn()


@loan.step(Step.DECLINING)
async def declining(case: LoanApplication) -> Any:
    await letter("declined", reason=case.outcome_reason)
    return case.close_declined()
