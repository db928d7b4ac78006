"""Demo cases that live through their process: each follows a story, a generator that acts and says
how many days pass until it acts again.

The inline engine plays them all on a turned clock, in the order in which things happen.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, time, timedelta

from django.conf import settings

from processes import services
from processes.standins import World
from processes.work.inline import Inline
from timers import calendars, clock

SAME_HOURS = 0.1  # days; a shorter wait is no reason to ask whether people are at work

Story = Generator[float, None, None]  # yields days


def live_through(lives: Iterable[tuple[float, Story]], *, world: World) -> int:
    """Let stories begin so many days ago and live up to now. Returns how many there are."""
    until = clock.now()
    scenes = [(until - timedelta(days=age), place, life) for place, (age, life) in enumerate(lives)]
    heapq.heapify(scenes)
    count = len(scenes)
    chance = random.Random(count)
    if not scenes:
        return 0
    with clock.turned(scenes[0][0]) as turned, alone(world), Inline(turned) as engine:
        while scenes and scenes[0][0] <= until:
            moment, place, life = heapq.heappop(scenes)
            engine.until(moment)
            engine.settle()
            days = next(life, None)
            engine.settle()
            if days is not None:
                acts_at = moment + timedelta(days=days)
                if days > SAME_HOURS:
                    acts_at = at_work(acts_at, chance)
                heapq.heappush(scenes, (acts_at, place, life))
        engine.until(until)
        engine.settle()
    return count


def at_work(moment: datetime, chance: random.Random) -> datetime:
    """The moment, or the next one at which people work."""
    calendar = calendars.default()
    local = calendar.local(moment)
    if calendar.is_working(local.date()) and calendar.opens <= local.time() < calendar.closes:
        return moment
    day = local.date()
    if not calendar.is_working(day) or local.time() >= calendar.closes:
        day = calendar.next_working_day(day)
    return calendar.at(day, time(9 + chance.randrange(7), chance.randrange(60)))


@contextmanager
def alone(world: World) -> Iterator[None]:
    """Nothing leaves this process: services are answered here, and letters are only kept."""
    names = {f"LONGCASE_{name.upper()}_URL": name for name in world.services}
    before = {name: getattr(settings, name) for name in [*names, "EMAIL_BACKEND"]}
    try:
        for name, service_name in names.items():
            setattr(settings, name, f"http://standins.example/{service_name}")
        settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
        with services.answered_by(world.answer_httpx):
            yield
    finally:
        for name, value in before.items():
            setattr(settings, name, value)
