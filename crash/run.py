"""One run of a seed, with or without blows: `python -m crash.run`. Writes report.json."""

from __future__ import annotations

import json
import os
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Any


def main() -> None:
    told = json.loads(os.environ["CRASH_RUN"])
    folder = Path(told.pop("folder"))
    report = run(folder, **told)
    (folder / "report.json").write_text(json.dumps(report))


def run(
    folder: Path,
    *,
    seed: int,
    cases: int,
    seconds: float,
    blows: int,
    begin: str,
    rounds: int,
    small: bool,
) -> dict[str, Any]:
    """Live through all rounds and check what is left. Blows end after `seconds`."""
    from crash.installation import Installation

    began = time.monotonic()
    where = Installation(
        folder=folder,
        seed=seed,
        cases=cases,
        begin=begin,
        places=blows > 0 and not small,
        small=small,
    )
    try:
        where.prepare()
        # Settings are read once, so the environment comes first.
        os.environ.update(where.environ)
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        import django

        django.setup()
        from crash import checks
        from crash.blows import Blows
        from crash.conductor import Conductor
        from crash.people import forget_connection

        conductor = Conductor(
            folder=folder,
            seed=seed,
            cases=cases,
            begin=datetime.fromisoformat(begin),
            rounds=rounds,
            people=where.people,
            note=where.note,
        )
        conductor.prepare()
        where.serve()
        prepared = time.monotonic() - began
        striking = Blows(where, seed=seed, count=blows, seconds=seconds, rounds=rounds, say=say)
        thread = threading.Thread(target=conductor.run, daemon=True)
        thread.start()
        places_end = time.monotonic() + seconds
        while thread.is_alive():
            where.watch()
            if blows:
                striking.step(conductor.round)
                if where.places and (striking.is_over or time.monotonic() > places_end):
                    where.places = False
                    where.stop_places()
                    where.tell_standins(None)
                    say("no more blows: it may settle now")
            thread.join(0.02)
        forget_connection()  # it may not have lived through the blows
        found = []
        if conductor.failure is not None:
            found.append(f"{type(conductor.failure).__name__}: {conductor.failure}")
        found += checks.findings(
            folder=folder,
            seed=seed,
            cases=cases,
            incidents=conductor.incidents,
            is_cut=conductor.round >= rounds,
        )
        checks.dump(folder)
        return {
            "findings": found,
            "rounds": conductor.round,
            "seconds": time.monotonic() - began,
            "prepared_seconds": prepared,
            "blows": dict(striking.counts),
            "moving": [[one.waiting, one.seconds, one.start_seconds] for one in striking.moving],
            "ends": where.kills,
            "incidents": dict(conductor.incidents),
            **checks.counts(folder),
        }
    finally:
        where.stop()


def say(line: str) -> None:
    print(f"  {time.strftime('%H:%M:%S', time.gmtime())} {line}", flush=True)


if __name__ == "__main__":
    main()
