"""What can be known of tables at start: `manage.py check` looks for gaps and contradictions."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error, Warning, register

from processes.decisions.library import known_tables
from processes.decisions.sound import findings


@register("processes")
def check_tables(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Each version of each table: an answer for all that can occur, and only one."""
    found: list[CheckMessage] = []
    for table in known_tables():
        for version in table.versions:
            for one in findings(version):
                line = f", line {one.line}" if one.line else ""
                words = f"{version.file}{line}: {version}: {one.words}."
                kind, number = (Error, "E030") if one.grave else (Warning, "W030")
                found.append(kind(words, id=f"processes.{number}"))
    return found
