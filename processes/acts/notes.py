"""Notes on a case."""

from __future__ import annotations

from cases import access
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed
from cases.models import Note
from processes.acts.locking import acting_on


def add_note(*, case_id: int, text: str, actor: Actor) -> Note:
    """Keep a remark with the case, open or closed. Raises Invalid, NotAllowed."""
    text = text.strip()
    if not text or "\0" in text:
        raise Invalid("Write the note first.", {"text": "The note is empty."})
    if len(text) > 20_000:
        raise Invalid("A note has at most 20,000 characters.", {"text": "Too long."})
    if actor.person is None:
        raise NotAllowed("Only a person writes notes.")
    with acting_on(case_id, actor=actor, closed=True) as (turn, run):
        access.require(actor, "note case", run.case)
        event = turn.record(
            run, "note.added", {"text": text}, actor=actor.code, on_behalf=actor.on_behalf
        )
        turn.project(run)
        return Note.objects.create(
            case_id=case_id,
            number=event.number,
            author=actor.person,
            text=text,
            written_at=turn.now,
        )
