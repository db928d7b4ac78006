"""Acts on the clocks of a case over the API: as the pages have them, within the same rights."""

from __future__ import annotations

from typing import Any

import pytest

from audit.read import events_of
from cases.models import Case
from timers.models import Clock

ACTS = ("pause", "resume", "extend", "pauses/0")


def types(case: Case) -> list[str]:
    return [one.type for one in events_of(case.pk) if one.type.startswith("clock.")]


def limit_of(case: Case) -> str:
    return str(Clock.objects.get(case_id=case.pk, name="term").stood.dates.limit_on)


def test_a_clock_is_paused_resumed_extended_and_set_right(
    desk: Any, calls_of: Any, people: Any
) -> None:
    case = desk.open("term")
    desk.engine.advance(days=20)
    sanne, petra = calls_of(people.sanne), calls_of(people.petra)
    here = f"cases/{case.reference}/clocks/term"
    pause = {"reason": "drawings", "since": "2026-12-14", "at_most_days": 21}
    first = sanne.post(f"{here}/pause", pause, key="K")
    assert first.status_code == 200, first.content
    (clock,) = first.json()["clocks"]
    assert clock["state"] == "paused" and clock["limit_on"] == "2027-02-15"
    assert sanne.post(f"{here}/pause", pause, key="K").content == first.content
    # Paused twice is refused with its reason; so is another copy than the one it was made on
    again = sanne.post(f"{here}/pause", pause)
    assert again.status_code == 409
    assert again.json()["type"] == "/api/v1/problems/clock-not-moved"
    assert sanne.post(f"{here}/resume", {}, match='"1"').status_code == 412
    gone_on = sanne.post(f"{here}/resume", {"until": "2026-12-18"})
    assert gone_on.json()["clocks"][0]["limit_on"] == "2027-01-29" == limit_of(case)
    # Only a supervisor sets a pause right
    right = {"since": "2026-12-14", "until": "2026-12-16", "reason": "They came on the 16th."}
    assert sanne.post(f"{here}/pauses/0", right).status_code == 403
    assert petra.post(f"{here}/pauses/1", right).status_code == 404
    assert petra.post(f"{here}/pauses/0", right).json()["clocks"][0]["limit_on"] == "2027-01-27"
    extended = sanne.post(f"{here}/extend", {"reason": "The expert is ill."})
    assert extended.status_code in (200, 409), extended.content
    told = ["clock.started", "clock.paused", "clock.resumed", "clock.corrected"]
    assert types(case)[:4] == told
    assert events_of(case.pk, types=["clock.paused"])[0].actor == f"person:{people.sanne.pk}"


@pytest.mark.parametrize(
    ("act", "body", "pointer"),
    [
        ("pause", {}, "#/reason"),
        ("pause", {"reason": " "}, "#/reason"),
        ("pause", {"reason": "x", "since": "today"}, "#/since"),
        ("pause", {"reason": "x", "at_most_days": "7"}, "#/at_most_days"),
        ("pause", {"reason": "x", "at_most_days": 0}, "#/at_most_days"),
        ("extend", {}, "#/reason"),
        ("pauses/0", {}, "#/reason"),
        ("resume", {"when": "now"}, "#/when"),
    ],
)
def test_what_does_not_fit_is_named(
    desk: Any, calls_of: Any, people: Any, act: str, body: dict[str, Any], pointer: str
) -> None:
    case = desk.open("term")
    refused = calls_of(people.petra).post(f"cases/{case.reference}/clocks/term/{act}", body)
    assert refused.status_code == 422, refused.content
    assert refused.json()["errors"][0]["pointer"] == pointer
    assert types(case) == ["clock.started"]


def test_who_may_not_work_on_the_case_moves_no_clock(
    desk: Any, calls_of: Any, people: Any, program: Any
) -> None:
    case = desk.open("term")
    body = {"reason": "x"}
    reader = program("read:trial", "facts:trial", team=people.sanne.team)
    insiders = [calls_of(people.ada), calls_of(people.otto), reader]
    outsiders = [calls_of(people.eve), program("move:loan", "read:loan")]
    for act in ACTS:
        path = f"cases/{case.reference}/clocks/term/{act}"
        for calls in insiders:
            assert calls.post(path, body).status_code in (403, 404), act
        for calls in outsiders:
            refused = calls.post(path, body)
            made_up = calls.post(path.replace(case.reference, "TR-1999-000001"), body)
            assert refused.status_code == made_up.status_code == 404
            told = refused.content.decode().replace(case.reference, "TR-1999-000001")
            assert told == made_up.content.decode()
    unknown = calls_of(people.sanne).post(f"cases/{case.reference}/clocks/none/pause", body)
    assert unknown.status_code == 404 and "It has: term" in unknown.json()["detail"]
    assert types(case) == ["clock.started"]
    mover = program("read:trial", "move:trial", team=people.sanne.team)
    done = mover.post(f"cases/{case.reference}/clocks/term/pause", body)
    assert done.status_code == 200, done.content
