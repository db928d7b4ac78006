#!/usr/bin/env python
"""Longcase's commands: `python manage.py help`."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from django.core.management import execute_from_command_line
        from django.db import OperationalError
    except ImportError:
        sys.exit("Django is not installed here: run `make up`, then .venv/bin/python manage.py")
    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        if os.environ.get("DATABASE_URL") or "connection" not in str(error):
            raise
        sys.exit(f"The database does not answer. Is `make up` running?\n{error}")


if __name__ == "__main__":
    main()
