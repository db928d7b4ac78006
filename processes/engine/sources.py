"""The texts that decide, kept by digest: a step's code when a case enters it, a decision table
when it answers."""

from __future__ import annotations

from django.db import transaction

from processes.decisions.tables import TableVersion
from processes.engine.runner import StepCode
from processes.models import Source
from timers import clock

_kept: set[str] = set()  # digests this process knows to be in the database


def keep(code: StepCode) -> None:
    """Keep a step's text, once. In the caller's transaction."""
    if code.digest not in _kept:
        _keep(
            Source(
                digest=code.digest,
                kind=code.kind,
                step=code.step,
                version=code.version,
                file=code.file,
                line=code.line,
                text=code.text,
            )
        )


def keep_table(table: TableVersion, *, owner: str) -> None:
    """Keep the text of a decision table that decided, once. In the caller's transaction.

    It has no step, and its number is the place of its digest alone: a table's version is a text.
    """
    if table.digest not in _kept:
        _keep(
            Source(
                digest=table.digest,
                kind=owner[:40],
                step="",
                version=0,
                file=table.file,
                line=1,
                text=table.text,
            )
        )


def _keep(source: Source) -> None:
    source.kept_at = clock.now()
    Source.objects.bulk_create([source], ignore_conflicts=True)
    transaction.on_commit(lambda: _kept.add(source.digest))
