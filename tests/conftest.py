"""What every test may rely on. Fixtures live in `tests/fixtures/`, one module a subject."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.db.backends.postgresql.operations import DatabaseOperations

pytest_plugins = [
    f"tests.fixtures.{path.stem}"
    for path in sorted((Path(__file__).parent / "fixtures").glob("*.py"))
    if path.stem != "__init__"
]

RECORDED_DATA = Path(
    os.environ.get("LONGCASE_RECORDED_DATA")
    or Path(__file__).resolve().parents[1].parent / "shared" / "data"
)


def pytest_configure(config: pytest.Config) -> None:
    from django.conf import settings

    # Tests log in often; a slow hash would be most of their time.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.STORAGES["staticfiles"] = {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
    }
    flush_past_append_only()


def flush_past_append_only() -> None:
    """Let a transactional test clean up after itself.

    The database refuses to truncate the history. The shipped schema has no back door for that,
    so the tests' superuser switches triggers off for the one statement that empties the tables.
    """
    original = DatabaseOperations.execute_sql_flush

    def execute_sql_flush(self: DatabaseOperations, sql_list: list[str]) -> None:
        with transaction.atomic(using=self.connection.alias):
            with self.connection.cursor() as cursor:
                cursor.execute("SET LOCAL session_replication_role = 'replica'")
            original(self, sql_list)

    DatabaseOperations.execute_sql_flush = execute_sql_flush  # type: ignore[method-assign]


@pytest.fixture(scope="session")
def recorded_data() -> Path:
    """The folder of recorded cases; tests that need it are skipped, and say so, without it."""
    if not RECORDED_DATA.is_dir():
        pytest.skip(f"needs the recorded data: set LONGCASE_RECORDED_DATA (not in {RECORDED_DATA})")
    return RECORDED_DATA


@pytest.fixture(autouse=True)
def own_storage(settings: Any, tmp_path: Path) -> None:
    """Documents of a test are its own."""
    settings.MEDIA_ROOT = tmp_path / "documents"
