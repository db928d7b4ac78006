"""That a file was given out, told to the log of what was read."""

from __future__ import annotations

from cases.models import Export


def note(export: Export) -> None:
    """This export is being given to whoever asked for it. Its row and `ExportCase` tell who, when
    and which cases until the read log takes it."""
