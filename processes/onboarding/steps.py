"""What happens in each step of an onboarding. docs/onboarding.md tells it in plain words."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from processes.engine.words import (
    all_of,
    ask_review,
    ask_task,
    deadline,
    decide,
    documents,
    first_of,
    message,
    sleep,
    subcase,
)
from processes.kinds import Kind
from processes.onboarding import page, rules
from processes.onboarding.activities import (
    check_business,
    letter,
    note_reminder,
    papers_still_missing,
    screen,
)
from processes.onboarding.messages import MESSAGES
from processes.onboarding.models import Onboarding, Step
from processes.onboarding.owners import owner
from processes.onboarding.screening import is_cleared
from processes.retention import Retention
from timers.spans import days, months, working_days

__all__ = ["onboarding", "owner"]

onboarding = Kind(
    Onboarding,
    title=_("Onboarding"),
    prefix="OB",
    initial=Step.RECEIVED,
    main_line=[
        (_("Checks"), [Step.RECEIVED, Step.CHECKS]),
        (_("Owners"), [Step.OWNERS]),
        (_("Documents"), [Step.AWAITING_DOCUMENTS]),
        (_("Assessment"), [Step.ASSESSMENT]),
        (_("Approval"), [Step.APPROVAL]),
        (_("Active"), [Step.ACTIVE, Step.REVIEW]),
        (_("Ended"), [Step.OFFBOARDING, Step.RETAINED, Step.ENDED]),
    ],
    document_titles={
        "extract": _("Extract from the register"),
        "identity": _("Identity of the person who signs"),
        "ownership": _("Chart of who owns what"),
        "funds": _("Where the money comes from"),
        "bank_letter": _("Letter of the bank on the account"),
    },
    messages=MESSAGES,
    form="processes.onboarding.forms.OnboardingForm",
    reopened_letter="onboarding/letters/reopened.txt",
    correctable=rules.SAID_BY_BUSINESS,
    check_facts=rules.unfit,
    message_titles={"change_reported": _("Change reported by the business")},
    may_come=("change_reported",),
    fact_words=rules.FACT_WORDS,
    answer_forms={"change_reported": "processes.onboarding.forms.ChangeForm"},
    found_by=("name", "email", "registration_number"),
    page=page.PAGE,
    identified_by=("email", "registration_number"),
    retention={
        # The law's five years pass in the step “Ended, file kept”, before the case is closed.
        Step.ENDED: Retention(months=1, basis=_("the five years of the file are over")),
        Step.REFUSED: Retention(years=5, basis=_("law against money laundering: 5 years")),
        "": Retention(years=1, basis=_("requests that came to nothing")),
    },
    personal={"is_exposed": ("exposed", "politically_exposed")},
    plain=("country", "missing_papers", "papers", "assessed_by"),
)

MATCHED = "A match on the sanctions lists was confirmed."
CHANGED = "What was checked changed after it was checked."
DAYS_FOR_PAPERS, REMIND_AFTER = days(30), days(10)
KEEP_FILE = months(60)


@onboarding.step(Step.RECEIVED)
async def received(case: Onboarding) -> Any:
    await letter("received")
    return case.begin_checks()


@onboarding.step(Step.CHECKS)
async def checks(case: Onboarding) -> Any:
    """The company register and the sanctions lists are asked side by side."""
    checked = rules.what_is_checked(case)
    business, found = await ask_services(case)
    if not business["confirmed"]:
        return case.refuse(reason=business["reason"] or "The register does not know the business.")
    if not await is_cleared(case.name, found["hits"]):
        return case.refuse(reason=MATCHED, is_reason_told=False)
    return case.look_at_owners(checked=checked, is_exposed=found["is_exposed"])


def ask_services(case: Onboarding) -> Any:
    return all_of(
        check_business(
            registration_number=case.registration_number, name=case.name, country=case.country
        ),
        screen(name=case.name, country=case.country),
    )


@onboarding.step(Step.OWNERS)
async def owners(case: Onboarding) -> Any:
    """Each owner is a case of their own, some at a time. One who is not cleared ends it."""
    stopped, is_exposed = await look_at_owners(case)
    if rules.what_is_checked(case) != case.checked:
        return case.check_anew(reason=CHANGED)
    if stopped:
        return case.refuse(reason=stopped, is_reason_told=False)
    return case.request_documents(is_exposed=case.is_exposed or is_exposed)


async def look_at_owners(case: Onboarding) -> tuple[str, bool]:
    """Why an owner is not cleared, or ""; and whether one of them holds public office."""
    is_exposed = False
    for group in rules.in_groups(rules.owners(case.owners)):
        asked = [
            subcase("owner", title=one.full_name, met="the next check", **one._asdict())
            for one in group
        ]
        for one, end in zip(group, await all_of(*asked), strict=True):
            if end.outcome != "cleared":
                return f"The owner {one.full_name} was not cleared ({end.reference}).", is_exposed
            is_exposed = is_exposed or end.facts["is_exposed"]
    return "", is_exposed


@onboarding.step(Step.AWAITING_DOCUMENTS)
async def awaiting_documents(case: Onboarding) -> Any:
    """The business has 30 days, with a reminder every 10. Which papers, a table says."""
    again = case.missing_papers.split()
    papers = again or await papers_needed(case)
    afresh = bool(again)  # what was good enough before is not any more
    name = "documents_again" if again else "documents"
    await letter(name, papers=rules.words_for(papers), reason=case.papers_reason)
    while True:
        missing = await collect(papers, afresh=afresh, reason=case.papers_reason)
        if not missing:
            return case.assess()
        if still := await papers_still_missing(papers=papers):
            break
        afresh = False  # all came, and it is we who have not looked at them: no reason to lapse
    words = rules.words_for(still)
    await letter("lapsed", papers=words)
    return case.lapse(reason=f"Not received within 30 days: {', '.join(words)}.")


async def papers_needed(case: Onboarding) -> list[str]:
    known = rules.owners(case.owners)
    needed = await decide(
        rules.PAPERS_NEEDED,
        relation=case.relation,
        owners=len(known),
        place=rules.place_of(case.country),
        turnover=case.turnover,
    )
    return list(needed["paper"])


async def collect(papers: list[str], *, afresh: bool, reason: str) -> bool:
    """Wait for papers, with reminders. True when the days ran out first."""
    async with deadline(DAYS_FOR_PAPERS, then="the request lapses") as too_late:
        wanted = documents(
            *papers, of="the business", afresh=afresh, reason=reason, met="the file is assessed"
        )
        await first_of(wanted, remind(papers))
    return bool(too_late)


async def remind(papers: list[str]) -> None:
    while True:
        await sleep(REMIND_AFTER, name="reminder")
        missing = await note_reminder(papers=papers)
        if missing:
            await letter("reminder", papers=rules.words_for(missing))


@onboarding.step(Step.ASSESSMENT)
async def assessment(case: Onboarding) -> Any:
    """Tables rate the risk; an analyst looks at the whole file."""
    rating = await rate(case, is_exposed=case.is_exposed)
    review = await ask_review(
        "assessment",
        role="analyst",
        due=working_days(5),
        title="Assessment of the file",
        outcomes=[
            ("approve", "The file is sound"),
            ("send_back", "Send back for missing papers", True),
            ("decline", "Refuse", True),
        ],
        asks=[(paper, f"Missing: {title}", "yes") for paper, title in rules.PAPERS.items()],
        show=what_is_shown(case, rating),
        met="sound files are approved, incomplete ones go back for papers",
    )
    if rules.what_is_checked(case) != case.checked:
        return case.check_anew(reason=CHANGED)
    if review.outcome == "send_back":
        papers = rules.papers_named(review.result) or await papers_needed(case)
        return case.send_back(papers=" ".join(papers), reason=review.reason)
    if review.outcome == "decline":
        return case.refuse(reason=review.reason)
    return case.put_to_approval(**rating.facts(), by=review.by)


async def rate(case: Onboarding, *, is_exposed: bool) -> rules.Rating:
    """Points by one table, and what another says of them."""
    found = await decide(rules.POINTS, exposed=is_exposed, **rules.risk_facts(case))
    points = found.outputs  # the sum of all rules that fit
    return rules.Rating.of(points, await decide(rules.RISK, points=points))


def what_is_shown(case: Onboarding, rating: rules.Rating) -> dict[str, Any]:
    return {
        "risk": rating.risk,
        "risk_points": rating.points,
        "next_review_after_years": rating.review_years,
        "expected_turnover_a_year": case.turnover,
        "owners": len(rules.owners(case.owners)),
        "politically_exposed": case.is_exposed,
    }


@onboarding.step(Step.APPROVAL)
async def approval(case: Onboarding) -> Any:
    """Who approves depends on the risk; for a high one two do. Nobody who assessed."""
    rating = rules.Rating.of(case.points or 0, await decide(rules.RISK, points=case.points))
    refused = await ask_approval(case, rating, unlike=case.assessed_by)
    if rules.what_is_checked(case) != case.checked:
        return case.check_anew(reason=CHANGED)
    if refused:
        return case.refuse(reason=refused)
    await letter("welcome", years=case.review_years)
    return case.activate()


async def ask_approval(case: Onboarding, rating: rules.Rating, *, unlike: str) -> str:
    """The reason of the first who says no, or ""."""
    asked = [unlike]
    for role in rating.approvers:
        review = await ask_review(
            "approval" if len(asked) == 1 else "second_approval",
            role=role,
            due=working_days(3),
            title="Approval" if len(asked) == 1 else "Second approval",
            outcomes=[("approve", "Approve"), ("decline", "Refuse", True)],
            unlike=[one for one in asked if one],
            show=what_is_shown(case, rating),
            met="the relation begins, or the business reads why not",
        )
        if review.outcome == "decline":
            return review.reason
        asked.append(review.by)
    return ""


@onboarding.step(Step.ACTIVE)
async def active(case: Onboarding) -> Any:
    """Until the next review, years from now; earlier when the business tells of a change."""
    first = await first_of(
        sleep(months(12 * case.review_years), name="periodic_review"),
        message("change_reported", of="the business", met="the review comes early"),
    )
    if first.place == 0:
        return case.begin_review(reason=f"{case.review_years} years have passed.")
    return case.begin_review(reason=f"The business tells: {first.value.data['what']}")


@onboarding.step(Step.REVIEW)
async def review(case: Onboarding) -> Any:
    """All checks again, then an analyst; a higher risk is approved anew."""
    await letter("review")
    while True:
        checked = rules.what_is_checked(case)
        business, found = await ask_services(case)
        if not await is_cleared(case.name, found["hits"]):
            return case.offboard(reason=MATCHED, is_reason_told=False)
        stopped, is_exposed = await look_at_owners(case)
        if stopped:
            return case.offboard(reason=stopped, is_reason_told=False)
        is_exposed = is_exposed or found["is_exposed"]
        rating = await rate(case, is_exposed=is_exposed)
        look = await ask_periodic_review(case, business, rating)
        if look.outcome == "papers":
            papers = rules.papers_named(look.result) or await papers_needed(case)
            await letter("documents_again", papers=rules.words_for(papers), reason=look.reason)
            if await collect(papers, afresh=True, reason=look.reason) and (
                missing := await papers_still_missing(papers=papers)
            ):
                words = ", ".join(rules.words_for(missing))
                return case.offboard(reason=f"Not received within 30 days: {words}.")
        elif rules.what_is_checked(case) == checked:
            break
    if look.outcome == "end":
        return case.offboard(reason=look.reason)
    if rules.is_worse(rating.risk, than=case.risk) and (
        refused := await ask_approval(case, rating, unlike=look.by)
    ):
        return case.offboard(reason=refused)
    await letter("renewed", years=rating.review_years)
    return case.go_on(**rating.facts(), is_exposed=is_exposed)


def ask_periodic_review(case: Onboarding, business: Any, rating: rules.Rating) -> Any:
    register = "confirms" if business["confirmed"] else business["reason"] or "does not confirm"
    return ask_review(
        "periodic",
        role="analyst",
        due=working_days(20),
        title="Periodic review",
        outcomes=[
            ("approve", "Go on with the relation"),
            ("papers", "Ask for papers", True),
            ("end", "End the relation", True),
        ],
        asks=[(paper, f"Ask for: {title}", "yes") for paper, title in rules.PAPERS.items()],
        show={
            "risk_until_now": case.risk,
            **what_is_shown(case, rating),
            "the_company_register": register,
        },
        met="the relation goes on, or ends",
    )


@onboarding.step(Step.OFFBOARDING)
async def offboarding(case: Onboarding) -> Any:
    """The business is told; a caseworker settles what is open between us."""
    await letter("ended")
    await ask_task(
        "settle",
        role="caseworker",
        due=working_days(20),
        title="Settle what is open and close the accounts",
        met="the file is kept for five years",
    )
    return case.retain()


@onboarding.step(Step.RETAINED)
async def retained(case: Onboarding) -> Any:
    """The file is kept for five years; then a person says that it may go."""
    await sleep(KEEP_FILE, name="ask whether the file may go")
    while True:
        look = await ask_task(
            "retention",
            role="caseworker",
            due=working_days(20),
            title="May the file go?",
            outcomes=[("close", "Close the file"), ("keep", "Keep it for a year", True)],
            met="the file is closed",
        )
        if look.outcome == "close":
            return case.close_file()
        await sleep(months(12), name="ask whether the file may go")


@onboarding.step(Step.REFUSING)
async def refusing(case: Onboarding) -> Any:
    await letter("refused")
    return case.close_refused()


@onboarding.step(Step.WITHDRAWING)
async def withdrawing(case: Onboarding) -> Any:
    await letter("withdrawn")
    return case.close_withdrawn()
