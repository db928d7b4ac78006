"""Python's collector of cycles, in processes that make and drop many objects a second."""

from __future__ import annotations

import gc

YOUNG = 50_000  # objects made before it looks; Python's own 700 suits scripts


def settle() -> None:
    """Leave alone what was loaded at the start, and look more rarely at what is new.

    Otherwise a tenth of a busy worker's time goes into looking at Django's modules.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 20, 50)
