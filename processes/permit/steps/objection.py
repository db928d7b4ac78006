"""Objection and appeal, until the decision is irrevocable and the file closed."""

from __future__ import annotations

from typing import Any

from processes.engine.clockwords import clock_limit, clock_state, start_clock, stop_clock
from processes.engine.words import ask_review, ask_task, deadline, first_of, message, start
from processes.permit import rules
from processes.permit.activities import finished_tasks, letter, letter_to, was_written
from processes.permit.kind import permit
from processes.permit.models import PermitApplication, Step
from processes.permit.papers import AUTHORITY, CASEWORKER
from timers.spans import days, working_days


@permit.step(Step.OBJECTION_TERM)
async def objection_term(case: PermitApplication) -> Any:
    """Six weeks for anyone concerned. Each objection is confirmed; all are treated together."""
    state = clock_state("objection")
    if state is None or state.is_stopped:
        await start_clock("objection")
    start(publish())
    objections: list[dict[str, str]] = []
    async with deadline(clock_limit("objection"), then="the decision becomes irrevocable"):
        while True:
            came = await message(
                "objection", of="those concerned", met="it is treated after the six weeks"
            )
            objections.append(came.data)
            await tell(came.data, "objection_received", grounds=came.data["grounds"])
            await letter("objection_lodged", by=came.data["by"])
    await stop_clock("objection")
    if objections:
        return case.treat_objections(**together(objections))
    return case.become_irrevocable()


async def publish() -> None:
    if not await finished_tasks(names=["publish"]):
        await ask_task(
            "publish",
            role=CASEWORKER,
            due=working_days(5),
            title="Publish the decision",
            asks=[("published_on", "Date of the publication", "date")],
            met="those concerned can know of the decision",
        )


def tell(who: dict[str, str], about: str, **more: str) -> Any:
    """A letter to somebody who objects."""
    return letter_to(name=who["by"], email=who["email"], about=about, more=more)


def together(objections: list[dict[str, str]]) -> dict[str, str]:
    """Several objections as facts of the case: who, one a line, and why."""
    return {
        "objectors": "\n".join(f"{one['by']} <{one['email']}>" for one in objections),
        "grounds": "\n".join(f"{one['by']}: {one['grounds']}" for one in objections),
    }


@permit.step(Step.OBJECTION)
async def objection(case: PermitApplication) -> Any:
    """Twelve weeks, with a hearing. Whoever took the decision does not judge the objection."""
    await ask_task(
        "hearing",
        role=CASEWORKER,
        due=days(42),
        title="Hold the hearing",
        asks=[("held_on", "Date of the hearing", "date")],
        show={"objections_of": case.objectors, "grounds": case.objection_grounds},
        met="the objections are judged",
    )
    judged = await ask_review(
        "objection",
        role=AUTHORITY,
        due=days(42),
        title="Judge the objections",
        outcomes=[
            ("unfounded", "They are unfounded: the decision stands", True),
            ("founded", "They are founded: decide anew", True),
        ],
        unlike=case.decided_by if case.decided_by.startswith("person:") else (),
        show={"objections_of": case.objectors, "grounds": case.objection_grounds},
        met="the decision stands, or a new one is drafted",
    )
    about = f"objection_{judged.outcome}"
    await letter(about, reason=judged.reason)
    for who in rules.addressees(case.objectors):
        await tell(who, about, reason=judged.reason)
    if judged.outcome == "founded":
        return case.annul(reason=judged.reason)
    return case.let_stand()


@permit.step(Step.APPEAL_TERM)
async def appeal_term(case: PermitApplication) -> Any:
    """Six weeks to go to court."""
    state = clock_state("appeal")
    if state is None or state.is_stopped:
        await start_clock("appeal")
    came = None
    async with deadline(clock_limit("appeal"), then="the decision becomes irrevocable"):
        came = await message("appeal", of="those who objected", met="the court judges")
    await stop_clock("appeal")
    if came is None:
        return case.become_irrevocable()
    await letter("appeal_received", by=came.data["by"])
    return case.await_court(appellant=came.data["by"])


@permit.step(Step.APPEAL)
async def appeal(case: PermitApplication) -> Any:
    """The court takes its time: no term of ours runs."""
    said = await message(
        "judgment", of="the court", met="the decision stands, or a new one is made"
    )
    await letter(f"judgment_{said.data['judgment']}", text=said.data["text"])
    if said.data["judgment"] == "annulled":
        return case.annul(reason=said.data["text"])
    return case.become_irrevocable()


@permit.step(Step.IRREVOCABLE)
async def irrevocable(case: PermitApplication) -> Any:
    """The file is closed; an objection that comes too late is only treated when excused."""
    if not await was_written(name="irrevocable"):
        await letter("irrevocable")
    while True:
        closing = ask_task(
            "close_file",
            role=CASEWORKER,
            due=working_days(20),
            title="Close the file",
            outcomes=[("archive", "Archive it")],
            met="the case is archived",
        )
        late = message("objection", of="those concerned", met="it is judged whether it is excused")
        came = await first_of(closing, late)
        if came.place == 0:
            return case.archive()
        excused = await ask_review(
            "late_objection",
            role=AUTHORITY,
            due=working_days(10),
            title="An objection came too late",
            outcomes=[
                ("excused", "The delay is excused: treat it", True),
                ("too_late", "It came too late", True),
            ],
            show={"objection_of": came.value.data["by"], "grounds": came.value.data["grounds"]},
            met="it is treated, or left aside",
        )
        if excused.outcome == "excused":
            return case.treat_objections(**together([came.value.data]))
        await tell(came.value.data, "objection_too_late", reason=excused.reason)
