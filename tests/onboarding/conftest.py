"""A relations desk, and a world outside that a test can spoil."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from processes import services
from processes.engine.verify import verify
from processes.standins import World
from tests.onboarding.desk import Desk


@pytest.fixture
def outside(settings: Any) -> Iterator[World]:
    """The services outside, answered within this process."""
    made = World()
    for name in made.services:
        setattr(settings, f"LONGCASE_{name.upper()}_URL", f"http://standins.example/{name}")
    with services.answered_by(made.answer_httpx):
        yield made


@pytest.fixture
def desk(engine: Any, outside: World) -> Iterator[Desk]:
    """A desk. Whatever its test did, history is intact afterwards and the rows equal it."""
    yield Desk(engine)
    assert not [f"{one.reference}, event {one.number}: {one.words}" for one in verify()]
