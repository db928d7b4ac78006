"""Proof: anchors of the day and their ways out, checks over all cases, the chain of one case."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cases.models import Case
    from processes.proof.checking import Checked


def checked(case: Case, *, whole: bool = False) -> Checked:
    """Whether the history of a case is intact, for its pages: quickly, or all of it if `whole`.
    `templates/processes/proof/_checked.html` shows it."""
    # Models lie in this package, and it is loaded before there are any.
    from processes.proof.checking import checked

    return checked(case, whole=whole)
