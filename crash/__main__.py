"""`python -m crash`: the campaign. Exits with 1, the seed and each finding if anything is wrong."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import SystemRandom
from typing import Any

from crash.compare import differences


def main() -> int:
    wishes = parse(sys.argv[1:])
    seed = wishes.seed if wishes.seed is not None else SystemRandom().randrange(1_000_000)
    print(
        f"Crash campaign, seed {seed}: {wishes.cases} cases, {wishes.blows} blows within "
        f"{wishes.minutes:g} minutes.",
        flush=True,
    )
    folder = Path(tempfile.mkdtemp(prefix="longcase-crash-"))
    folder.chmod(0o755)  # root lends Postgres the user `nobody`
    wrong: list[str] = []
    try:
        told = {
            "seed": seed,
            "cases": wishes.cases,
            "seconds": wishes.minutes * 60,
            "begin": monday().isoformat(),
            "rounds": wishes.rounds,
            "small": wishes.small,
        }
        runs = [("undisturbed", 0), ("under blows", wishes.blows)]
        for name, blows in runs[wishes.alone :]:
            print(f"{name.capitalize()}:", flush=True)
            report = run(folder / name.replace(" ", "-"), blows=blows, **told)
            show(report)
            wrong += [f"{name}: {finding}" for finding in report["findings"]]
            if wrong:
                break
        else:
            wrong += [] if wishes.alone else compare(folder)
    except KeyboardInterrupt:
        wrong.append("Interrupted.")
    for finding in wrong[:60]:
        print(f"WRONG {finding}")
    if len(wrong) > 60:
        print(f"… and {len(wrong) - 60} more.")
    if wrong:
        print(f"{len(wrong)} findings. Again: make crash ARGS='--seed {seed}'. Kept: {folder}")
        return 1
    same = "" if wishes.alone else "; every history tells the same story"
    print(f"Nothing was stuck, lost or doubled{same}. Seed {seed}.")
    if not wishes.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m crash", description=__doc__)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, help="drawn and printed unless given")
    parser.add_argument("--minutes", type=float, default=3.5, help="of blows")
    parser.add_argument("--blows", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=75, help="of two days, at most")
    parser.add_argument("--small", action="store_true", help="as few processes as it can be")
    parser.add_argument(
        "--alone", action="store_true", help="no undisturbed run to compare the histories with"
    )
    parser.add_argument("--keep", action="store_true", help="keep the folder also when all is well")
    return parser.parse_args(arguments)


def monday() -> datetime:
    """The Monday on which both runs begin, at least a day ahead of both."""
    ahead = datetime.now(UTC) + timedelta(days=1)
    day = ahead.date() + timedelta(days=(7 - ahead.weekday()) % 7 or 7)
    return datetime(day.year, day.month, day.day, 7, tzinfo=UTC)


def run(folder: Path, **told: Any) -> dict[str, Any]:
    """One run, in a process of its own: settings are read once a process."""
    folder.mkdir()
    folder.chmod(0o755)
    environ = {**os.environ, "CRASH_RUN": json.dumps({**told, "folder": str(folder)})}
    with (folder / "run.log").open("wb") as log:
        running = subprocess.Popen([sys.executable, "-m", "crash.run"], env=environ, stderr=log)
        try:
            running.wait()
        except KeyboardInterrupt:
            running.terminate()
            running.wait(30)
            raise
    path = folder / "report.json"
    if not path.exists():
        tail = (folder / "run.log").read_text(errors="replace")[-3000:]
        return {"findings": [f"The run broke off:\n{tail}"]}
    return json.loads(path.read_text())


def compare(folder: Path) -> list[str]:
    before, after = (
        json.loads((folder / name / "histories.json").read_text())
        for name in ("undisturbed", "under-blows")
    )
    return list(differences(before, after))


def show(report: dict[str, Any]) -> None:
    if "seconds" not in report:
        return
    print(
        f"  {report['cases']} cases in {report['rounds']} rounds and {report['seconds']:.0f} s "
        f"({report['prepared_seconds']:.0f} s to begin): "
        f"{report['acts']} acts, {report['events']} events, {report['effects']} effects, "
        f"{report['letters']} letters, {report['attempts_lost']} attempts lost, "
        f"{report['attempts_failed']} failed; acts found done after a lost answer: "
        f"{report['found']}."
    )
    print(f"  outcomes: {', '.join(f'{n} {w}' for w, n in sorted(report['outcomes'].items()))}")
    if report["blows"]:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(report["blows"].items()))
        print(f"  blows: {kinds}")
        ends = ", ".join(f"{name} {count}" for name, count in sorted(report["ends"].items()))
        print(f"  ends of processes, named places included: {ends}")
    if report["incidents"]:
        print(f"  incidents, tried again by an operator: {report['incidents']}")
    for count, seconds, start in report["moving"]:
        when = f"after {seconds:.1f} s" if seconds is not None else "not within 20 s"
        of_that = f", {start:.1f} s of it until a new worker was there" if start else ""
        print(f"  all workers killed with {count} cases in hand: slowest moving {when}{of_that}")


if __name__ == "__main__":
    began = time.monotonic()
    code = main()
    print(f"({time.monotonic() - began:.0f} s)")
    sys.exit(code)
