"""`make bench`: our own figures, on an installation of its own in a temporary folder.

Beside other engines, run their harness with bench/adapter.py; docs/performance.md says how.
"""

import argparse

from bench.installation import Installation

MEASURES = ("replay", "age", "throughput", "latency", "timers")
BY_NAME = ("pages", "api", "verify", "replaypage")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure the engine.")
    parser.add_argument(
        "measures", nargs="*", default=MEASURES, help=", ".join((*MEASURES, *BY_NAME))
    )
    parser.add_argument("--cases", type=int, default=1000, help="cases at once")
    parser.add_argument("--latency-cases", type=int, default=40)
    parser.add_argument("--timers", type=int, default=20_000, help="timers due within one second")
    parser.add_argument("--far", type=int, default=1_000_000, help="far timers; 0: without")
    parser.add_argument("--events", type=int, default=1000, help="events of the step replayed")
    parser.add_argument("--old-events", type=int, default=50_000)
    parser.add_argument("--size", type=int, default=50_000, help="cases for pages and api")
    parser.add_argument("--size-events", type=int, default=0, help="their events; 0: 20 a case")
    parser.add_argument("--many", type=int, default=1_000_000, help="cases for anchors; 0: without")
    given = parser.parse_args()
    if "pages" in given.measures:
        measure_pages(size=given.size, events=given.size_events or 20 * given.size)
        return
    if "verify" in given.measures:
        measure_proof(size=given.size, events=given.size_events or 20 * given.size, many=given.many)
        return
    if "api" in given.measures:
        measure_api(size=given.size, events=given.size_events or 20 * given.size)
        return
    if "replaypage" in given.measures:
        measure_replay_pages(events=given.size_events or 20_000)
        return
    with Installation() as installed:
        from bench import measures
        from processes.work import memory

        memory.settle()  # as each worker does
        # What needs no worker comes first, so that none meddles.
        if "replay" in given.measures:
            print(measures.replay(installed, events=given.events), flush=True)
        if "age" in given.measures:
            print(measures.ageing(installed, few=50, many=given.old_events), flush=True)
        if not {"throughput", "latency", "timers"} & set(given.measures):
            return
        installed.start_processes()
        if "throughput" in given.measures:
            print(measures.throughput(installed, cases=given.cases), flush=True)
        if "latency" in given.measures:
            print(measures.latency(installed, cases=given.latency_cases), flush=True)
        if "timers" in given.measures:
            print(measures.timers(installed, count=given.timers, far=given.far), flush=True)


def measure_pages(*, size: int, events: int) -> None:
    """On an installation that has the real kinds, and cases of the demo to begin with."""
    import os

    os.environ["LONGCASE_DEMO"] = "1"
    with Installation(kinds="shipped", filling=True) as installed:
        from django.core.management import call_command

        from bench.pages import pages

        call_command("demo", cases=48, verbosity=0)
        for line in pages(installed, size=size, events=events):
            print(line, flush=True)


def measure_replay_pages(*, events: int) -> None:
    """On an installation that has the real kinds: two cases of the demo with so many events."""
    import os

    os.environ["LONGCASE_DEMO"] = "1"
    with Installation(kinds="shipped", filling=True) as installed:
        from django.core.management import call_command

        from bench.replaypage import replay_pages

        call_command("demo", cases=48, verbosity=0)
        for line in replay_pages(installed, events=events):
            print(line, flush=True)


def measure_api(*, size: int, events: int) -> None:
    """As for pages, but on a database that waits for its disk: calls write too."""
    import os

    os.environ["LONGCASE_DEMO"] = "1"
    with Installation(kinds="shipped") as installed:
        from django.core.management import call_command

        from bench.api import api

        call_command("demo", cases=48, verbosity=0)
        for line in api(installed, size=size, events=events):
            print(line, flush=True)


def measure_proof(*, size: int, events: int, many: int) -> None:
    """As for pages: history is read, and anchors are made of it."""
    import os

    os.environ["LONGCASE_DEMO"] = "1"
    with Installation(kinds="shipped", filling=True) as installed:
        from django.core.management import call_command

        from bench.proof import proof

        assert installed
        call_command("demo", cases=48, verbosity=0)
        for line in proof(size=size, events=events, many=many):
            print(line, flush=True)


if __name__ == "__main__":
    main()
