"""Invisible marks that turn the direction of writing: a name with one reads as another name.

Letters of Hebrew and Arabic go their way without them, so names and titles are kept without.
"""

from __future__ import annotations

# LRE, RLE, PDF, LRO, RLO; LRI, RLI, FSI, PDI
_TURNS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def without_turns(text: str) -> str:
    """The text without marks that turn its direction, or that of what stands beside it."""
    return text if text.isascii() else text.translate(_TURNS)
