"""What the handbook's pages read of cases: how many stand where, for this person's eyes."""

from __future__ import annotations

from typing import Any

from django.db.models import Count

from audit.models import Event
from cases import access
from cases.models import Case, Person
from processes.kinds import Kind
from processes.models import Source


def standing(person: Person, kind: Kind) -> dict[str, int]:
    """Open cases on each step, of those that the person may see."""
    cases = access.visible_cases(person).filter(kind=kind.name, closed_at=None)
    return dict(cases.order_by().values_list("step").annotate(Count("pk")))


def open_by_kind(person: Person) -> dict[str, int]:
    """Open cases of each kind, of those that the person may see."""
    cases = access.visible_cases(person).filter(closed_at=None)
    return dict(cases.order_by().values_list("kind").annotate(Count("pk")))


def standing_in_versions(person: Person, kind: Kind, step: str) -> dict[str, int]:
    """Open cases on a step by the digest of the code under which they entered."""
    cases = access.visible_cases(person).filter(kind=kind.name, step=step, closed_at=None)
    return dict(cases.order_by().values_list("code_digest").annotate(Count("pk")))


def kept_sources(kind: Kind, step: str) -> list[Source]:
    """Each text of a step's code that ever ran here, the newest first."""
    return list(Source.objects.filter(kind=kind.name, step=step).order_by("-kept_at")[:100])


def source_of(digest: str) -> Source | None:
    return Source.objects.filter(digest=digest).first()


def visited(case: Case) -> frozenset[str]:
    """The steps that a case has been on."""
    entries: Any = Event.objects.filter(case_id=case.pk, type="step.entered")
    return frozenset(str(one.data["step"]) for one in entries)
