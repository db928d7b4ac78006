"""Before a release: would every open case go on with the code as it stands?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from audit.read import events_of
from cases.models import Case
from processes.engine.errors import ReplayMismatch
from processes.engine.replay import replayed
from processes.engine.stopping import describe, place_of
from processes.kinds import NoSuchKind, kind_of

FINE, DIFFERS, UNKNOWN = "fine", "differs", "unknown"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What replay says of one open case."""

    reference: str
    step: str
    verdict: str  # fine, differs, unknown
    number: int = 0  # the event at which it differs
    words: str = ""
    place: str = ""  # file and line


def check_open_cases(*, kind: str = "", chunk: int = 500) -> Iterator[Verdict]:
    """Replay each open case from its checkpoint, read-only."""
    cases = Case.objects.filter(closed_at=None).exclude(visit=0)
    if kind:
        cases = cases.filter(kind=kind)
    for case in cases.order_by("pk").iterator(chunk_size=chunk):
        yield check_case(case)


def check_case(case: Case) -> Verdict:
    """Replay one open case from its checkpoint on the code as it stands."""
    visit = events_of(case.pk, after=case.entered_number - 1)
    try:
        kind = kind_of(case.kind)
        if kind.code_of(case.step, case.step_version) is None and not case.code_digest:
            return Verdict(case.reference, case.step, FINE)
        runner = replayed(kind, case, visit)
    except ReplayMismatch as mismatch:
        words = f"expected {mismatch.expected}, the code asks {mismatch.came}"
        return Verdict(case.reference, case.step, DIFFERS, mismatch.number, words, mismatch.place)
    except (LookupError, NoSuchKind) as error:
        return Verdict(case.reference, case.step, UNKNOWN, words=str(error))
    except Exception as error:
        return Verdict(
            case.reference, case.step, UNKNOWN, words=describe(error), place=place_of(error)
        )
    last = visit[-1].number
    try:
        if runner.issued:
            asked = runner.issued[0]
            words = f"the history waits here, the code goes on and asks {asked.words()}"
            return Verdict(case.reference, case.step, DIFFERS, last, words, runner.place())
        if runner.error is not None and case.stopped_at is None:
            words, place = describe(runner.error), place_of(runner.error)
            return Verdict(case.reference, case.step, DIFFERS, last, words, place)
        if runner.is_done and runner.error is None and case.stopped_at is None:
            words = "the history waits here, the code is through"
            return Verdict(case.reference, case.step, DIFFERS, last, words)
    finally:
        runner.close()
    return Verdict(case.reference, case.step, FINE)
