"""One number for what a run has made of its cases: two runs are equal if their digests are."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from audit import codec
from audit.models import Event
from cases.models import Case
from processes.kinds import kind_of


def digest_of(sources: Sequence[str]) -> str:
    """SHA-256 over each case's key, step, outcome and facts, and the types and moments of its
    events. References and row numbers are left out: they depend on what else a database held."""
    whole = hashlib.sha256()
    wanted = Case.objects.filter(source__in=sources).exclude(source_key="")
    for kind in sorted(set(wanted.values_list("kind", flat=True))):
        model = kind_of(kind).model
        names = [f.attname for f in model.fact_fields() if not f.is_relation]
        cases = model.objects.filter(source__in=sources).order_by("source", "source_key")
        for case in cases.iterator(chunk_size=500):
            facts = {name: getattr(case, name) for name in names}
            stood = {"step": case.step, "outcome": case.outcome, "facts": facts}
            whole.update(f"{case.source}/{case.source_key}\n{codec.encode(stood)}\n".encode())
            events = Event.objects.filter(case_id=case.pk).order_by("number")
            for type_, at in events.values_list("type", "recorded_at"):
                whole.update(f"{type_} {at.timestamp()}\n".encode())
    return whole.hexdigest()
