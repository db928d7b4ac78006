"""What the page of a case, and the API, say of how long it is kept, of holds and of its erasure."""

from __future__ import annotations

from typing import Any

from cases import access
from cases.models import Case, Client, Person
from cases.queries import people_named
from cases.words import Words
from processes import retention
from processes.acts.destructions import certificate_of
from processes.acts.holds import HoldBook, holds_about, sentence_of
from processes.kinds import kind_of


def of_head(case: Case, person: Person) -> dict[str, Any]:
    """For every page of a case: that it is erased, or held. Its row says so already."""
    if case.erased_at is not None:
        return {"certificate": certificate_of(case)}
    held = getattr(case, "is_held", False)
    return {"held": held and access.may(person, "see retention", case)}


def of_page(case: Case, person: Person) -> dict[str, Any] | None:
    """For its first page, for those who may see it: until when a closed case is kept, and what
    holds it, or held it."""
    if case.erased_at is not None or not access.may(person, "see retention", case):
        return None
    may_hold = access.may(person, "hold case")
    if case.is_open and not (may_hold or getattr(case, "is_held", False)):
        return None
    concerned = holds_about(case)
    hold = HoldBook.of(concerned).holding(case)
    own = [one for one in concerned if one.case_id == case.pk]
    words = Words(kind_of(case.kind), people=people_named([one.placed_by for one in own]))
    return {
        "sentence": retention.kept(case).sentence,
        "held_with": sentence_of(hold) if hold is not None and hold not in own else "",
        "holds": [(one, words.actor(one.placed_by)) for one in own],
        "may_hold": may_hold,
    }


def erased(case: Case) -> dict[str, Any]:
    """For programs: when the case was erased, and under which certificate."""
    found = certificate_of(case)
    return {
        "erased_at": case.erased_at,
        "certificate": found.number if found is not None else None,
    }


def as_data(case: Case, who: Person | Client) -> dict[str, Any] | None:
    """For programs: until when it is kept and why, and whether a hold stands. None of an erased
    case, and for those who may not see it."""
    if case.erased_at is not None:
        return None
    if isinstance(who, Person) and not access.may(who, "see retention", case):
        return None
    kept = retention.kept(case)
    return {
        "kept_until": kept.until,
        "explanation": kept.sentence,
        "is_held": HoldBook.now().holding(case) is not None,
    }
