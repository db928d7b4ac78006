"""Step code with one mistake each; the line that is wrong ends with a mark. Nothing runs it."""

import asyncio
import threading
import time
from datetime import datetime as moment
from random import random as chance
from typing import Any

import httpx
from django.utils import timezone

from cases.models import Case
from processes.activities import Attempt, activity
from processes.engine.words import (
    changed,
    deadline,
    documents,
    message,
    sleep,
    start_clock,
    subcase,
)
from processes.services import Service
from timers.spans import days

bank = Service("the bank", "LONGCASE_OFFENDING_URL")
SUBKIND = "advise"


@activity(name="offending.ask")
def ask(attempt: Attempt, *, number: str, amount: int = 0) -> str:
    return attempt.key


async def reads_the_clock(case: Any) -> Any:
    return case.finish(result=str(moment.now()))  # wrong


async def reads_djangos_clock(case: Any) -> Any:
    return case.finish(result=str(timezone.now()))  # wrong


async def waits_by_itself(case: Any) -> Any:
    time.sleep(5)  # wrong
    return case.finish()


async def sleeps_on_a_loop(case: Any) -> Any:
    await asyncio.sleep(5)  # wrong
    return case.finish()


async def rolls_dice(case: Any) -> Any:
    return case.finish(result=str(chance()))  # wrong


async def starts_a_thread(case: Any) -> Any:
    threading.Thread(target=case.finish).start()  # wrong
    return case.finish()


async def calls_the_network(case: Any) -> Any:
    return case.finish(result=httpx.get("http://bank.example").text)  # wrong


async def imports_the_network(case: Any) -> Any:
    import urllib.request  # wrong

    return case.finish(result=str(urllib.request))


async def calls_a_service(case: Any) -> Any:
    bank.call("GET", "/", key="none")  # wrong
    return case.finish()


async def opens_a_file(case: Any) -> Any:
    with open("/etc/hostname") as file:  # wrong
        return case.finish(result=file.name)


async def asks_the_database(case: Any) -> Any:
    return case.finish(result=str(Case.objects.count()))  # wrong


async def saves_the_case(case: Any) -> Any:
    case.save()  # wrong
    return case.finish()


async def prints(case: Any) -> Any:
    print(case)  # wrong
    return case.finish()


async def hashes(case: Any) -> Any:
    return case.finish(result=str(hash(case.script)))  # wrong


async def through_a_helper(case: Any) -> Any:
    return case.finish(result=helper())


def helper() -> str:
    return str(time.monotonic())  # wrong


async def computes_a_marker(case: Any) -> Any:
    changed(case.script)  # wrong
    return case.finish()


async def starts_an_unknown_clock(case: Any) -> Any:
    await start_clock("term")  # wrong
    return case.finish()


async def goes_through_a_set(case: Any) -> Any:
    for name in {"payslip", "passport"}:  # wrong
        await message(name)
    return case.finish()


async def gives_too_little(case: Any) -> Any:
    await ask(amount=3)  # wrong
    return case.finish()


async def gives_too_much(case: Any) -> Any:
    await ask(number="1", nmuber="1")  # wrong
    return case.finish()


async def gives_without_names(case: Any) -> Any:
    await ask("1")  # wrong
    return case.finish()


async def opens_an_unknown_kind(case: Any) -> Any:
    await subcase(SUBKIND)  # wrong
    return case.finish()


async def opens_with_unknown_facts(case: Any) -> Any:
    await subcase("trial", script="race", colour="red")  # wrong
    return case.finish()


async def opens_without_a_fact(case: Any) -> Any:
    await subcase("trial", amount=3)  # wrong
    return case.finish()


async def waits_for_what_is_refused(case: Any) -> Any:
    await message("anser")  # wrong
    return case.finish()


async def asks_without_title(case: Any) -> Any:
    await documents("passport", "photo")  # wrong
    return case.finish()


async def never_ends(case: Any) -> Any:  # wrong
    await message("answer")


async def takes_what_begins_elsewhere(case: Any) -> Any:
    return case.go_back()  # wrong


async def is_sound(case: Any) -> Any:
    """As many things that look wrong and are not as fit here."""
    answer = await message("answer")
    found = await ask(number=str(answer.data), amount=len({1, 2}))
    for name in sorted({"payslip", "passport"}):
        await documents(name)
    await subcase("trial", script=found, title="One more")
    return case.finish(result=moment(2026, 11, 30).isoformat())


async def goes_back_in_time(case: Any) -> Any:
    async with deadline(days(-14)):  # wrong
        await message("answer")
    return case.finish(result="")


async def says_no_unit(case: Any) -> Any:
    await sleep(7)  # wrong
    return case.finish(result="")


async def does_not_wait(case: Any) -> Any:
    message("answer")  # wrong
    return case.finish(result="")


def asking() -> Any:
    return ask(number="1")


async def does_not_wait_for_a_helper(case: Any) -> Any:
    asking()  # wrong
    return case.finish(result="")


async def takes_what_is_not_there(case: Any) -> Any:
    return case.finsh(result="") or case.finish(result="")  # wrong


async def takes_it_with_too_little(case: Any) -> Any:
    return case.fail()  # wrong


async def takes_it_with_another_word(case: Any) -> Any:
    return case.fail(raeson="never")  # wrong


async def forgets_to_return(case: Any) -> Any:
    if case.script:
        case.finish(result="")  # wrong
    return case.fail(reason="")


async def does_not_call(case: Any) -> Any:
    return case.finish  # wrong


async def sets_a_fact(case: Any) -> Any:
    case.result = "mine"  # wrong
    return case.finish(result="")
