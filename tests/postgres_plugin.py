"""A Postgres of the tests' own, started before Django reads its settings.

Loaded by `-p` (see pyproject.toml). Temporary folder, own socket, no fsync: it meets no other
Postgres of the machine. `LONGCASE_TEST_DATABASE_URL` names another server instead; its user
must be a superuser.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class TestDatabase:
    """Runs for one session of pytest; workers of xdist take the address from their parent."""

    def __init__(self) -> None:
        from config.postgres import Postgres

        self.folder = Path(tempfile.mkdtemp(prefix="longcase-test-"))
        self.folder.chmod(0o755)  # root lends Postgres the user `nobody`
        self.postgres = Postgres(
            data=self.folder, settings=FAST, init_options=("--no-sync",), tell=lambda line: None
        )
        self.postgres.start()

    def url(self) -> str:
        return self.postgres.url(user="postgres", name="longcase")

    def stop(self) -> None:
        self.postgres.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


running: TestDatabase | None = None


def prepare() -> None:
    """Set the environment that settings read."""
    global running
    data = Path(tempfile.mkdtemp(prefix="longcase-test-data-"))
    (data / "static").mkdir()  # whitenoise looks for it
    atexit.register(shutil.rmtree, data, ignore_errors=True)
    os.environ["LONGCASE_DATA_DIR"] = str(data)
    os.environ.setdefault("LONGCASE_SECRET_KEY", "tests-have-no-secrets-" + "x" * 40)
    os.environ["LONGCASE_TLS"] = "0"
    os.environ["LONGCASE_KINDS"] = "processes.loan,processes.enforcement,tests.trial"
    os.environ["LONGCASE_DEMO"] = "0"
    os.environ["CELERY_BROKER_URL"] = "memory://"
    os.environ["EMAIL_URL"] = "memory:"
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright runs a loop beside the ORM
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    chosen = os.environ.get("LONGCASE_TEST_DATABASE_URL")
    if not chosen:
        running = TestDatabase()
        atexit.register(running.stop)  # also when pytest ends before its first test
        chosen = running.url()
    os.environ["DATABASE_URL"] = chosen


prepare()
