"""Scripts that try business clocks. Imported by steps.py, which holds the kind."""

from typing import Any

from processes.engine.words import (
    clock_limit,
    clock_state,
    deadline,
    documents,
    extend_clock,
    message,
    now,
    pause_clock,
    resume_clock,
    start_clock,
    stop_clock,
)
from tests.trial.models import Trial
from tests.trial.steps import script, trial
from timers.spans import days, hours, working_days, working_hours

trial.clock(
    "term",
    title="Legal term",
    limit=days(56),
    target=days(42),
    extend_by=days(42),
    extensions=1,
    pause_at_most=days(42),
    warn=[days(7)],
)
trial.clock(
    "service",
    title="Service level",
    limit=working_days(5),
    extend_by=working_days(5),
    extensions=2,
    warn=[working_days(2)],
)
trial.clock(
    "answer",
    title="Answer",
    limit=working_hours(8),
    pause_at_most=hours(48),
    after_pause="alert",
)


@script
async def term(case: Trial) -> Any:
    """A statutory term that stands still while papers are missing."""
    await start_clock("term")
    async with deadline(clock_limit("term"), then="the trial fails") as too_late:
        await message("begin")
        await pause_clock("term", reason="papers are missing", at_most=days(21))
        await message("papers")
        await resume_clock("term")
        await message("more")
        await pause_clock("term", reason="a second look")
        await message("looked")
        await resume_clock("term")
        await message("decided")
    if too_late:
        return case.fail(reason="the term passed")
    await stop_clock("term")
    return case.finish(result="in time")


@script
async def two_clocks(case: Trial) -> Any:
    """A term and a service level at once, each at its own pace."""
    await start_clock("term", at=now().date())
    await start_clock("service")
    await documents("passport")
    await stop_clock("service")
    state = clock_state("service")
    assert state is not None
    case.result = f"{state.is_stopped} {clock_state('answer')}"
    return case.go_second()


@script
async def extends(case: Trial) -> Any:
    await start_clock("term")
    state = await extend_clock("term", reason="outside advice takes longer")
    answer = await message("again")
    if answer.data.get("too_often"):
        await extend_clock("term", reason="once more")
    return case.finish(result=f"{state.extended} {state.limit_at}")


@script
async def extends_late(case: Trial) -> Any:
    """Extended only after it has waited, and once more where it is asked."""
    await start_clock("service")
    await message("begin")
    await extend_clock("service", reason="the first time")
    answer = await message("again")
    if answer.data.get("once_more"):
        await extend_clock("service", reason="the second time")
    await message("end")
    return case.finish(result="ended")


@script
async def stands_still(case: Trial) -> Any:
    """Restarted while its clock stands still."""
    await start_clock("term")
    await message("begin")
    await pause_clock("term", reason="papers are missing", at_most=days(21))
    await message("papers")
    state = await resume_clock("term")
    return case.finish(result=f"{len(state.pauses)} {state.is_running}")


@script
async def unheard_of(case: Trial) -> Any:
    await start_clock("nothing")
    return case.finish(result="never")


@script
async def not_started(case: Trial) -> Any:
    async with deadline(clock_limit("term")):
        await message("go")
    return case.finish(result="never")


@script
async def passed_before(case: Trial) -> Any:
    """A block that begins when the term is over already."""
    await start_clock("term")
    await message("begin")
    async with deadline(clock_limit("term")) as too_late:
        await message("never")
    state = clock_state("term")
    assert state is not None
    return case.finish(result=f"{bool(too_late)} {state.has_passed}")


@script
async def pauses_twice(case: Trial) -> Any:
    """What is asked for and stands so already is no error."""
    await start_clock("term")
    await pause_clock("term", reason="one")
    await pause_clock("term", reason="two")
    await resume_clock("term")
    state = await resume_clock("term")
    return case.finish(result=f"{len(state.pauses)} {state.is_running}")


@script
async def alerting(case: Trial) -> Any:
    """A pause that goes on past its end, and people are told."""
    await start_clock("answer")
    await pause_clock("answer", reason="the customer looks for it")
    await message("go")
    state = await resume_clock("answer")
    return case.finish(result=str(state.limit_at))


@script
async def working_block(case: Trial) -> Any:
    """A block that ends in working days, and what is asked within it."""
    async with deadline(working_days(3)) as too_late:
        await message("go")
        await message("again")
    return case.finish(result="late" if too_late else "in time")


@script
async def pauses_and_breaks(case: Trial) -> Any:
    """What code did since it last waited is forgotten when it fails."""
    await start_clock("term")
    await message("go")
    await pause_clock("term", reason="about to fail")
    faulty()
    return case.finish(result="never")


@script
async def breaks_in_its_term(case: Trial) -> Any:
    await start_clock("term")
    async with deadline(clock_limit("term")) as too_late:
        await message("go")
        faulty()
        await message("never")
    return case.finish(result=f"late {bool(too_late)}")


def faulty() -> None:
    raise ZeroDivisionError("a fault in the code of the step")
