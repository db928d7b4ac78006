"""A small crash campaign, on an installation of its own. The real one is `make crash`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_a_small_installation_under_blows_loses_and_doubles_nothing() -> None:
    # Given a dozen cases on an installation whose processes are killed at random
    wishes = ["--alone", "--small", "--cases=12", "--rounds=6", "--blows=6", "--minutes=0.2"]
    environ = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}

    # When it has lived through it
    done = subprocess.run(
        [sys.executable, "-m", "crash", *wishes],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=180,
    )

    # Then nothing is wrong; what it printed names the seed
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Nothing was stuck, lost or doubled" in done.stdout
