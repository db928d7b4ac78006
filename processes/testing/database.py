"""A Postgres of the tests' own, started before Django reads its settings.

Temporary folder, own socket, no fsync: it meets no other Postgres of the machine.
`LONGCASE_TEST_DATABASE_URL` names another server instead; its user must be a superuser.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class TestDatabase:
    """Runs for one session of pytest; workers of xdist take the address from their parent."""

    __test__ = False  # for pytest: its name is no test's

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


_prepared: set[str] = set()


def prepare() -> None:
    """Set the environment that settings read, once a process: a folder, a database, no world."""
    if _prepared:
        return
    _prepared.add("yes")
    data = Path(tempfile.mkdtemp(prefix="longcase-test-data-"))
    (data / "static").mkdir()  # whitenoise looks for it
    atexit.register(shutil.rmtree, data, ignore_errors=True)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["LONGCASE_DATA_DIR"] = str(data)
    os.environ.setdefault("LONGCASE_SECRET_KEY", "tests-have-no-secrets-" + "x" * 40)
    os.environ.setdefault("LONGCASE_MASTER_KEYS", "tests:" + "dGVz" * 10 + "dGU=")
    os.environ["LONGCASE_TLS"] = "0"
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


def settle_settings() -> None:
    """What tests need otherwise than an installation."""
    from django.conf import settings

    # Tests log in often; a slow hash would be most of their time.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.STORAGES["staticfiles"] = {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
    }
    flush_past_append_only()


def flush_past_append_only() -> None:
    """Let a transactional test clean up after itself, and quickly.

    The database refuses to truncate the history. The shipped schema has no back door for that,
    so the tests' superuser switches triggers off for the one statement that empties the tables.
    """
    from django.db import transaction
    from django.db.backends.postgresql.operations import DatabaseOperations
    from django.test import TransactionTestCase

    original: Any = DatabaseOperations.execute_sql_flush

    def execute_sql_flush(self: Any, sql_list: list[str]) -> None:
        with transaction.atomic(using=self.connection.alias):
            with self.connection.cursor() as cursor:
                cursor.execute("SET LOCAL session_replication_role = 'replica'")
            original(self, sql_list)

    DatabaseOperations.execute_sql_flush = execute_sql_flush
    TransactionTestCase._fixture_teardown = lambda self: empty_tables()


# What Django's own `flush` would make anew after each test, always the same.
KEPT = ("django_content_type", "auth_permission")
# Of the tables that a test has filled, a small one is emptied without new files for it and its
# indexes. The lock lets whatever still writes, such as a worker just killed, come to its end first.
EMPTY = """
DO $$
DECLARE
  name text;
BEGIN
  SET LOCAL session_replication_role = 'replica';
  LOCK TABLE {tables} IN EXCLUSIVE MODE;
  FOREACH name IN ARRAY string_to_array('{tables}', ', ') LOOP
    IF pg_relation_size(name) > 262144 THEN
      EXECUTE 'TRUNCATE ' || name || ' CASCADE';
    ELSE
      EXECUTE 'DELETE FROM ' || name;
    END IF;
  END LOOP;
END $$
"""


def empty_tables() -> None:
    """Take every row away that a test may have written."""
    from django.db import connection

    from audit import keys

    keys.forget()
    names = connection.introspection.django_table_names(include_views=False)
    tables = ", ".join(f'"{name}"' for name in sorted(names) if name not in KEPT)
    with connection.cursor() as cursor:
        cursor.execute(EMPTY.format(tables=tables))
