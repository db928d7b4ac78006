"""That a file was given out, told to the log of what was read."""

from __future__ import annotations

from audit import reads
from cases.models import Export, ExportCase


def note(export: Export) -> None:
    """This export is being given to whoever asked for it: its digest, and each case in it."""
    reads.of_file(export.digest)
    held = ExportCase.objects.filter(export=export).order_by("place")
    reads.also(held.values_list("case", flat=True).iterator(chunk_size=10_000))
