"""The kinds that are measured start as any other: what the checks refuse would stop the bench."""

from __future__ import annotations

import os
import subprocess
import sys

from config.environment import CHECKOUT


def test_the_measured_kinds_pass_the_checks() -> None:
    run = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=CHECKOUT,
        env={**os.environ, "LONGCASE_KINDS": "bench.kind"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
