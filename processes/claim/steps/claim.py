"""What happens in each step of a claim."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from processes.claim import messages, page, rules
from processes.claim.activities import (
    assess_claim,
    join_run,
    leave_run,
    letter,
    next_batch,
    pay_claim,
    settle_order,
    tell_parent,
)
from processes.claim.models.claim import Claim, Step
from processes.claim.runs import SEE_RUNS
from processes.claim.steps.chain import approval, is_last, not_approved, onward
from processes.engine.errors import ActivityFailed
from processes.engine.words import (
    Outcome,
    ask_task,
    deadline,
    decide,
    first_of,
    message,
    sleep,
    sleep_until,
    subcase,
)
from processes.kinds import Kind
from processes.retention import Retention
from timers.spans import days, working_days

claim = Kind(
    Claim,
    title=_("Claim"),
    prefix="CL",
    initial=Step.RECEIVED,
    main_line=[
        (_("Submitted"), [Step.DRAFT, Step.RECEIVED, Step.FRAUD_LOOK]),
        (_("Administration"), [Step.ADMINISTRATION, Step.PRE_APPROVAL]),
        (_("Budget"), [Step.BUDGET]),
        (_("Decision"), [Step.SUPERVISION, Step.DIRECTION]),
        (_("Payment"), [Step.APPROVED, Step.PAYMENT_REQUESTED, Step.PAYING, Step.PART_PAID]),
        (_("Paid"), [Step.PAID]),
    ],
    messages={
        "submitted": messages.submitted,
        "taken_back": messages.nothing,
        "resubmitted": messages.submitted,
        "payment_requested": messages.nothing,
        "payment_rejected": messages.reason,
        "further_costs": messages.further_costs,
    },
    answers=("taken_back", "resubmitted", "payment_requested", "payment_rejected"),
    message_titles=messages.TITLES,
    may_come=("payment_rejected",),
    fact_words=rules.FACT_WORDS,
    pages=[(_("Payment runs"), "payment-runs", SEE_RUNS)],
    form="processes.claim.forms.ClaimForm",
    reopened_letter="claim/letters/reopened.txt",
    correctable=(*rules.SAID_BY_APPLICANT, "reserve"),
    check_facts=rules.unfit_claim,
    answer_forms={
        "submitted": "processes.claim.forms.SubmittedForm",
        "resubmitted": "processes.claim.forms.SubmittedForm",
        "taken_back": "processes.claim.forms.NothingForm",
        "payment_requested": "processes.claim.forms.NothingForm",
        "payment_rejected": "processes.claim.forms.ReasonForm",
        "further_costs": "processes.claim.forms.FurtherCostsForm",
    },
    parent_fact="belongs_to",
    found_by=("claimant_name", "email", "account", "description", "unit"),
    page=page.PAGE,
    identified_by=("email", "account"),
    retention={
        Step.PAID: Retention(years=7, basis=_("General Tax Act, article 52: accounts")),
        Step.REJECTED: Retention(years=5, basis=_("in case the decision is disputed")),
        "": Retention(years=1, basis=_("claims that came to nothing")),
    },
    plain=(
        *("unit", "chain", "flags", "approved_by", "returned_by", "belongs_to", "bookings"),
        *("claim", "parent", "what", "type", "doubles", "booking"),
    ),
)


@claim.step(Step.RECEIVED)
async def received(case: Claim) -> Any:
    """The table says who approves. What looks like fraud is looked at first, once a round."""
    if case.is_draft:
        return case.keep_as_draft()
    if case.rounds == 0 and not case.looked_at and not case.paid_total:
        await letter("received")
    found = await assess_claim(
        type=case.claim_type,
        amount=case.amount,
        account=case.account,
        incurred_date=case.incurred_date,
        belongs_to=case.belongs_to,
        needs_permit=case.needs_permit,
    )
    if case.belongs_to:
        await tell_parent(parent=case.belongs_to, claim=case.reference, what="submitted")
    if (doubts := rules.suspicions(found["flags"])) and not case.looked_at:
        return case.look_first(
            suspicion=rules.flags_in_words(" ".join(doubts)), flags=" ".join(found["flags"])
        )
    who = await decide(
        rules.WHO_APPROVES,
        type=case.claim_type,
        unit=case.unit or None,
        budget=case.budget,
        amount=case.amount,
    )
    route = {
        "chain": rules.chain_of(who),
        "rule": who.because,
        "flags": " ".join(found["flags"]),
        "what_is_approved": rules.what_is_approved(case),
        "release": who["release"],
        "own_risk": found["own_risk"],
    }
    if case.claim_type == "insurance" and not case.reserve:
        route["reserve"] = case.asked_now
    return onward(case, route=route)


@claim.step(Step.DRAFT)
async def draft(case: Claim) -> Any:
    """A draft waits half a year for its applicant, who is reminded after one month and five."""
    async with deadline(days(180), then="the draft lapses") as too_late:
        got = await first_of(submission(case), remind("draft_reminder", 30, 120))
    if too_late:
        await letter("lapsed")
        return case.lapse(reason="The draft was not submitted within 180 days.")
    return case.submit(changes=got.value)


async def submission(case: Claim) -> dict[str, Any]:
    """What the applicant changed when submitting. Without an amount it stays a draft."""
    while True:
        sent = await message("submitted", of="applicant", met="the claim goes to its approvers")
        if case.amount or sent.data.get("amount"):
            return sent.data
        await letter("draft_reminder")


async def remind(name: str, *after: int) -> None:
    """Letters to the applicant after so many days, each counted from the one before."""
    for number in after:
        await sleep(days(number), name="reminder")
        await letter(name)
    await sleep(days(3650), name="no further reminder")


@claim.step(Step.FRAUD_LOOK)
async def fraud_look(case: Claim) -> Any:
    """An examiner looks, in a case of its own. Without a finding of fraud the claim goes on."""
    end = await subcase(
        "fraud_look",
        title=f"Fraud look at {case.reference}",
        met="a cleared claim goes on to its approvers, fraud is rejected",
        of_claim=case.reference,
        claimant_name=case.claimant_name,
        claimant=case.claimant,
        amount=case.amount,
        suspicion=case.suspicion,
    )
    if end.outcome == "confirmed":
        reason = end.facts["finding"]
        await letter("rejected", reason=reason)
        await tell_end(case, "rejected")
        return case.reject_as_fraud(reason=reason)
    return case.go_on_cleared()


async def approve_step(case: Claim) -> Any:
    """One step of the chain before the last word."""
    review = await approval(case, show=what_approvers_see(case))
    return await refused(case, review) or onward(case, by=review.by)


async def decide_step(case: Claim) -> Any:
    """The supervisor or the director. Who has the last word also says how much is paid, and
    whether more may follow."""
    if not is_last(case):
        return await approve_step(case)
    review = await approval(
        case,
        asks=[
            ("amount", "Amount approved, if it is not all of it", "money"),
            ("more_follows", "A part payment: more may follow", "yes"),
        ],
        show=what_approvers_see(case),
    )
    if no := await refused(case, review):
        return no
    amount = rules.approved_amount(
        asked=case.asked_now,
        own_risk=rules.own_risk_now(case.own_risk, case.paid_total),
        named=review.result.get("amount"),
    )
    if not amount:
        reason = review.reason or "Nothing is left to pay after your own risk."
        await letter("rejected", reason=reason)
        await tell_end(case, "rejected")
        return case.reject(reason=reason)
    return case.approve(
        by=review.by, amount=amount, more_follows=bool(review.result.get("more_follows"))
    )


async def refused(case: Claim, review: Outcome) -> Any:
    """The transition of an approval that was not given, or covers what has changed since; None
    when the claim goes on."""
    if review.outcome == "reject":
        await letter("rejected", reason=review.reason)
        await tell_end(case, "rejected")
    if no := not_approved(case, review):
        return no
    if rules.what_is_approved(case) != case.what_is_approved:
        return case.ask_anew()
    return None


for chain_step in (Step.ADMINISTRATION, Step.PRE_APPROVAL, Step.BUDGET):
    claim.step(chain_step)(approve_step)
for last_step in (Step.SUPERVISION, Step.DIRECTION):
    claim.step(last_step)(decide_step)


def what_approvers_see(case: Claim) -> dict[str, Any]:
    seen: dict[str, Any] = {
        "amount": case.amount,
        "unit": case.unit,
        "budget": case.get_budget_display(),
        "what_for": case.description,
        "what_stands_out": rules.flags_in_words(case.flags),
        "paid_before": case.paid_total or "",
        "own_risk": rules.own_risk_now(case.own_risk, case.paid_total) or "",
        "reserve": case.reserve or "",
        "times_submitted_again": case.rounds or "",
    }
    return {name: value for name, value in seen.items() if value not in ("", None)}


async def tell_end(case: Claim, what: str) -> None:
    """The permit or policy learns that this claim has ended. To be asked for last: then the news
    and the end commit together, and who hears of it finds the claim closed."""
    if case.belongs_to:
        await tell_parent(parent=case.belongs_to, claim=case.reference, what=what)


NOT_AGAIN = "the claim is closed as rejected"


@claim.step(Step.RETURNED)
async def returned(case: Claim) -> Any:
    """The applicant takes the claim back to change it, or submits it again as it is."""
    await letter("returned", reason=case.return_reason)
    async with deadline(days(365), then=NOT_AGAIN) as too_late:
        got = await first_of(
            message("taken_back", of="applicant", met="the applicant changes the claim"),
            message("resubmitted", of="applicant", met="the claim goes to its approvers again"),
            remind("returned_reminder", 30, 150),
        )
    if too_late:
        return await close_returned(case)
    if got.place == 0:
        return case.take_back()
    return case.resubmit(changes=got.value.data)


@claim.step(Step.TAKEN_BACK)
async def taken_back(case: Claim) -> Any:
    async with deadline(days(365), then=NOT_AGAIN) as too_late:
        got = await first_of(
            message("resubmitted", of="applicant", met="the claim goes to its approvers again"),
            remind("returned_reminder", 30, 150),
        )
    if too_late:
        return await close_returned(case)
    return case.resubmit(changes=got.value.data)


async def close_returned(case: Claim) -> Any:
    reason = "It was returned and not submitted again within 365 days."
    await letter("rejected", reason=case.return_reason or reason)
    await tell_end(case, "rejected")
    return case.let_go(reason=reason)


@claim.step(Step.APPROVED)
async def approved(case: Claim) -> Any:
    """The daily batch requests the payment, or the bookkeeper does, as the table says."""
    await letter("approved")
    refused = message("payment_rejected", of="bookkeeper", met="the applicant gets it back")
    if case.release == "bookkeeper":
        wanted = message(
            "payment_requested", of="bookkeeper", met="the claim goes into the next payment run"
        )
        got = await first_of(refused, wanted, chase_bookkeeper())
    else:
        batch = await next_batch()
        got = await first_of(refused, sleep_until(batch["at"], name="payment batch"))
    if got.place == 0:
        return case.return_after_approval(by=got.value.by, reason=got.value.data["reason"])
    if got.place == 2 and got.value.outcome == "return":
        return case.return_after_approval(by=got.value.by, reason=got.value.reason)
    return case.request_payment()


async def chase_bookkeeper() -> Any:
    await sleep(working_days(10), name="chase the bookkeeper")
    return await ask_task(
        "not_requested",
        role="payments clerk",
        due=working_days(5),
        title="The bookkeeper has not requested this payment",
        outcomes=[("request", "Request the payment"), ("return", "Return to the applicant", True)],
        met="the claim goes into the next payment run, or back to the applicant",
    )


@claim.step(Step.PAYMENT_REQUESTED)
async def payment_requested(case: Claim) -> Any:
    """In the next payment run, Monday or Thursday at 17:30."""
    run = await join_run(amount=case.approved_amount)
    got = await first_of(
        message("payment_rejected", of="bookkeeper", met="the applicant gets it back"),
        sleep_until(run["run_at"], name="payment run"),
    )
    if got.place == 0:
        await leave_run()
        return case.return_after_approval(by=got.value.by, reason=got.value.data["reason"])
    return case.begin_paying()


@claim.step(Step.PAYING)
async def paying(case: Claim) -> Any:
    amount = case.approved_amount
    assert amount is not None  # set with the approval, and no person corrects it
    while True:
        try:
            paid = await pay_claim(
                name=case.claimant_name,
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
            "payment_refused",
            role="payments clerk",
            due=working_days(1),
            title="The bank refused the payment",
            outcomes=[
                ("again", "Pay again, with the account as it is now"),
                ("return", "Return to the applicant", True),
            ],
            show={"the_bank_says": refusal, "account": case.account},
            met="the claim is paid, or goes back to the applicant",
        )
        if look.outcome == "return":
            await leave_run()
            return case.return_after_approval(by=look.by, reason=look.reason)
    await settle_order(booking=paid["booking"])
    if case.more_follows:
        await letter("paid_in_part", paid=amount, booking=paid["booking"])
        left = rules.reserve_after(reserve=case.reserve, paid=amount, more_follows=True)
        return case.keep_open(paid=amount, booking=paid["booking"], reserve=left)
    await letter("paid", paid=amount, booking=paid["booking"])
    await tell_end(case, "paid")
    return case.close_paid(paid=amount, booking=paid["booking"])


@claim.step(Step.PART_PAID)
async def part_paid(case: Claim) -> Any:
    """A year for further costs; then the claim is closed with what was paid."""
    async with deadline(days(365), then="the claim is closed with what was paid") as too_late:
        more = await message(
            "further_costs", of="applicant", met="the further part goes to its approvers"
        )
    if too_late:
        await tell_end(case, "paid")
        return case.close_rest(reason="No further costs were sent within 365 days.")
    return case.claim_rest(
        amount=case.paid_total + more.data["amount"], description=more.data["description"]
    )


@claim.step(Step.WITHDRAWING)
async def withdrawing(case: Claim) -> Any:
    await leave_run()
    await letter("withdrawn")
    await tell_end(case, "withdrawn")
    return case.close_withdrawn()
