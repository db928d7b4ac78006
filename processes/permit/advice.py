"""Advice that people ask for: of colleagues by aspect, of parties outside by letter."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from processes.engine.errors import ActivityFailed
from processes.engine.words import (
    all_of,
    ask_review,
    ask_task,
    callback,
    deadline,
    first_of,
    message,
    sleep,
    start,
)
from processes.permit import rules
from processes.permit.activities import ask_adviser
from processes.permit.papers import CASEWORKER, EXPERT
from timers.spans import days, working_days

# The ticks on a form that may ask for advice.
TICKS = [
    *(
        (f"aspect_{name}", f"Advice of a colleague: {words}", "yes")
        for name, words in rules.ASPECTS.items()
    ),
    *((f"party_{name}", f"Advice of {words}", "yes") for name, words in rules.PARTIES.items()),
]
WITHOUT = "we go on without this advice"


async def gather(asked: Mapping[str, Any], *, what: str) -> dict[str, str]:
    """All the advice that was ticked, side by side: who → what they say, in words."""
    aspects = rules.ticked(asked, rules.ASPECTS, prefix="aspect_")
    parties = rules.ticked(asked, rules.PARTIES, prefix="party_")
    branches = [inside(name) for name in aspects]
    if parties:
        branches.append(outside(parties, what=what))
    found: dict[str, str] = {}
    for one in await all_of(*branches):
        found.update(one)
    return found


async def inside(aspect: str) -> dict[str, str]:
    """A colleague's advice on one aspect."""
    title = rules.ASPECTS[aspect]
    said = await ask_review(
        f"advice_{aspect}",
        role=EXPERT,
        due=working_days(5),
        title=f"Advise: {title}",
        outcomes=[
            ("agrees", "No objection"),
            ("agrees_with_conditions", "No objection, with conditions", True),
            ("objects", "Objection", True),
        ],
        met="the advice goes to whoever asked for it",
    )
    return {title: in_words(said.outcome, said.reason)}


async def outside(parties: list[str], *, what: str) -> dict[str, str]:
    """A caseworker drafts one request; then each party is asked and answers for itself."""
    await ask_task(
        "request_advice",
        role=CASEWORKER,
        due=working_days(3),
        title="Draft and send the request for advice",
        show={"asked": ", ".join(rules.words_for(parties, rules.PARTIES))},
        met="the parties get it",
    )
    found: dict[str, str] = {}
    for one in await all_of(*(ask_party(party, what=what) for party in parties)):
        found.update(one)
    return found


async def ask_party(party: str, *, what: str) -> dict[str, str]:
    """A party has 28 days, and is reminded after 21. Then we go on without its advice.

    It answers at the address in our letter; a caseworker records what comes by post.
    """
    name = rules.PARTIES[party]
    answer = callback(
        f"advice_{party}",
        on=name,
        open_for=days(rules.ADVICE_DAYS),
        met="the advice goes to whoever asked for it",
        otherwise=WITHOUT,
    )
    said: Any = None
    async with deadline(days(rules.ADVICE_DAYS), then=WITHOUT):
        question = answer.key
        with suppress(ActivityFailed):  # undelivered: it may still come by post
            await ask_adviser(party=party, question=question, what=what)
        start(remind(party, question=question, what=what))
        by_post = message(
            f"advice_{party}", of=name, met="the caseworker records what came by post"
        )
        said = (await first_of(answer, by_post)).value.data
    if said is None:
        return {name: "no advice within the time"}
    return {name: in_words(said["view"], said["text"])}


async def remind(party: str, *, question: str, what: str) -> None:
    await sleep(days(21), name="reminder")
    with suppress(ActivityFailed):
        await ask_adviser(party=party, question=question, what=what)


def in_words(view: str, text: str) -> str:
    """Advice on one line: the view, and what it says."""
    words = {
        "agrees": "no objection",
        "agrees_with_conditions": "no objection, with conditions",
        "objects": "objection",
    }[view]
    return f"{words}: {text}" if text else words
