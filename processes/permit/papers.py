"""Papers that leave the house: drafted, checked, adjusted, determined and sent, by two people."""

from __future__ import annotations

from typing import Any

from processes.engine.words import Outcome, ask_review, ask_task
from processes.permit.activities import finished_tasks, letter
from timers.spans import working_days

CASEWORKER, REVIEWER, AUTHORITY, EXPERT = "caseworker", "reviewer", "permit authority", "expert"


async def send_paper(name: str, title: str, *, draft: bool, **more: Any) -> None:
    """One paper, from its draft to the post; nothing when it went out before.

    Whoever wrote or adjusted it neither checks nor determines it. With `draft` a caseworker
    writes it; without, it is ready as a form. `more` is what its letter says.
    """
    if await finished_tasks(names=[f"send_{name}"]):
        return
    writer = ""
    if draft:
        written = await ask_task(
            f"create_{name}",
            role=CASEWORKER,
            due=working_days(3),
            title=f"Draft {title}",
            met="a reviewer checks it",
        )
        writer = written.by
    while not await _is_determined(name, title, writer):
        adjusted = await ask_task(
            f"adjust_{name}",
            role=CASEWORKER,
            due=working_days(3),
            title=f"Adjust {title}",
            met="a reviewer checks it once more",
        )
        writer = adjusted.by
    await ask_task(
        f"send_{name}",
        role=CASEWORKER,
        due=working_days(2),
        title=f"Send {title}",
        outcomes=[("send", "Print and send it")],
        met="the applicant gets it",
    )
    await letter(name, **more)


async def _is_determined(name: str, title: str, writer: str) -> bool:
    """Whether a reviewer and the authority pass it; if not, it is to be adjusted."""
    while True:
        checked: Outcome = await ask_review(
            f"check_{name}",
            role=REVIEWER,
            due=working_days(3),
            title=f"Check {title}",
            outcomes=[
                ("pass", "It is right"),
                ("adjust", "It must be adjusted", True),
                ("again", "Somebody else checks it too"),
            ],
            unlike=writer,
            met="it is determined, or goes back to be adjusted",
        )
        if checked.outcome == "adjust":
            return False
        if checked.outcome == "pass":
            break
    determined: Outcome = await ask_review(
        f"determine_{name}",
        role=AUTHORITY,
        due=working_days(3),
        title=f"Determine {title}",
        outcomes=[("determine", "Determine it"), ("adjust", "It must be adjusted", True)],
        unlike=writer,
        met="it is sent, or goes back to be adjusted",
    )
    return determined.outcome == "determine"
