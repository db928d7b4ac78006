"""Merkle trees as RFC 6962 (section 2.1) has them: SHA-256, 0x00 before a leaf, 0x01 before a pair.

A tree of n leaves is split at the largest power of two below n. `Tree` keeps each level, so that
a path costs nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

EMPTY = sha256(b"").digest()


def leaf(content: bytes) -> bytes:
    return sha256(b"\0" + content).digest()


def node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


class Tree:
    """The tree over these leaves' hashes, in this order."""

    __slots__ = ("levels",)

    def __init__(self, leaves: Iterable[bytes]) -> None:
        level = list(leaves)
        self.levels = [level]
        # Pairing from the left, with a last one that has no partner carried up as it is, gives
        # the same tree as splitting at powers of two.
        while len(level) > 1:
            above = [
                sha256(b"\1" + level[at] + level[at + 1]).digest()
                for at in range(0, len(level) - 1, 2)
            ]
            if len(level) % 2:
                above.append(level[-1])
            self.levels.append(above)
            level = above

    @property
    def root(self) -> bytes:
        return self.levels[-1][0] if self.levels[0] else EMPTY

    def path(self, index: int) -> list[bytes]:
        """What is hashed with leaf `index`, from the bottom up, until the root comes out."""
        if not 0 <= index < len(self.levels[0]):
            raise IndexError(f"There are {len(self.levels[0])} leaves; none has place {index}.")
        found = []
        for level in self.levels[:-1]:
            partner = index ^ 1
            if partner < len(level):
                found.append(level[partner])
            index //= 2
        return found


def root_of(leaf_hash: bytes, index: int, count: int, path: Sequence[bytes]) -> bytes | None:
    """The root to which this path leads from leaf `index` of `count`; None if it has not the
    length of such a path."""
    rest = list(path)
    found, last = leaf_hash, count - 1
    if not 0 <= index < count:
        return None
    while last:
        if index % 2 or index < last:
            if not rest:
                return None
            other = rest.pop(0)
            found = node(other, found) if index % 2 else node(found, other)
        index //= 2
        last //= 2
    return None if rest else found
