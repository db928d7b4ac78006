"""Longcase as somebody else's project meets it: commands and tests in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
OURS = ("LONGCASE_", "CELERY_", "DJANGO_", "DATABASE_URL", "EMAIL_URL", "STANDINS_", "PYTEST")


def environ_of_others(home: Path, **more: str) -> dict[str, str]:
    """The environment without anything of this run of the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    data = {"LONGCASE_DATA_DIR": str(home / "data"), "LONGCASE_DEMO": "1"}
    return {**kept, "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1", **data, **more}


def run(
    *words: str, home: Path, fails: bool = False, **environ: str
) -> subprocess.CompletedProcess[str]:
    """Run Python with these words from the checkout; its output is in `.stdout`."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=CHECKOUT,
        env=environ_of_others(home, **environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert (done.returncode != 0) is fails, f"{words}:\n{done.stdout}"
    return done


def manage(*words: str, home: Path, **options: str) -> str:
    return run("-W", "ignore", "manage.py", *words, home=home, **options).stdout


def pytest(*words: str, home: Path, fails: bool = False) -> str:
    more = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    return run(*more, *words, home=home, fails=fails).stdout
