"""Is the history of one case intact? What its pages say of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from audit import against, scan
from audit.chain import GENESIS
from audit.models import Anchor
from audit.verify import Finding, verify_case
from cases.models import Case

AT_ONCE = 2000  # events that a page hashes: of a longer history what no anchor holds yet, or none


@dataclass(frozen=True, slots=True)
class Checked:
    """What was hashed of a history, and the first thing that is wrong with it."""

    events: int  # that the history has
    first: int  # from here on they were hashed; before lies what the anchor holds
    finding: Finding | None
    anchored: int  # up to this event the newest anchor that saw it move holds it
    anchor_number: int | None
    is_left: bool = False  # nothing was hashed, because it is long

    @property
    def hashed(self) -> int:
        return 0 if self.is_left else max(self.events - self.first + 1, 0)

    @property
    def anchor(self) -> Anchor | None:
        """The newest anchor that saw it move."""
        return Anchor.objects.filter(number=self.anchor_number).first()

    @property
    def is_whole(self) -> bool:
        return self.first == 1


def checked(case: Case, *, whole: bool = False) -> Checked:
    """Hash the history of a case and compare it with the anchors. A long one is hashed from the
    newest anchor on, and not at all where that is long too, unless the `whole` is asked for."""
    held, fits = against.held_and_fits(case.pk)
    last = held[-1] if held else None
    start: tuple[int, bytes] = (0, GENESIS)
    if last is not None and not whole and case.head_number > AT_ONCE:
        start = (last.number, last.hash)
    finding = None if fits else next(against.against_own(cases=[case.pk]), None)
    is_left = not whole and case.head_number - start[0] > AT_ONCE
    if finding is None and not is_left:
        finding = _chain(case, start)
    return Checked(
        events=case.head_number,
        first=start[0] + 1,
        finding=finding,
        anchored=last.number if last else 0,
        anchor_number=last.anchor if last else None,
        is_left=is_left,
    )


def _chain(case: Case, start: tuple[int, bytes]) -> Finding | None:
    ends: Any = start
    for chain in scan.tails({case.pk: start}):
        ends = (chain.number, chain.hash) if chain.is_sound else None
    head = (case.head_number, bytes(case.head_hash))
    return None if ends == head else verify_case(case.pk, *head)
