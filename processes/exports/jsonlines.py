"""JSON lines: everything, exactly, with its proof.

A file for each case, as `audit/bundle.py` writes it: `longcase_verify.py` checks it without
Longcase. `schema/case.schema.json` is the JSON Schema of its lines.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import IO, Any, ClassVar

from django.utils.translation import gettext_lazy as _

from audit.bundle import write_bundle
from audit.codec import utc_text
from audit.opening import data_key
from audit.paths import Paths
from audit.sealing import opened_text
from processes.exports.formats import Asked
from processes.exports.gathering import Gathered
from processes.exports.zips import OneEach
from processes.plain import plain

SCHEMA = Path(__file__).parent / "schema" / "case.schema.json"


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of one line of a case."""
    found: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return found


class JsonLines(OneEach):
    """One JSON object a line."""

    name: ClassVar[str] = "jsonl"
    title: ClassVar[Any] = _("JSON lines: everything, with its proof")
    ending = "jsonl"
    media_type: ClassVar[str] = "application/x-ndjson"

    def __init__(self) -> None:
        self.paths = Paths()  # neighbours share theirs

    def write(self, one: Gathered, out: IO[bytes], asked: Asked) -> None:
        write_bundle(
            one.case.pk,
            out,
            True,
            about=_about(one, asked),
            paths=self.paths,
            opener=opened_text,
            # Without it nobody could tell whether what reads well is what was sealed.
            data_key=data_key(one.case.pk),
        )


def _about(one: Gathered, asked: Asked) -> dict[str, Any]:
    case = one.case
    return {
        "reference": case.reference,
        "kind": case.kind,
        "title": str(case.title),
        "step": str(case.step),
        "opened_at": plain(case.opened_at),
        "closed_at": plain(case.closed_at),
        "outcome": str(case.outcome),
        "caseworker": one.caseworker or None,
        "team": str(case.team) if case.team_id else None,
        "restricted": case.restricted,
        "facts": plain(one.facts()),
        "events": case.head_number,
        "head": bytes(case.head_hash).hex(),
        "exported_at": utc_text(asked.made_at),
        "exported_by": asked.by,
        "reason": asked.reason,
        "export": asked.number,
    }
