"""Which kinds our own tests install, and their Postgres; loaded by `-p` before Django is set up."""

import os

from processes.testing import database


def prepare() -> None:
    """Set the environment that settings read."""
    os.environ["LONGCASE_KINDS"] = (
        "processes.loan,processes.permit,processes.enforcement,tests.trial"
    )
    database.prepare()


prepare()
