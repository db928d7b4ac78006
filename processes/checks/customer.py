"""The customer's page of a kind: each step has words for the public, and answers have a message."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.checks import CheckMessage, Error

from cases.fsm import edges
from processes.checks import places
from processes.customer.page import EVENTS
from processes.kinds import Kind


def check(kind: Kind) -> Iterator[CheckMessage]:
    """What is missing from a page, or names what the kind does not have."""
    page = kind.page
    if page is None:
        return
    place = places.of(kind.model)
    told = {str(one) for one in page.steps}
    steps = {str(one) for one in kind.model.Step.values}  # type: ignore[attr-defined]
    for step in sorted(steps - told):
        yield Error(
            f"{place}: the customer's page of “{kind.name}” has no words for step “{step}”.",
            hint="Add it to the steps of the page.",
            id="processes.E031",
        )
    wrong = [f"step “{one}”" for one in sorted(told - steps)]
    wrong += [f"event “{one}”" for one in page.tells if one not in EVENTS]
    wrong += [f"clock “{one}”" for one in page.clocks if one not in kind.clocks]
    wrong += [f"message “{a.message}”" for a in page.answers if a.message not in kind.messages]
    facts = {field.name for field in kind.model.fact_fields()}
    wrong += [
        f"fact “{name}”" for one in page.steps.values() for name in one.facts if name not in facts
    ]
    named = {edge.name for edge in edges(kind.model) if edge.staff}
    if page.withdrawal and page.withdrawal.transition not in named:
        wrong.append(f"act “{page.withdrawal.transition}”")
    for one in wrong:
        yield Error(
            f"{place}: the customer's page of “{kind.name}” names {one}, which is not there.",
            id="processes.E032",
        )
