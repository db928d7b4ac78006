"""A permit whose whole installation dies at each of its waits: kill -9, while people work on."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from cases.models import Letter, Task
from processes.acts.cases import get_case
from processes.engine.verify import verify
from processes.models import Activity
from tests.fixtures.installation import Installation
from tests.fixtures.permit import Desk

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.long]


class NoEngine:
    """In place of the engine in this process: whatever is to be done, the workers do."""

    def settle(self) -> None:
        pass


def test_a_permit_lives_through_kill_9_at_every_wait(installation: Installation) -> None:
    # Given an installation that is dead at each wait, while people act on its database
    desk = Desk(NoEngine())
    case = desk.open(parts="build fell")
    acts: list[tuple[str, dict[str, Any]]] = [
        ("check_confirmation", {"outcome": "pass"}),
        ("assess_stop", {"outcome": "advice", "aspect_planning": True, "party_water_board": True}),
        ("determine_confirmation", {"outcome": "determine"}),
        ("advice_planning", {"outcome": "agrees"}),
        ("send_confirmation", {"outcome": "send"}),
        ("request_advice", {"outcome": "done"}),
        ("message", {"name": "advice_water_board", "view": "agrees", "text": ""}),
        ("assess_stop", {"outcome": "clear"}),
        ("decide_stop", {"outcome": "go_on"}),
        ("completeness", {"outcome": "missing", "drawings": True}),
        ("paper", {"name": "drawings"}),
        ("completeness", {"outcome": "complete"}),
        ("content_build", {"outcome": "for"}),
        ("message", {"name": "extend_term", "reason": "We need longer."}),
        ("content_fell", {"outcome": "for"}),
        ("suspend", {}),
        ("resume", {"outcome": "resume"}),
        ("draft", {"outcome": "grant"}),
        ("decision", {"outcome": "decide"}),
        ("send_decision", {"outcome": "send"}),
        ("record_waiver", {}),
        ("close_file", {"outcome": "archive"}),
    ]

    # When each of their acts is followed by workers that live until nothing is due, and are killed
    for act, data in acts:
        installation.start("short", "clock")
        installation.wait(
            lambda act=act: not is_due(case.pk) and is_ready(case.pk, act), f"a rest before {act}"
        )
        installation.kill_all()
        do(desk, case, act, dict(data))
    installation.start("short", "clock")
    installation.wait(lambda: get_case(case.pk).closed_at and not is_due(case.pk), "the end")
    installation.kill_all()

    # Then it came to its end, no letter was written twice, and the rows equal the history
    after = get_case(case.pk)
    assert (after.step, after.outcome) == ("archived", "granted")
    written = Counter(Letter.objects.filter(case_id=case.pk).values_list("template", flat=True))
    names = {name.rpartition("/")[2].removesuffix(".txt"): n for name, n in written.items()}
    assert names == dict.fromkeys(
        [
            "confirmation",
            "advice",
            "data_needed",
            "data_received",
            "in_assessment",
            "term_extended",
            "suspended",
            "resumed",
            "decision_granted",
            "irrevocable",
        ],
        1,
    )
    assert not [f"{one.reference}, event {one.number}: {one.words}" for one in verify()]


def is_due(case_id: int) -> bool:
    """Whether the workers still have something to do for the case."""
    return Activity.objects.filter(case_id=case_id).exists()


def is_ready(case_id: int, act: str) -> bool:
    """Whether the case waits for what comes next."""
    if act in ("message", "paper", "suspend", "record_waiver"):
        return get_case(case_id).step != "receipt" or bool(get_case(case_id).waits)
    return Task.objects.filter(case_id=case_id, state="open", name=act).exists()


def do(desk: Desk, case: Any, act: str, data: dict[str, Any]) -> None:
    match act:
        case "message":
            desk.say(case, data.pop("name"), **data)
        case "paper":
            desk.send(case, data["name"])
        case "suspend" | "record_waiver":
            desk.move(case, act)
        case _:
            desk.do(case, act, data.pop("outcome"), **data)
