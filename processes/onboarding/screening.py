"""Looking at a possible match, as business and owner share it: never by one person alone."""

from __future__ import annotations

from typing import Any

from processes.engine.words import ask_review
from timers.spans import working_days

NO_MATCH = ("no_match", "Somebody else", True)
MATCH = ("match", "It is them", True)


async def is_cleared(name: str, hits: list[dict[str, str]]) -> bool:
    """Whether two different people both say that the listed one is somebody else."""
    if not hits:
        return True
    shown = {"name": name} | {
        f"entry_{number}": f"{hit['entry']} ({hit['list']}, {hit['likeness']} %)"
        for number, hit in enumerate(hits, 1)
    }
    first = await look("screening", "Possible match: first look", shown)
    if first.outcome == "match":
        # A match has grave consequences, so it too is looked at twice.
        shown |= {"the_first_look_says": f"It is them: {first.reason}"}
    second = await look("second_screening", "Possible match: second look", shown, unlike=first.by)
    if first.outcome == second.outcome:
        return first.outcome == "no_match"
    shown |= {"the_second_look_says": second.reason}
    last = await look(
        "screening_decision",
        "Possible match: the two looks differ",
        shown,
        role="compliance lead",
        unlike=(first.by, second.by),
    )
    return last.outcome == "no_match"


def look(
    name: str,
    title: str,
    shown: dict[str, str],
    *,
    role: str = "compliance officer",
    unlike: Any = (),
) -> Any:
    return ask_review(
        name,
        role=role,
        due=working_days(2),
        title=title,
        outcomes=[NO_MATCH, MATCH],
        show=dict(shown),
        unlike=unlike,
        met="the checks go on, or the business is refused",
    )
