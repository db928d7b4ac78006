"""Whatever the order in which workers, people and time act, every case is sound afterwards.

LONGCASE_SIMULATION_SEED repeats a run; LONGCASE_SIMULATION_RUNS and _STEPS make it longer.
"""

from __future__ import annotations

import os
import random
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from audit.read import events_of
from cases.models import Case, Message
from processes.models import Activity, Incident
from processes.work import crashpoint
from tests.histories import sound
from tests.simulation.world import World, open_cases
from tests.sizes import sized
from tests.trial import activities, steps
from timers import clock
from timers.models import Timer

pytestmark = pytest.mark.django_db(transaction=True)

GIVEN = os.environ.get("LONGCASE_SIMULATION_SEED")
RUNS = 1 if GIVEN else int(os.environ.get("LONGCASE_SIMULATION_RUNS") or sized(2, 12))
STEPS = int(os.environ.get("LONGCASE_SIMULATION_STEPS", "400"))  # of one run


@pytest.fixture
def calm() -> Iterator[None]:
    activities.effects.clear()
    yield
    activities.effects.clear()
    activities.trouble.clear()
    steps.broken.clear()


@pytest.mark.parametrize("run", range(RUNS))
def test_every_case_is_sound_after_any_interleaving(
    engine: Any, people: Any, monkeypatch: pytest.MonkeyPatch, calm: None, run: int
) -> None:
    seed = int(GIVEN) if GIVEN else random.SystemRandom().randrange(1_000_000)
    print(f"simulation, seed {seed}")
    random.seed(seed)  # the jitter of retries
    world = World(engine, people, seed=seed)
    monkeypatch.setattr(crashpoint, "reach", world.reach)
    try:
        for _ in range(STEPS):
            world.step()
        world.rest()
        check(world)
    except BaseException as error:
        error.add_note(f"again with LONGCASE_SIMULATION_SEED={seed}, step {world.steps}")
        raise
    finally:
        world.close()


def check(world: World) -> None:
    assert world.deaths > 0 or world.steps < 100
    sound.check_all()
    check_messages()
    check_effects()
    # Nothing is due and left lying, and no case stands still without somebody who is asked.
    assert not Timer.objects.filter(due_at__lte=clock.now()).exists()
    assert not Activity.objects.filter(state="due", due_at__lte=clock.now()).exists()
    assert not Activity.objects.filter(worker_id__isnull=False).exists()
    for case in open_cases():
        assert case.waits, case.reference
    for incident in Incident.objects.filter(closed_at=None):
        assert incident.case.stopped_at is not None


def check_messages() -> None:
    """Each message is where its state says, once."""
    assert not Message.objects.filter(state__in=["new", "taking"]).exists()
    seen: dict[tuple[int, str, str], list[str]] = defaultdict(list)
    for case in Case.objects.all():
        for event in events_of(case.pk):
            if event.type.startswith("message.") and "key" in event.data:
                seen[(case.pk, event.data["source"], event.data["key"])].append(event.type)
    for message in Message.objects.exclude(source__in=["subcase", "parent", "callback"]):
        if message.case_id is None:
            assert message.state == "unmatched"
            continue
        told = seen.get((message.case_id, message.source, message.key), [])
        expected = {
            "used": (["message.received"], ["message.kept", "message.matched"]),
            "kept": (["message.kept"],),
            "late": (["message.late"], []),
        }[message.state]
        assert told in expected, (message.state, told)


def check_effects() -> None:
    """What a history says was done was done, under one key for one thing."""
    done: dict[str, set[str]] = defaultdict(set)
    for what, key in activities.effects:
        done[key].add(what)
    assert all(len(what) == 1 for what in done.values())
    for case in Case.objects.all():
        visit = 0
        for event in events_of(case.pk):
            if event.type == "step.entered":
                visit = event.data["visit"]
            elif event.type == "activity.completed":
                of = event.data.get("visit", visit)
                key = f"{case.pk}.{of}.{event.data['command']}"
                assert key in done, f"{key} in {sound.story(case)}"
