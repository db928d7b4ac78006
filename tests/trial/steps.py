"""One script a word, chosen by the fact `script`."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from processes.engine.errors import ActivityFailed
from processes.engine.words import (
    all_of,
    ask_review,
    ask_task,
    callback,
    compensate,
    deadline,
    documents,
    first_of,
    message,
    now,
    random,
    sleep,
    sleep_until,
    start,
    subcase,
    uuid,
)
from processes.kinds import Kind
from tests.trial import far
from tests.trial.activities import (
    call,
    call_long,
    call_undoably,
    inside,
    inside_note,
    pay,
    ten_calls,
    unrecordable,
)
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
async def unsure_saga(case: Trial) -> Any:
    try:
        await call_undoably(what="one")
    except ActivityFailed:
        await compensate()
        return case.fail(reason="undone")
    return case.finish(result="kept")


@script
async def counter(case: Trial) -> Any:
    done = await ask_task("counter", role="caseworker")
    return case.finish(result=done.by)


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
async def ask_outside_in_time(case: Trial) -> Any:
    answer = callback("valuation", on="valuer", open_for=days(30), met="the trial ends")
    async with deadline(days(10), then="the trial fails") as too_late:
        await call(what=answer.key)
        await answer
    return case.finish(result="too late" if too_late else "in time")


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
async def answered_side(case: Trial) -> Any:
    started = start(call(what="aside"))
    await message("go")
    try:
        await started
    except ActivityFailed as failure:
        return case.finish(result=failure.error)
    return case.finish(result="done")


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


# -- several at once


@script
async def together_failing(case: Trial) -> Any:
    try:
        await all_of(call(what="risky"), message("go"), sleep(days(3)))
    except ActivityFailed as failure:
        await message("after")
        return case.fail(reason=failure.error)
    return case.finish()


@script
async def helpers(case: Trial) -> Any:
    """Async functions side by side, each with more than one thing to do."""

    async def one(name: str) -> str:
        found = await call(what=name)
        answer = await message(name)
        return f"{found['what']}{answer.data['n']}"

    found = await all_of(one("a"), one("b"))
    return case.finish(result=" ".join(found))


@script
async def helper_race(case: Trial) -> Any:
    async def slow() -> str:
        await call(what="slow")
        await message("never")
        return "slow"

    async def quick() -> str:
        answer = await message("quick")
        return str(answer.data["n"])

    first = await first_of(slow(), quick())
    return case.finish(result=f"{first.place} {first.value}")


@script
async def checks(case: Trial) -> Any:
    found = await all_of(call(what="identity"), call(what="credit"), call(what="papers"))
    await message("go")
    return case.finish(result=" ".join(one["what"] for one in found))


@script
async def two_of_three(case: Trial) -> Any:
    """A board of three decides when two of them agree; what the third was asked is then over."""
    one, two, three = (
        start(ask_review(name, role="underwriter")) for name in ("one", "two", "three")
    )
    first = await first_of(
        _agreed(one, two, three), _agreed(one, three, two), _agreed(two, three, one)
    )
    outcome, by = first.value
    if outcome == "decline":
        return case.fail(reason="not enough approvals")
    return case.finish(result=by)


async def _agreed(one: Any, other: Any, third: Any) -> tuple[str, str]:
    """What two of them say, or the third when they differ."""
    here, there = await one, await other
    if here.outcome != there.outcome:
        there = await third
    agree = [vote.by for vote in (here, there) if vote.outcome == there.outcome]
    return there.outcome, " ".join(agree)


@script
async def given_up(case: Trial) -> Any:
    """Waits for what lost a race before."""
    loser = start(message("never"))
    await first_of(message("go"), loser)
    await loser
    return case.finish()


@script
async def met_race(case: Trial) -> Any:
    """Whoever is first, the message stays for the wait after the race."""
    await message("begin")
    first = await first_of(documents("passport", enough="received"), message("go"))
    answer = await message("go")
    return case.finish(result=f"{first.place} {answer.data['n']}")


# -- time


@script
async def nested(case: Trial) -> Any:
    async with deadline(days(10)) as outer:
        async with deadline(days(4)) as inner:
            await message("early")
        await message("late")
    return case.finish(result=f"outer {bool(outer)} inner {bool(inner)}")


@script
async def nested_outside(case: Trial) -> Any:
    """The outer time is up first."""
    async with deadline(days(4)) as outer:
        async with deadline(days(10)) as inner:
            await message("early")
    return case.finish(result=f"outer {bool(outer)} inner {bool(inner)}")


@script
async def patient_call(case: Trial) -> Any:
    async with deadline(days(2)) as too_late:
        await call(what="risky")
    await message("go")
    return case.finish(result="late" if too_late else "in time")


@script
async def deadline_of_many(case: Trial) -> Any:
    async with deadline(days(2)) as too_late:
        await all_of(call(what="a"), message("go"), ask_review("look", role="underwriter"))
    return case.finish(result="late" if too_late else "in time")


@script
async def nap(case: Trial) -> Any:
    woke = await sleep(days(3))
    return case.finish(result=woke.isoformat())


@script
async def spring(case: Trial) -> Any:
    """Two local times around the night on which the clocks skip an hour."""
    await message("begin")
    next_day = await sleep(days(1))
    return case.finish(result=next_day.isoformat())


@script
async def chase(case: Trial) -> Any:
    """A payment, chased after ten days."""
    first = await first_of(message("payment"), sleep(days(10)))
    if first.place:
        await call(what="chase")
    await message("done")
    return case.finish()


@script
async def reminded(case: Trial) -> Any:
    """Remind seven days before the last day, with the days that are really left."""
    end = days(30).after(now())

    async def remind() -> None:
        await sleep_until(end - timedelta(days=7))
        await call(what=f"reminder {(end - now()).days}")

    async with deadline(days(30)) as too_late:
        start(remind())
        await message("answer")
    return case.finish(result="late" if too_late else "answered")


@script
async def reminders(case: Trial) -> Any:
    """Papers, reminded of each week."""

    async def remind() -> None:
        while True:
            await sleep(days(7))
            await call(what="reminder")

    async with deadline(days(30)) as too_late:
        await first_of(documents("passport"), remind())
    return case.finish(result="late" if too_late else "complete")


# -- documents and people


@script
async def receive(case: Trial) -> Any:
    await documents("passport", enough="received")
    await documents("passport", "payslip", enough="accepted")
    return case.finish()


@script
async def escalation(case: Trial) -> Any:
    async with deadline(days(2)) as too_late:
        await ask_review("first", role="underwriter")
    if too_late:
        await ask_review("escalated", role="supervisor")
        return case.finish(result="escalated")
    return case.finish(result="approved")


@script
async def several_reviews(case: Trial) -> Any:
    await all_of(
        *(ask_review(name, role="underwriter", due=working_days(5)) for name in ("a", "b", "c"))
    )
    return case.finish()


@script
async def busy(case: Trial) -> Any:
    """Much is open at once."""
    await all_of(
        ask_review("one", role="underwriter", due=working_days(5)),
        ask_review("two", role="underwriter", due=working_days(5)),
        sleep(days(5)),
        sleep(days(6)),
        call_long(what="running"),
        message("answer"),
        callback("valuation", on="valuer"),
        subcase("trial", script="race", title="Child"),
        documents("passport"),
    )
    return case.finish()


# -- failing


@script
async def broken_once(case: Trial) -> Any:
    """Fails in its own code for as long as `broken` says so."""
    await message("go")
    await inside_note(text="before")
    if broken:
        raise ValueError("a bug in the code")
    answer = await message("more")
    await sleep(days(1))
    return case.finish(result=str(answer.data["n"]))


broken: list[bool] = []


@script
async def circle(case: Trial) -> Any:
    if not case.amount:
        await message("begin")
    return case.go_second()


@script
async def parked_saga(case: Trial) -> Any:
    await call_undoably(what="one")
    await call_undoably(what="two")
    raise ValueError("a bug in the code")


@script
async def exits(case: Trial) -> Any:
    await message("go")
    raise SystemExit(3)


@script
async def bad_files(case: Trial) -> Any:
    with open("/etc/hostname") as file:
        file.read()
    return case.finish()


@script
async def bad_chance(case: Trial) -> Any:
    import random as chances

    return case.finish(result=str(chances.random()))


@script
async def bad_uuid(case: Trial) -> Any:
    import uuid as uuids

    return case.finish(result=str(uuids.uuid4()))


@script
async def bad_network(case: Trial) -> Any:
    import socket

    with socket.socket() as line:
        line.connect(("127.0.0.1", 9))
    return case.finish()


@script
async def bad_await(case: Trial) -> Any:
    import asyncio

    await asyncio.sleep(0)
    return case.finish()


@script
async def bad_row(case: Trial) -> Any:
    """Asks for what the database refuses when it is written."""
    await message("go")
    await ask_review("poison", role="underwriter")
    return case.finish()


@script
async def amount_now(case: Trial) -> Any:
    before = case.amount
    await message("go")
    return case.finish(result=f"{before:.2f} {case.amount:.2f}")


@script
async def local_handled(case: Trial) -> Any:
    try:
        await inside(what="row")
    except ActivityFailed as failure:
        return case.fail(reason=failure.error)
    return case.finish()


@script
async def ten_calls_reported(case: Trial) -> Any:
    return case.finish(result=str(await ten_calls()))


@script
async def fetch(case: Trial) -> Any:
    return case.finish(result=await pay(address=case.result, amount=f"{case.amount:.2f}"))


@script
async def unrecorded(case: Trial) -> Any:
    await unrecordable()
    return case.finish()


@script
async def poisonous(case: Trial) -> Any:
    await call(what="before")
    await ask_review("poison", role="underwriter")
    return case.finish()


# -- two versions of one step


@script
async def letter_first(case: Trial) -> Any:
    began = now()
    await sleep(days(5))
    await call(what="letter")
    await sleep_until(days(30).after(began))
    return case.finish(result=f"day {(now() - began).days}")


async def trying_later(case: Trial) -> Any:
    """Version 2 of the step: a later letter, a longer wait."""
    began = now()
    await sleep(days(10))
    await call(what="later letter")
    await sleep_until(days(60).after(began))
    return case.finish(result=f"day {(now() - began).days}")


@script
async def poison_after_a_day(case: Trial) -> Any:
    await sleep(days(1))
    await ask_review("poison", role="underwriter")
    return case.finish()


@script
async def own_request(case: Trial) -> Any:
    """The fact `result` names who asked; they do not decide."""
    await ask_review("approval", role="underwriter", unlike=case.result)
    return case.finish()


@script
async def quick_parent(case: Trial) -> Any:
    child = await subcase("trial", script="local", title="Child")
    return case.finish(
        result=f"child {child.outcome} {child.facts['script']} {child.facts['result']}"
    )


@script
async def child_race(case: Trial) -> Any:
    first = await first_of(subcase("trial", script="race"), message("go"))
    return case.finish(result=str(first.place))


@script
async def bad_parent(case: Trial) -> Any:
    await subcase("trial", size=3)
    return case.finish()


@script
async def failing_parent(case: Trial) -> Any:
    start(subcase("trial", script="race"))
    raise ValueError("a bug in the code")


@script
async def broken_beside_a_timer(case: Trial) -> Any:
    nap = start(sleep(days(1)))
    await message("go")
    if broken:
        raise ValueError("a bug in the code")
    await nap
    return case.finish(result="slept")


@script
async def broken_beside_a_call(case: Trial) -> Any:
    asked = start(call(what="risky"))
    await message("go")
    if broken:
        raise ValueError("a bug in the code")
    return case.finish(result=(await asked)["what"])


@script
async def broken_then_second(case: Trial) -> Any:
    await message("go")
    if broken:
        raise ValueError("a bug in the code")
    await inside_note(text="once")
    return case.go_second()


@script
async def broken_then_poison(case: Trial) -> Any:
    await message("go")
    if broken:
        raise ValueError("a bug in the code")
    await ask_review("poison", role="underwriter")
    return case.finish()


@script
async def side_helper(case: Trial) -> Any:
    async def aside() -> str:
        return str((await call(what="aside"))["what"])

    started = start(aside())
    await message("go")
    return case.finish(result=await started)


# -- for workers in processes of their own; `amount` is in seconds


@script
async def far_work(case: Trial) -> Any:
    return case.finish(result=await far.work(seconds=float(case.amount)))


@script
async def far_long(case: Trial) -> Any:
    return case.finish(result=await far.long_work(seconds=float(case.amount)))


@script
async def far_silent(case: Trial) -> Any:
    return case.finish(result=await far.silent_work(seconds=float(case.amount)))


@script
async def far_kill(case: Trial) -> Any:
    await far.kill_worker()
    return case.finish()


@script
async def far_checks(case: Trial) -> Any:
    """Three checks side by side, and one step more with what they gave."""
    found = await all_of(*(far.work(seconds=float(case.amount)) for _ in range(3)))
    last = await far.work(seconds=0)
    return case.finish(result=" ".join([*found, last]))


@script
async def far_sleep(case: Trial) -> Any:
    await sleep(days(30))
    return case.finish(result=await far.work(seconds=0))


@script
async def bad_and_quiet(case: Trial) -> Any:
    import datetime

    try:
        moment = datetime.datetime.now().isoformat()
    except Exception:
        moment = "unknown"
    await message(f"go {moment}")
    return case.finish()


@script
async def bad_aside(case: Trial) -> Any:
    async def aside() -> None:
        import time

        time.time()

    start(aside())
    await message("go")
    return case.finish()


@script
async def together_slowly(case: Trial) -> Any:
    found = await all_of(call(what="a"), message("go"))
    return case.finish(result=found[0]["what"])


@script
async def large_result(case: Trial) -> Any:
    return case.finish(result=await far.large())


@script
async def nested_outside_then_waiting(case: Trial) -> Any:
    async with deadline(days(4)) as outer:
        async with deadline(days(10)) as inner:
            await message("early")
    await message("go")
    return case.finish(result=f"outer {bool(outer)} inner {bool(inner)}")


from tests.trial import terms as _terms  # noqa: E402, F401 - scripts of its own
