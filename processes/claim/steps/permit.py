"""What happens in each step of a travel permit."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from processes.claim import messages, rules
from processes.claim.activities import letter, look_at_claims
from processes.claim.models.permit import Step, TravelPermit
from processes.claim.steps.chain import approval, is_last, not_approved, onward
from processes.engine.words import Outcome, deadline, decide, first_of, message, now, sleep_until
from processes.kinds import Kind
from processes.retention import Retention
from timers.spans import days, months

permit = Kind(
    TravelPermit,
    title=_("Travel permit"),
    prefix="TP",
    initial=Step.RECEIVED,
    main_line=[
        (_("Submitted"), [Step.RECEIVED]),
        (_("Approval"), [Step.ADMINISTRATION, Step.PRE_APPROVAL, Step.BUDGET]),
        (_("Decision"), [Step.SUPERVISION, Step.DIRECTION]),
        (_("Trip"), [Step.PLANNED, Step.TRAVELLING]),
        (_("Claims"), [Step.CLAIMING]),
        (_("Settled"), [Step.SETTLED]),
    ],
    messages={
        "taken_back": messages.nothing,
        "resubmitted": messages.permit_resubmitted,
        "permit_rejected": messages.reason,
        "claim_news": messages.claim_news,
    },
    answers=("taken_back", "resubmitted", "permit_rejected"),
    message_titles=messages.TITLES,
    may_come=("permit_rejected",),
    fact_words=rules.FACT_WORDS,
    form="processes.claim.forms.PermitForm",
    correctable=(
        "claimant_name",
        "email",
        "unit",
        "budget",
        "amount",
        "destination",
        "purpose",
        "trip_start",
        "trip_end",
        "reminders_from",
    ),
    check_facts=rules.unfit_permit,
    answer_forms={
        "taken_back": "processes.claim.forms.NothingForm",
        "resubmitted": "processes.claim.forms.PermitSubmittedForm",
        "permit_rejected": "processes.claim.forms.ReasonForm",
    },
    found_by=("claimant_name", "email", "destination", "unit"),
    retention={
        Step.SETTLED: Retention(years=7, basis=_("General Tax Act, article 52: accounts")),
        "": Retention(years=1, basis=_("trips that did not take place")),
    },
    plain=("unit", "chain", "flags", "approved_by", "returned_by", "claim", "what"),
)


@permit.step(Step.RECEIVED)
async def received(case: TravelPermit) -> Any:
    who = await decide(
        rules.WHO_APPROVES,
        type="permit",
        unit=case.unit or None,
        budget=case.budget,
        amount=case.amount,
    )
    is_late = now() >= rules.begin_of(case.trip_start)
    return onward(
        case,
        route={
            "chain": rules.chain_of(who),
            "rule": who.because,
            "flags": "late_permit" if is_late else "",
            "what_is_approved": rules.what_is_approved(case),
        },
    )


async def approve_step(case: TravelPermit) -> Any:
    """One step of the chain before the last word."""
    review = await approval(case, show=what_approvers_see(case))
    return await refused(case, review) or onward(case, by=review.by)


async def decide_step(case: TravelPermit) -> Any:
    """The supervisor or the director."""
    if not is_last(case):
        return await approve_step(case)
    review = await approval(case, show=what_approvers_see(case))
    return await refused(case, review) or case.approve(by=review.by)


def what_approvers_see(case: TravelPermit) -> dict[str, Any]:
    seen = {
        "budget_asked_for": case.amount,
        "unit": case.unit,
        "budget": case.get_budget_display(),
        "destination": case.destination,
        "purpose": case.purpose,
        "first_day": case.trip_start,
        "last_day": case.trip_end,
        "what_stands_out": rules.flags_in_words(case.flags),
    }
    return {name: one for name, one in seen.items() if one != ""}


async def refused(case: TravelPermit, review: Outcome) -> Any:
    """The transition of an approval that was not given, or covers what has changed since; None
    when the permit goes on."""
    if review.outcome == "reject":
        await letter("permit_rejected", reason=review.reason)
    if no := not_approved(case, review):
        return no
    if rules.what_is_approved(case) != case.what_is_approved:
        return case.ask_anew()
    return None


for chain_step in (Step.ADMINISTRATION, Step.PRE_APPROVAL, Step.BUDGET):
    permit.step(chain_step)(approve_step)
for last_step in (Step.SUPERVISION, Step.DIRECTION):
    permit.step(last_step)(decide_step)


NOT_AGAIN = "the permit is closed as rejected"
AGAIN = "the permit goes to its approvers again"


@permit.step(Step.RETURNED)
async def returned(case: TravelPermit) -> Any:
    await letter("permit_returned", reason=case.return_reason)
    async with deadline(days(365), then=NOT_AGAIN) as too_late:
        got = await first_of(
            message("taken_back", of="applicant", met="the applicant changes the permit"),
            message("resubmitted", of="applicant", met=AGAIN),
        )
    if too_late:
        return await close_returned(case)
    if got.place == 0:
        return case.take_back()
    return case.resubmit(changes=got.value.data)


@permit.step(Step.TAKEN_BACK)
async def taken_back(case: TravelPermit) -> Any:
    async with deadline(days(365), then=NOT_AGAIN) as too_late:
        got = await message("resubmitted", of="applicant", met=AGAIN)
    if too_late:
        return await close_returned(case)
    return case.resubmit(changes=got.data)


async def close_returned(case: TravelPermit) -> Any:
    reason = "It was returned and not submitted again within 365 days."
    await letter("permit_rejected", reason=case.return_reason or reason)
    return case.let_go(reason=reason)


def refusal() -> Any:
    return message("permit_rejected", of="bookkeeper", met="the applicant gets it back")


@permit.step(Step.PLANNED)
async def planned(case: TravelPermit) -> Any:
    """Until the first day of the trip; a date that is moved back is waited for as well."""
    await letter("permit_approved")
    while now() < rules.begin_of(case.trip_start):
        got = await first_of(
            refusal(), sleep_until(rules.begin_of(case.trip_start), name="first day of the trip")
        )
        if got.place == 0:
            return case.return_after_approval(by=got.value.by, reason=got.value.data["reason"])
    return case.begin_trip()


@permit.step(Step.TRAVELLING)
async def travelling(case: TravelPermit) -> Any:
    while now() < rules.begin_of(case.trip_end):
        got = await first_of(
            refusal(), sleep_until(rules.begin_of(case.trip_end), name="last day of the trip")
        )
        if got.place == 0:
            return case.return_after_approval(by=got.value.by, reason=got.value.data["reason"])
    return case.end_trip()


@permit.step(Step.CLAIMING)
async def claiming(case: TravelPermit) -> Any:
    """Until the claims of the trip are settled. While none comes, the traveller is reminded on the
    first of a month, and again every two months, for two years."""
    remind_at = rules.first_reminder(case.trip_end, since=now(), not_before=case.reminders_from)
    too_old = months(24).after(rules.begin_of(case.trip_end))
    while True:
        claims = await look_at_claims()
        news = message("claim_news", of="applicant", met="its claims are looked at")
        if claims["open"]:
            got = await first_of(refusal(), news)
        elif claims["closed"]:
            got = await first_of(
                refusal(), news, sleep_until(days(60).after(now()), name="no further claim")
            )
            if got.place == 2:
                return case.settle()
        else:
            got = await first_of(refusal(), news, sleep_until(remind_at, name="reminder"))
            if got.place == 2:
                await letter("claim_reminder")
                remind_at = rules.reminder_after(remind_at)
                if remind_at > too_old:
                    return case.close_unused(reason="No claim came within two years of the trip.")
        if got.place == 0:
            return case.return_after_approval(by=got.value.by, reason=got.value.data["reason"])


@permit.step(Step.WITHDRAWING)
async def withdrawing(case: TravelPermit) -> Any:
    await letter("permit_withdrawn")
    return case.close_withdrawn()
