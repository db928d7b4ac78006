"""Which kinds our own tests install, and their Postgres; loaded by `-p` before Django is set up."""

import os

from processes.testing import database


def prepare() -> None:
    """Set the environment that settings read."""
    kinds = ("loan", "permit", "claim", "onboarding", "enforcement")
    os.environ["LONGCASE_KINDS"] = ",".join(
        [*(f"processes.{kind}" for kind in kinds), "tests.trial"]
    )
    database.prepare()


prepare()
