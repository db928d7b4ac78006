"""Bring a database and the static files up to this code: `python -m config.prepare [--demo]`.

Safe to run at every start and on several machines at once: one works, the others wait and find
nothing left to do.
"""

import hashlib
import os
import sys
from pathlib import Path

NOT_SERVED = ["rest_framework"]  # pages of its own that the API does not show


def main(arguments: list[str]) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command, get_commands
    from django.db import connection

    from config.broker import install_pgmq

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtext('longcase.prepare'))")
    call_command("migrate", interactive=False, verbosity=0)
    if settings.CELERY_BROKER_URL.startswith("pgmq"):
        install_pgmq(connection)
    refuse_missing_keys()
    refuse_missing_versions()
    fill_search()
    collect_static()
    if "--demo" in arguments:
        if "demo" in get_commands():
            call_command("demo", "--if-empty")
        else:
            print("There is no command `demo` yet: no people and cases were loaded.")
    connection.close()  # and with it the lock


def refuse_missing_keys() -> None:
    """End here when histories could not be sealed, or not be read."""
    from audit import checks

    if why := checks.missing():
        sys.exit(f"This installation may not start. {why}")


def refuse_missing_versions() -> None:
    """End here, naming them, when open cases stand in code that this release does not have."""
    from processes.engine import versions

    missing = versions.missing()
    if missing:
        sys.exit("\n".join(["This release may not start.", *(one.sentence for one in missing)]))


def fill_search() -> None:
    """Let cases be found that were there before there was anything to find them by."""
    from processes.engine import findable

    if findable.is_never_built():
        for _reference in findable.rebuild():
            pass


def collect_static() -> None:
    """Collect the static files, unless none has changed since the last time."""
    from django.conf import settings
    from django.contrib.staticfiles.finders import get_finders
    from django.core.management import call_command

    seen = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list(NOT_SERVED):
            full = Path(storage.path(path))
            status = full.stat()
            seen.update(f"{full} {status.st_size} {status.st_mtime_ns}\n".encode())
    mark = Path(settings.STATIC_ROOT) / ".collected"
    if mark.exists() and mark.read_text() == seen.hexdigest():
        return
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=NOT_SERVED)
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.write_text(seen.hexdigest())


if __name__ == "__main__":
    main(sys.argv[1:])
