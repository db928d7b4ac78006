"""The text of each step's code, kept by digest when a case enters it."""

from __future__ import annotations

from django.db import transaction

from processes.engine.runner import StepCode
from processes.models import Source
from timers import clock

_kept: set[str] = set()  # digests this process knows to be in the database


def keep(code: StepCode) -> None:
    """Keep a step's text, once. In the caller's transaction."""
    if code.digest in _kept:
        return
    Source.objects.bulk_create(
        [
            Source(
                digest=code.digest,
                kind=code.kind,
                step=code.step,
                version=code.version,
                file=code.file,
                line=code.line,
                text=code.text,
                kept_at=clock.now(),
            )
        ],
        ignore_conflicts=True,
    )
    transaction.on_commit(lambda: _kept.add(code.digest))
