"""Which kinds our own tests install, and their Postgres; loaded by `-p` before Django is set up."""

import os

from processes.testing import database


def prepare() -> None:
    """Set the environment that settings read."""
<<<<<<< HEAD
    os.environ["LONGCASE_KINDS"] = (
        "processes.loan,processes.permit,processes.enforcement,tests.trial"
    )
    database.prepare()
=======
    global running
    data = Path(tempfile.mkdtemp(prefix="longcase-test-data-"))
    (data / "static").mkdir()  # whitenoise looks for it
    atexit.register(shutil.rmtree, data, ignore_errors=True)
    os.environ["LONGCASE_DATA_DIR"] = str(data)
    os.environ.setdefault("LONGCASE_SECRET_KEY", "tests-have-no-secrets-" + "x" * 40)
    os.environ["LONGCASE_TLS"] = "0"
    os.environ["LONGCASE_KINDS"] = (
        "processes.loan,processes.onboarding,processes.enforcement,tests.trial"
    )
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
>>>>>>> 9a547e8 (onboarding: Take customers and suppliers from the first checks to the end of the file.)


prepare()
