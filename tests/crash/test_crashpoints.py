"""The named places at which a process dies by chance."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FORKS = """
import os
from processes.work import crashpoint
ends = []
for _ in range(40):
    pid = os.fork()
    if not pid:
        crashpoint.reach("perform.done")
        os._exit(0)
    ends.append(os.waitpid(pid, 0)[1])
print(sum(end == 9 for end in ends))
"""


def run(code: str, crash: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "LONGCASE_CRASH": crash},
        capture_output=True,
        text=True,
        timeout=30,
    )


def test_each_forked_worker_has_a_chance_of_its_own() -> None:
    # Given a parent whose children inherit all that it has drawn
    died = int(run(FORKS, "perform.done=0.5;seed=1").stdout)

    # Then some die and some live, where all would do the same with their parent's chance
    assert 0 < died < 40


def test_an_unknown_place_is_refused_by_name() -> None:
    done = run("import processes.work.crashpoint", "drain.nowhere=1")
    assert done.returncode != 0
    assert "drain.nowhere" in done.stderr and "drain.committed" in done.stderr
