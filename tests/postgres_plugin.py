"""Which kinds our own tests install, and their Postgres; loaded by `-p` before Django is set up."""

import os
import sys
from pathlib import Path

from processes.testing import database

COMPILED = Path(__file__).resolve().parents[1] / "build" / "pycache"


def prepare() -> None:
    """Set the environment that settings read."""
    kinds = ("loan", "permit", "claim", "onboarding", "enforcement")
    os.environ["LONGCASE_KINDS"] = ",".join(
        [*(f"processes.{kind}" for kind in kinds), "tests.trial"]
    )
    compile_once()
    database.prepare()


def compile_once() -> None:
    """Where Python may not keep compiled modules beside the sources, keep them in a folder of the
    tests': they start some hundred processes, and to compile all that one loads takes seconds."""
    if sys.dont_write_bytecode:
        sys.dont_write_bytecode, sys.pycache_prefix = False, str(COMPILED)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # processes inherit both
        os.environ["PYTHONPYCACHEPREFIX"] = str(COMPILED)


prepare()
