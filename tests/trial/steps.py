"""One script a word, chosen by the fact `script`."""

from collections.abc import Awaitable, Callable
from typing import Any

from processes.engine.errors import ActivityFailed
from processes.engine.words import (
    all_of,
    ask_review,
    callback,
    compensate,
    deadline,
    documents,
    first_of,
    message,
    now,
    random,
    sleep,
    start,
    subcase,
    uuid,
)
from processes.kinds import Kind
from tests.trial.activities import call, call_long, call_undoably, inside
from tests.trial.models import Trial
from timers.spans import days, seconds, working_days

trial = Kind(
    Trial,
    title="Trial",
    prefix="TR",
    initial=Trial.Step.TRYING,
    document_titles={"passport": "Passport", "payslip": "Payslip"},
)
trial.staff_step(Trial.Step.STAFF, role="caseworker", met="the trial ends")

scripts: dict[str, Callable[[Trial], Awaitable[Any]]] = {}


def script(function: Callable[[Trial], Awaitable[Any]]) -> Callable[[Trial], Awaitable[Any]]:
    scripts[function.__name__] = function
    return function


@trial.step(Trial.Step.TRYING)
async def trying(case: Trial) -> Any:
    return await scripts[case.script](case)


@trial.step(Trial.Step.SECOND)
async def second(case: Trial) -> Any:
    answer = await message("second")
    if answer.data.get("back"):
        return case.go_back()
    return case.finish(result=f"second {answer.data.get('n')}")


@script
async def loan(case: Trial) -> Any:
    """The peers' loan: four activities, two signals, one timer."""
    await call(what="verify")
    await message("documents")
    await message("review")
    await call(what="appraisal")
    await sleep(seconds(1))
    await call(what="decide")
    await call(what="notify")
    return case.finish(result="closed")


@script
async def together(case: Trial) -> Any:
    found = await all_of(call(what="a"), call(what="b"), call(what="c"))
    return case.finish(result=",".join(one["what"] for one in found))


@script
async def race(case: Trial) -> Any:
    first = await first_of(message("go"), sleep(days(2)))
    return case.finish(result=f"{first.place}")


@script
async def patience(case: Trial) -> Any:
    async with deadline(days(30), then="the trial fails") as too_late:
        await documents("passport", "payslip", met="the trial ends well")
    if too_late:
        return case.fail(reason="no documents")
    return case.finish(result="complete")


@script
async def hour(case: Trial) -> Any:
    async with deadline(seconds(3600)) as too_late:
        await message("confirmed")
    return case.finish(result="late" if too_late else "confirmed")


@script
async def review(case: Trial) -> Any:
    first = await ask_review("first", role="underwriter", due=working_days(5))
    if first.outcome == "decline":
        return case.fail(reason=first.reason)
    again = await ask_review("again", role="underwriter", unlike=first.by)
    return case.finish(result=f"{first.by} {again.by}")


@script
async def handled(case: Trial) -> Any:
    try:
        await call(what="risky")
    except ActivityFailed as failure:
        return case.fail(reason=failure.error)
    return case.finish(result="fine")


@script
async def unhandled(case: Trial) -> Any:
    await call(what="risky")
    return case.finish(result="fine")


@script
async def saga(case: Trial) -> Any:
    await call_undoably(what="one")
    await call_undoably(what="two")
    answer = await message("go")
    if answer.data.get("undo"):
        await compensate()
        return case.fail(reason="undone")
    return case.finish(result="kept")


@script
async def local(case: Trial) -> Any:
    found = await inside(what="row")
    return case.finish(result=found)


@script
async def ask_outside(case: Trial) -> Any:
    answer = callback("valuation", on="valuer", open_for=days(30))
    await call(what=answer.key)
    found = await answer
    return case.finish(result=str(found.data["value"]))


@script
async def parent(case: Trial) -> Any:
    child = await subcase("trial", script="race", title="Child")
    return case.finish(result=f"child {child.outcome} {child.facts['result']}")


@script
async def chance(case: Trial) -> Any:
    before = now()
    number, name = random().random(), uuid()
    await message("go")
    return case.finish(result=f"{before.isoformat()} {number} {name}")


@script
async def two_steps(case: Trial) -> Any:
    await message("first")
    return case.go_second()


@script
async def side(case: Trial) -> Any:
    started = start(call(what="aside"))
    await message("go")
    found = await started
    return case.finish(result=found["what"])


@script
async def long(case: Trial) -> Any:
    return case.finish(result=await call_long(what="long"))


@script
async def many(case: Trial) -> Any:
    for number in range(500):
        await call(what=str(number))
    return case.finish(result="500")


@script
async def staff(case: Trial) -> Any:
    return case.ask_staff()


@script
async def bad_clock(case: Trial) -> Any:
    import datetime

    datetime.datetime.now()
    return case.finish()


@script
async def bad_database(case: Trial) -> Any:
    Trial.objects.count()
    return case.finish()


@script
async def bad_end(case: Trial) -> Any:
    return 5
