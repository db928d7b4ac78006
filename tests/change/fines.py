"""Open fines in every step that waits, and changes to their code."""

from __future__ import annotations

from typing import Any

from processes.enforcement.models import Step
from processes.enforcement.steps import fine
from tests.change.editing import Change, asked, entered, never

KIND = fine


def fill(office: Any, engine: Any, number: int) -> None:
    """So many open fines, spread over the steps, each brought there through the acts alone."""
    parts: list[list[Any]] = [[] for _ in range(5)]
    for place in range(number):
        if place % 5 == 0:
            parts[0].append(office.open())
    engine.settle()
    for case in parts[0]:
        office.tell(case, "posted", expenses="13.00")
        office.tell(case, "delivered")
    engine.advance(days=61)  # these are raised; the others come after
    for place in range(number):
        if place % 5:
            parts[place % 5].append(office.open())
    engine.settle()
    _created, sent, notified, appealing = parts[1:]
    for case in sent + notified + appealing:
        office.tell(case, "posted", expenses="13.00")
    for case in notified + appealing:
        office.tell(case, "delivered")
    for case in appealing:
        office.tell(case, "appeal_to_prefect")


CHANGES = [
    Change(
        "insert",
        Step.SENT,
        old="""    return await live(case, message("delivered",""",
        new="""    await send_letter(template="enforcement/letters/due.txt")
    return await live(case, message("delivered",""",
        marked="""    if changed("a letter when it is sent"):
        await send_letter(template="enforcement/letters/due.txt")
    return await live(case, message("delivered",""",
        differs=entered,
    ),
    Change(
        "insert",
        "",
        old="""            await ask_task(f"send_to_{court}",""",
        new="""            await send_letter(template="enforcement/letters/due.txt")
            await ask_task(f"send_to_{court}",""",
        marked="""            if changed("a letter to who appeals"):
                await send_letter(template="enforcement/letters/due.txt")
            await ask_task(f"send_to_{court}",""",
        differs=asked("task.opened", "send_to_prefect"),
    ),
    Change(
        "remove",
        Step.PENALISED,
        old="""    await send_letter(template="enforcement/letters/due.txt")
""",
        new="",
        marked="""    if not changed("no letter of what is due"):
        await send_letter(template="enforcement/letters/due.txt")
""",
        differs=entered,
    ),
    Change(
        "rename",
        "",
        old="""ask_task(f"send_to_{court}",""",
        new="""ask_task(f"forward_to_{court}",""",
        marked="""ask_task(
                f"forward_to_{court}" if changed("send is forward") else f"send_to_{court}",""",
        differs=asked("task.opened", "send_to_prefect"),
    ),
    Change(
        "reorder",
        "",
        old="""appeal(found, "prefect"), appeal(found, "judge")""",
        new="""appeal(found, "judge"), appeal(found, "prefect")""",
        differs=entered,
    ),
    Change(
        "deadline",
        Step.NOTIFIED,
        old="""sleep(days(60), name="raise_the_fine")""",
        new="""sleep(days(90), name="raise_the_fine")""",
        differs=never,
    ),
]
MOVED = Change(
    "insert",
    Step.NOTIFIED,
    old=CHANGES[1].old,
    new=CHANGES[1].new,
    differs=CHANGES[1].differs,
)
RESTARTED = Change(
    "rename",
    Step.NOTIFIED,
    old=CHANGES[3].old,
    new=CHANGES[3].new,
    differs=CHANGES[3].differs,
)
