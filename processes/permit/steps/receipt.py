"""Receipt: the confirmation, and beside it whether something must stop the application."""

from __future__ import annotations

from typing import Any

from processes.engine.clockwords import clock_state, start_clock
from processes.engine.words import all_of, ask_task
from processes.permit import advice
from processes.permit.activities import finished_tasks
from processes.permit.kind import permit
from processes.permit.models import PermitApplication, Step
from processes.permit.papers import CASEWORKER, send_paper
from processes.permit.rules import asked_for
from processes.permit.term import in_time
from timers.spans import working_days


@permit.step(Step.RECEIPT)
async def receipt(case: PermitApplication) -> Any:
    """The legal term begins on the day on which the application came in."""
    if clock_state("term") is None:
        await start_clock("term", at=case.received_on)
    return await in_time(case, take_in(case))


async def take_in(case: PermitApplication) -> Any:
    """Its receipt is confirmed, and beside that somebody looks whether it must be stopped."""
    _sent, found = await all_of(
        send_paper("confirmation", "the confirmation of receipt", draft=False),
        look_for_stop(case),
    )
    if found["outcome"] == "no_permit":
        return case.need_no_permit(reason=found["reason"])
    if found["outcome"] == "hold":
        return case.hold(reason=found["reason"])
    return case.check_completeness()


async def look_for_stop(case: PermitApplication) -> dict[str, str]:
    """Whether there is something to stop the application for, and the paper that says so."""
    known = await finished_tasks(names=["decide_stop"])
    found = known.get("decide_stop") or await weigh_stop(case)
    if found["outcome"] == "no_permit":
        await send_paper(
            "unlicensed", "the letter: no permit needed", draft=True, reason=found["reason"]
        )
    elif found["outcome"] == "hold":
        await send_paper(
            "hold_report", "the report: grounds to hold", draft=True, reason=found["reason"]
        )
    return found


async def weigh_stop(case: PermitApplication) -> dict[str, str]:
    in_hand: dict[str, str] = {}
    while True:
        look = await ask_task(
            "assess_stop",
            role=CASEWORKER,
            due=working_days(5),
            title="Assess the need to stop",
            outcomes=[
                ("clear", "It can be decided"),
                ("advice", "Ask for the ticked advice first"),
                ("later", "Look once more"),
            ],
            asks=advice.TICKS,
            show={"parts": asked_for(case.parts), "site": case.site, **in_hand},
            met="it is decided whether the application goes on",
        )
        if look.outcome == "clear":
            break
        if look.outcome == "advice":
            in_hand.update(await advice.gather(look.result, what=asked_for(case.parts)))
    decided = await ask_task(
        "decide_stop",
        role=CASEWORKER,
        due=working_days(5),
        title="Decide whether to stop",
        outcomes=[
            ("go_on", "Nothing stops it"),
            ("no_permit", "No permit is needed", True),
            ("hold", "There are grounds to hold it", True),
        ],
        show={"parts": asked_for(case.parts), "site": case.site, **in_hand},
        met="the application goes on, is held, or ends because no permit is needed",
    )
    return {"outcome": decided.outcome, "reason": decided.reason, "by": decided.by}
