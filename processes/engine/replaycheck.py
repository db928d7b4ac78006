"""Would a case go on with the code as it stands? Replay says, and writes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from django.db import connection
from django.db.models import QuerySet

from audit.read import events_of, events_since
from audit.record import Recorded
from cases.models import Case
from processes.engine.errors import ReplayMismatch
from processes.engine.replay import replayed
from processes.engine.runner import Runner
from processes.engine.stopping import describe, place_of
from processes.engine.visits import parked_from
from processes.kinds import NoSuchKind, kind_of

FINE, DIFFERS, UNKNOWN = "fine", "differs", "unknown"
BATCH = 200  # cases whose events are read with one query


@dataclass(frozen=True, slots=True)
class Verdict:
    """What replay says of one open case."""

    case_id: int
    reference: str
    kind: str
    step: str
    version: int  # of the step's code that was asked
    verdict: str  # fine, differs, unknown
    sentence: str = ""  # what differs, at which event, at which line
    number: int = 0  # the event at which it differs
    place: str = ""  # file and line
    changes: dict[str, bool] = field(default_factory=dict)  # what changed() gave, by name


def open_cases(*, kind: str = "", step: str = "", reference: str = "") -> QuerySet[Case]:
    """The cases that have entered a step and are open; some of them where asked for."""
    wanted = {"kind": kind, "step": step, "reference": reference}
    found = Case.objects.filter(closed_at=None, visit__gt=0)
    return found.filter(**{name: value for name, value in wanted.items() if value})


def check_open_cases(*, kind: str = "", step: str = "", reference: str = "") -> Iterator[Verdict]:
    """Replay each open case from its checkpoint, in this process, in the order of their ids."""
    cases = open_cases(kind=kind, step=step, reference=reference).order_by("pk")
    last = 0
    while ids := list(cases.filter(pk__gt=last).values_list("pk", flat=True)[:BATCH]):
        yield from check_batch(ids)
        last = ids[-1]


def check_batch(ids: Sequence[int], *, version: int | None = None) -> Iterator[Verdict]:
    """Replay these cases, whose events are read with one query. Closed ones are left out."""
    cases = list(Case.objects.filter(pk__in=ids, closed_at=None, visit__gt=0).order_by("pk"))
    with connection.cursor() as cursor:
        events = events_since(cursor, [(case.pk, case.entered_number) for case in cases])
    for case in cases:
        yield check_visit(case, events[case.pk], version=version)


def check_case(case: Case, *, version: int | None = None) -> Verdict:
    """Replay one open case from its checkpoint on the code as it stands: the version of its step
    that it has, or another one."""
    return check_visit(case, events_of(case.pk, after=case.entered_number - 1), version=version)


def check_visit(case: Case, visit: Sequence[Recorded], *, version: int | None = None) -> Verdict:
    """The verdict on a case whose events since its entry are at hand."""

    def verdict(verdict: str, sentence: str = "", number: int = 0, place: str = "") -> Verdict:
        return Verdict(
            case_id=case.pk,
            reference=case.reference,
            kind=case.kind,
            step=case.step,
            version=version or case.step_version,
            verdict=verdict,
            sentence=f"{sentence} ({place})" if place and place not in sentence else sentence,
            number=number,
            place=place,
            changes=dict(runner.changes) if runner is not None else {},
        )

    runner: Runner | None = None
    try:
        if not case.code_digest:
            words = _without_code(case)
            return verdict(DIFFERS, words) if words else verdict(FINE)
        runner = replayed(kind_of(case.kind), case, visit, version=version)
        is_other = version not in (None, case.step_version)
        number, words, place = (misfit if is_other else difference)(runner, visit)
        return verdict(DIFFERS, words, number, place) if words else verdict(FINE)
    except ReplayMismatch as error:
        return verdict(DIFFERS, differs_at(error), error.number, error.place)
    except (LookupError, NoSuchKind) as error:
        return verdict(UNKNOWN, str(error))
    except Exception as error:
        return verdict(UNKNOWN, describe(error), place=place_of(error))
    finally:
        if runner is not None:
            runner.close()


def differs_at(error: ReplayMismatch) -> str:
    """Where and how the code differs from the history, in one line."""
    return (
        f"differs at event {error.number}: expected {error.expected}, the code asks for "
        f"{error.came} ({error.place})"
    )


def misfit(runner: Runner, visit: Sequence[Recorded]) -> tuple[int, str, str]:
    """As `difference`, for code that a case does not have yet: a stopped one must go on with it."""
    number, words, place = difference(runner, visit)
    if not words and runner.error is not None:
        return number, f"the code fails: {describe(runner.error)}", place_of(runner.error)
    return number, words, place


def difference(runner: Runner, visit: Sequence[Recorded]) -> tuple[int, str, str]:
    """What the code did at the end of its history that history does not tell: (event, words,
    place); no words when they agree. The code of a stopped case may go on from there, or fail
    again as it did."""
    last = visit[-1].number
    if parked_from(visit) is not None:
        return last, "", ""
    after = f"differs after event {last}: the case waits here, "
    if runner.issued:
        asked = runner.issued[0]
        return last, f"{after}the code asks for {asked.words()}", asked.place or runner.place()
    if runner.error is not None:
        return last, f"{after}the code fails: {describe(runner.error)}", place_of(runner.error)
    if runner.is_done:
        return last, f"{after}the code has come to its end", ""
    return last, "", ""


def _without_code(case: Case) -> str:
    """What differs for a case that entered a step when it had no code."""
    kind = kind_of(case.kind)
    if case.step in kind.staff_steps or kind.code_of(case.step) is None:
        return ""
    return (
        "the step had no code when the case entered it and has some now, so nobody is asked to "
        "move the case; restart the step"
    )
