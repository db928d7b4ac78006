"""The story that every engine is measured with."""

from typing import Any

from bench.kind.activities import do
from bench.kind.models import BenchLoan, Repeater, Sleeper
from processes.engine.words import message, sleep, sleep_until
from processes.kinds import Kind
from timers.spans import seconds

loan = Kind(
    BenchLoan, title="Measured loan", prefix="BL", initial=BenchLoan.Step.RUNNING, found_by=None
)
sleeper = Kind(
    Sleeper, title="Measured sleeper", prefix="BS", initial=Sleeper.Step.ASLEEP, found_by=None
)
repeater = Kind(
    Repeater, title="Repeater", prefix="BR", initial=Repeater.Step.REPEATING, found_by=None
)


@loan.step(BenchLoan.Step.RUNNING)
async def running(case: BenchLoan) -> Any:
    await do(case=case.name, step="verify")
    await message("documents")
    await message("review")
    await do(case=case.name, step="appraisal")
    await sleep(seconds(case.timer_s))
    await do(case=case.name, step="decide")
    await do(case=case.name, step="notify")
    return case.close()


@sleeper.step(Sleeper.Step.ASLEEP)
async def asleep(case: Sleeper) -> Any:
    await do(case=case.name, step="asleep")
    await sleep_until(case.due_at)
    await do(case=case.name, step="woke")
    return case.wake()


@repeater.step(Repeater.Step.REPEATING)
async def repeating(case: Repeater) -> Any:
    for number in range(case.count):
        await do(case="repeater", step=str(number))
    while (await message("ping")).data != "stop":
        pass
    return case.stop()
