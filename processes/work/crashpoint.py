"""Named places at which a crash campaign may kill this process: kill -9, by itself.

LONGCASE_CRASH="drain.committed=0.01,attempt.done=0.02;seed=7" gives each a chance. Without the
variable a place costs one look at a module's dictionary. Refused outside of test and demo
installations.
"""

from __future__ import annotations

import os
import random
import signal

NAMES = (
    "drain.recorded",  # results recorded, nothing committed
    "drain.claimed",  # before the commit
    "drain.committed",  # after the commit, before its activities run
    "attempt.begun",  # before the outside effect
    "attempt.done",  # after the outside effect, before its result is recorded
    "clock.fired",  # timers fired, nothing committed
    "clock.committed",
    "perform.claimed",  # a long activity, claimed and not begun
    "perform.done",  # and done, not recorded
    "act.recorded",  # an act of a person or a service, before its commit
    "act.committed",  # and after it, before the answer
)


def _read(text: str) -> tuple[dict[str, float], str]:
    places, _, seed = text.partition(";seed=")
    chances = {}
    for part in filter(None, places.split(",")):
        name, _, chance = part.partition("=")
        if name not in NAMES:
            raise ValueError(f"LONGCASE_CRASH names {name!r}; known: {', '.join(NAMES)}.")
        chances[name] = float(chance or 1)
    return chances, seed


def _draw_anew() -> None:
    """Chance of this process's own: a fork would else repeat its parent's, and die each time."""
    global _chance
    _chance = random.Random(f"{_seed}/{os.getpid()}")


_chance: random.Random
_places, _seed = _read(os.environ.get("LONGCASE_CRASH", ""))
_draw_anew()
if _places:
    os.register_at_fork(after_in_child=_draw_anew)


def reach(name: str) -> None:
    """This place was reached; perhaps the process dies here."""
    if name in _places and _chance.random() < _places[name]:
        os.kill(os.getpid(), signal.SIGKILL)
