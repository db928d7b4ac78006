"""One relation in scenes, each played by a process of its own that then kills itself.

python -m tests.onboarding.scenes NUMBER
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

BEGAN = datetime.fromisoformat("2026-11-30T09:00:00+00:00")
LISTED = "Phantom Example; 1970-05-31; NL; 60; 999900001"


def the_case() -> Any:
    from cases.models import Case

    return Case.objects.get(kind="onboarding")


def owner() -> Any:
    from cases.models import Case

    return Case.objects.filter(kind="owner").latest("pk")


# Days since it began, and what somebody does then. After each the case waits for something else.
SCENES: list[tuple[float, Callable[[Any], None]]] = [
    (0, lambda desk: desk.open(owners=LISTED) and None),
    (1, lambda desk: desk.do(owner(), "carl", "no_match", "Another birthday.")),
    (2, lambda desk: desk.do(owner(), "cora", "no_match", "Agreed.")),
    (13, lambda desk: desk.send(the_case(), "extract")),
    (14, lambda desk: desk.send(the_case(), "identity")),
    (15, lambda desk: desk.do(the_case(), "anna", "approve")),
    (16, lambda desk: desk.do(the_case(), "abel", "approve")),
    (5 * 365 + 30, lambda desk: desk.do(owner(), "cora", "no_match", "As five years ago.")),
    (5 * 365 + 31, lambda desk: desk.do(owner(), "carl", "no_match", "So it is.")),
    (5 * 365 + 32, lambda desk: desk.do(the_case(), "anna", "approve")),
    (5 * 365 + 90, lambda desk: desk.move(the_case(), "offboard", reason="They stop.")),
    (5 * 365 + 99, lambda desk: desk.do(the_case(), "casey", "done")),
    (11 * 365, lambda desk: desk.do(the_case(), "casey", "close")),
]


def play(number: int, desk: Any) -> None:
    """One scene, at its moment."""
    days, act = SCENES[number]
    desk.engine.until(BEGAN + timedelta(days=days))
    act(desk)


def main(number: int) -> None:
    from django.conf import settings

    from processes import services
    from processes.standins import World
    from processes.work.inline import Inline
    from tests.onboarding.desk import Desk
    from timers import clock

    world = World()
    for name in world.services:
        setattr(settings, f"LONGCASE_{name.upper()}_URL", f"http://standins.example/{name}")
    began = BEGAN + timedelta(days=SCENES[max(number - 1, 0)][0])
    with services.answered_by(world.answer_httpx), clock.turned(began) as turned:
        with Inline(turned) as engine:
            play(number, Desk(engine))
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    main(int(sys.argv[1]))
