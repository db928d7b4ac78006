"""Drafts of forms: what somebody types is kept on the server until they send it.

A draft belongs to one person and to the address of one form. Nobody else reads it; it is no part
of a case's history, and is gone once the form was carried out, or a month later.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from cases.errors import Invalid
from cases.models.draft import Draft
from cases.models.person import Person
from timers import clock

KEPT = timedelta(days=30)
CHARACTERS = 100_000  # of one form, as JSON
ADDRESS_CHARACTERS = 300
# What belongs to one render of a form, or to nobody's draft.
NEVER_KEPT = frozenset({"csrfmiddlewaretoken", "key", "for", "seen", "password", "draft_of"})


def save(person: Person, address: str, data: Mapping[str, Any]) -> Draft | None:
    """Keep what somebody typed into the form at this address. Nothing typed keeps nothing.

    Raises Invalid when it is too long to keep.
    """
    kept = {
        name: value for name, value in data.items() if name not in NEVER_KEPT and _is_typed(value)
    }
    if len(address) > ADDRESS_CHARACTERS or "\0" in address:
        raise Invalid("There is no form at an address this long.")
    if not kept:
        drop(person, address)
        return None
    text = json.dumps(kept, ensure_ascii=False)
    if len(text) > CHARACTERS or "\\u0000" in text:
        raise Invalid(
            f"This is too long to keep as a draft (at most {CHARACTERS:,} characters). It is not "
            "lost while the page stays open."
        )
    draft, _is_new = Draft.objects.update_or_create(
        person=person, address=address, defaults={"data": kept, "saved_at": clock.now()}
    )
    return draft


def _is_typed(value: Any) -> bool:
    values = value if isinstance(value, (list, tuple)) else [value]
    return any(str(one).strip() for one in values)


def load(person: Person, address: str) -> Draft | None:
    """What this person had typed into the form at this address, if anything."""
    return Draft.objects.filter(person=person, address=address).first()


def drop(person: Person, address: str) -> None:
    """Forget a draft: its form was carried out, or its writer threw it away."""
    Draft.objects.filter(person=person, address=address).delete()


def forget_old() -> int:
    """Drop drafts that nobody came back to for a month. Run by the timer service."""
    dropped, _ = Draft.objects.filter(saved_at__lt=clock.now() - KEPT).delete()
    return dropped
