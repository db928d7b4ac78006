"""Erasing the people of one case: whether it may be now, and then all of it in one commit.

What is checked is checked under the locks of the case and of those it belongs with, in the commit
that destroys: a hold that was placed a moment ago stops it, a case that was opened again too. The
bytes of documents go after the commit, by work that is found again (`files.py`).
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from audit import keys
from audit.models import Event
from audit.read import events_of
from cases import dates
from cases.actors import Actor
from cases.errors import CaseErased, Refused
from cases.models import (
    Case,
    Destruction,
    Document,
    Erasure,
    Hold,
    Letter,
    Message,
    UploadPart,
)
from processes import retention
from processes.acts import tray
from processes.acts.cases import get_case
from processes.acts.holds import HoldBook, sentence_of
from processes.acts.locking import acting_on
from processes.engine.replay import fold_case
from processes.erasing import registry
from processes.erasing.facts import is_gone, is_personal, placeholder_of
from processes.erasing.loose import messages_of, paths_of_exports
from processes.erasing.registry import Subject
from processes.kinds import kind_of
from processes.models import Activity
from processes.retention import Kept
from timers import clock


class NotErasable(Refused):
    """The case cannot be erased now. A request that stays is tried again."""


class StillOpen(NotErasable):
    """It is open, or one that it belongs with is."""


class StillHeld(NotErasable):
    """A hold stands."""


class StillKept(NotErasable):
    """Its time has not come. `until` is the first day on which it may be erased."""

    def __init__(self, sentence: str, until: date) -> None:
        super().__init__(sentence)
        self.until = until


class StillAtWork(NotErasable):
    """Longcase still does something for it: a letter, a payment."""


@dataclass(frozen=True, slots=True)
class Ground:
    """Why a case is erased, and who decided."""

    what: str  # list, request; apply: again, after a backup was restored
    first_by: str  # an actor
    second_by: str
    basis: str = ""  # of a request; a list rests on the rule by which the case was kept
    destruction: Destruction | None = None
    number: str = ""  # of the certificate, where it is known


def hindrance(case: Case, *, kept: Kept, hold: Hold | None, today: date) -> NotErasable | None:
    """Why this case, loaded as its kind, cannot be erased now; None: it can."""
    if case.closed_at is None or kept.until is None:
        return StillOpen(kept.sentence)
    if hold is not None:
        return StillHeld(sentence_of(hold))
    if not kept.has_come(today):
        return StillKept(kept.sentence, kept.until)
    if Activity.objects.filter(case_id=case.pk).exists():
        return StillAtWork(_("Longcase still does something for it. Try again when it is done."))
    if Letter.objects.filter(case=case, state="due").exists():
        return StillAtWork(_("A letter is still to be sent. Try again when it is."))
    return None


@transaction.atomic
def erase_case(*, case_id: int, ground: Ground) -> Erasure:
    """Erase the people of a case: its key is destroyed, and each place that showed them is
    overwritten. Returns the certificate. Raises StillOpen, StillHeld, StillKept, StillAtWork,
    CaseErased, CaseBusy, NoSuchCase; nothing is changed then."""
    _lock_family(case_id)
    case = get_case(case_id)
    if case.erased_at is not None:
        raise CaseErased(_("%(case)s is erased already.") % {"case": case.reference})
    kept = retention.kept(case)
    today = dates.local_date(clock.now())
    why_not = hindrance(case, kept=kept, hold=HoldBook.now().holding(case), today=today)
    if why_not is not None and not (ground.what == "apply" and isinstance(why_not, StillKept)):
        raise why_not
    try:
        return _erase(case, kept, ground)
    except BaseException:
        keys.forget([case_id])  # it was read as destroyed, and is not
        raise


def _lock_family(case_id: int) -> None:
    """The case and those it belongs with, so that none is opened again meanwhile; in the order of
    their ids, as all locks of cases are taken."""
    family = retention.family_of([case_id]).get(case_id, [])
    ids = sorted({case_id, *(pk for pk, _reference, _is_open in family)})
    list(Case.objects.filter(pk__in=ids).select_for_update(no_key=True).order_by("pk").values("pk"))


def _erase(case: Case, kept: Kept, ground: Ground) -> Erasure:
    certificate = _certificate(case, kept, ground)
    subject = Subject(case)
    assert subject.values is not None and subject.names is not None  # read before they are gone
    engine = Actor("engine", None, ground.second_by)
    with acting_on(case.pk, actor=engine, closed=True, run_code=False) as (turn, run):
        event = turn.record(
            run,
            "case.erased",
            {"certificate": certificate.number, "ground": ground.what, "events": run.head_number},
            actor="engine",
            on_behalf=ground.second_by,
        )
        turn.project(run)
    certificate.event_number = event.number
    keys.destroy([case.pk], at=certificate.erased_at)
    certificate.key_destroyed = True
    certificate.counts = _overwrite(subject)
    certificate.save(update_fields=["event_number", "counts", "key_destroyed"])
    return certificate


def _certificate(case: Case, kept: Kept, ground: Ground) -> Erasure:
    now = clock.now()
    digests = set(Document.objects.filter(case=case).values_list("digest", flat=True))
    for data in Message.objects.filter(messages_of(Subject(case))).values_list("data", flat=True):
        digests |= tray.kept_digests(data)
    parts = UploadPart.objects.filter(upload__case=case)
    year = dates.local_date(now).year
    return Erasure.objects.create(
        number=ground.number or f"ER-{year}-{uuid.uuid4().hex[:8].upper()}",
        case_id=case.pk,
        erased_at=now,
        ground=ground.what,
        basis=ground.basis or str(kept.rule.basis),
        kept_until_date=kept.until,
        first_by=ground.first_by,
        second_by=ground.second_by,
        destruction=ground.destruction,
        event_number=case.head_number + 1,
        events=Event.objects.filter(case_id=case.pk).count(),
        digests=sorted(digests),
        paths=[*parts.values_list("path", flat=True), *paths_of_exports(Subject(case))],
    )


def _overwrite(subject: Subject) -> dict[str, int]:
    """Each table in its order; the facts with the row of the case."""
    counts: dict[str, int] = {}
    for table in registry.tables():
        number = table.erase(subject)
        if table.model == "cases.Case":
            _overwrite_facts(subject.case)
        if number:
            counts[table.model] = number
    return counts


def _overwrite_facts(case: Case) -> None:
    """Those that are personal, and whatever else history has sealed of them: its key is gone, so
    it says which."""
    kind = kind_of(case.kind)
    told = fold_case(case, events_of(case.pk)).facts
    facts = {
        one.attname: placeholder_of(one, getattr(case, one.attname))
        for one in kind.model.fact_fields()
        if is_personal(kind, one) or is_gone(told.get(one.attname))
    }
    Case.objects.filter(pk=case.pk).update(
        erased_at=Erasure.objects.values_list("erased_at", flat=True).get(case=case.pk)
    )
    if facts:
        kind.model.objects.filter(pk=case.pk).update(**facts)


def remains_of(case: Case) -> list[str]:
    """What of an erased case, loaded as its kind, still shows something: table and column. For
    `verify`: there is none."""
    subject = Subject(case)
    return [f"{table.model} {name}" for table in registry.tables() for name in table.left(subject)]


def states_of(cases: Sequence[Case]) -> dict[int, tuple[Kept, Hold | None, NotErasable | None]]:
    """Of each case: until when it is kept, what holds it, and why it cannot be erased now."""
    kept = retention.kept_of(cases)
    book = HoldBook.now()
    today = dates.local_date(clock.now())
    found: dict[int, Any] = {}
    for pk, one in kept.items():
        hold = book.holding(one.case)
        found[pk] = (one, hold, hindrance(one.case, kept=one, hold=hold, today=today))
    return found
