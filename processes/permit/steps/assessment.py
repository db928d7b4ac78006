"""The assessment: an expert on each part, all side by side."""

from __future__ import annotations

from typing import Any

from processes.engine.words import all_of, ask_review, start
from processes.permit import advice, rules
from processes.permit.activities import finished_tasks, letter, was_written
from processes.permit.kind import permit
from processes.permit.models import PermitApplication, Step
from processes.permit.papers import EXPERT
from processes.permit.term import extend_on_request, in_time, term
from timers.spans import working_days

CHANGED = "What it was assessed on changed after it was assessed."


@permit.step(Step.ASSESSMENT)
async def assessment(case: PermitApplication) -> Any:
    if not await was_written(name="in_assessment"):
        await letter("in_assessment", limit_at=term().limit_at)
    start(extend_on_request())
    return await in_time(case, assess(case))


async def assess(case: PermitApplication) -> Any:
    """An expert judges the content of each part, all side by side."""
    judged = what_is_assessed(case)
    names = {part: content_name(part, case.round) for part in rules.parts_of(case.parts)}
    known = await finished_tasks(names=list(names.values()))
    reviews = await all_of(
        *(review_part(case, part, name, known.get(name)) for part, name in names.items())
    )
    if what_is_assessed(case) != judged:
        return case.assess_anew(reason=CHANGED)
    return case.know_advice(
        grounds=rules.grounds_of(reviews), conditions=rules.conditions_of(reviews)
    )


def content_name(part: str, round: int) -> str:
    return f"content_{part}" if round == 1 else f"content_{part}_{round}"


def what_is_assessed(case: PermitApplication) -> Any:
    """The facts that reviews, draft and decision rest on. An approval covers only what its
    reviewer saw: whatever changes is assessed anew."""
    return (case.parts, case.site, case.description, case.applicant_name)


async def review_part(
    case: PermitApplication, part: str, name: str, known: dict[str, str] | None
) -> dict[str, str]:
    title = rules.PARTS[part]
    in_hand: dict[str, str] = {}
    while known is None or known["outcome"] == "advice":
        said = await ask_review(
            name,
            role=EXPERT,
            due=working_days(15),
            title=f"Review the content: {title}",
            outcomes=[
                ("for", "It can be granted"),
                ("conditions", "It can be granted, with conditions", True),
                ("against", "It must be refused", True),
                ("advice", "Ask for the ticked advice first"),
            ],
            asks=advice.TICKS,
            show={"site": case.site, "description": case.description, **in_hand},
            met="when all parts are reviewed, the decision is drafted",
        )
        known = {"outcome": said.outcome, "reason": said.reason}
        if said.outcome == "advice":
            in_hand.update(await advice.gather(said.result, what=title))
    return {"title": title, **known}
