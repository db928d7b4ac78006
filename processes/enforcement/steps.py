"""What happens in each step of a fine. docs/enforcement.md tells it in plain words."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from processes.enforcement import messages, page, retention, rules, titles
from processes.enforcement.models import Fine, Step
from processes.engine.words import ask_task, first_of, message, sleep
from processes.kinds import Kind
from processes.letters import send_letter
from timers.spans import days, working_days

fine = Kind(
    Fine,
    title=_("Fine"),
    prefix="FN",
    initial=Step.CREATED,
    main_line=[(label, [step]) for step, label in Step.choices if not step.startswith("cancel")],
    messages=messages.MESSAGES,
    message_titles=titles.TITLES,
    may_come=("appeal_to_prefect", "appeal_to_judge"),
    form="processes.enforcement.forms.FineForm",
    answer_forms={name: f"processes.enforcement.forms.{name}" for name in messages.MESSAGES},
    correctable=("offender_name", "email", "offence", "amount", "raised_amount"),
    found_by=("offender_name", "email", "offence"),
    page=page.PAGE,
    retention=retention.KEPT,
    plain=("prefect", "judge", "outcome"),
)


@fine.step(Step.CREATED)
async def created(case: Fine) -> Any:
    return await live(case, message("posted", of="the printers", met="it is sent"), then=case.send)


@fine.step(Step.SENT)
async def sent(case: Fine) -> Any:
    return await live(case, message("delivered", of="the post", met="60 days"), then=case.notify)


@fine.step(Step.NOTIFIED)
async def notified(case: Fine) -> Any:
    """60 calendar days; then the fine is raised, whatever an appeal still waits for."""
    return await live(case, sleep(days(60), name="raise_the_fine"), then=case.penalise)


@fine.step(Step.PENALISED)
async def penalised(case: Fine) -> Any:
    """Paid at once or in parts, each with a letter of what is due, or handed to the collector."""
    await send_letter(template="enforcement/letters/due.txt")
    return await live(case)


@fine.step(Step.CANCELLING)
async def cancelling(case: Fine) -> Any:
    await send_letter(template="enforcement/letters/cancelled.txt", reason=case.outcome_reason)
    return case.close_cancelled()


async def live(case: Fine, *post: Any, then: Any = None) -> Any:
    """The offender pays or appeals, while the post or the term does its work."""
    found = {"paid": case.paid, "prefect": case.prefect, "judge": case.judge}
    courts = appeal(found, "prefect"), appeal(found, "judge")
    first = await first_of(payments(case, found), *courts, *post)
    if first.place > len(courts):
        return then(**getattr(first.value, "data", {}), **found)
    if first.place:
        return case.withdraw(reason=first.value, **found)
    return case.close_paid(**found) if first.value else case.book_part(**found)


async def payments(case: Fine, found: dict[str, Any]) -> bool:
    """True when all is paid. A part of a penalised fine is booked at once: False."""
    while True:
        money = (await message("payment", of="the offender", met="the fine is closed if paid")).data
        found["paid"] += money["amount"]
        if (is_all := rules.settles(case, found, money)) or case.step == Step.PENALISED:
            return is_all


async def appeal(found: dict[str, Any], court: str) -> str:
    """Filed, sent, ruled, told: the fine's next step goes on from that stage. Ends when upheld."""
    while found[court] != "upheld":
        if found[court] in ("", "rejected"):
            await message(f"appeal_to_{court}", of="the offender", met=f"the {court} rules")
            found[court] = "filed"
        elif found[court] == "filed":
            await ask_task(f"send_to_{court}", role="caseworker", due=working_days(20))
            found[court] = "sent"
        elif found[court] == "sent":
            ruling = (await message(f"ruling_of_{court}", of=f"the {court}")).data["outcome"]
            found[court] = f"to tell: {ruling}"
        else:
            await ask_task(f"tell_ruling_of_{court}", role="caseworker", due=working_days(10))
            found[court] = found[court].removeprefix("to tell: ")
            await send_letter(template="enforcement/letters/appeal.txt", ruling=found[court])
    return f"The {court} upheld the appeal."
