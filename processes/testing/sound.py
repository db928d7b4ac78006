"""What holds for every case at any time, checked from the outside: tests call it after each run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from audit.read import events_of
from audit.record import Recorded
from audit.verify import verify_case
from cases.models import Case
from processes.acts.cases import get_case
from processes.engine import replaycheck
from processes.engine.commands import ISSUING, is_command
from processes.engine.runner import Runner
from processes.engine.standing import _SETTLED_BY
from processes.engine.verify import differences_of
from processes.engine.visits import version_of
from processes.kinds import Kind, kind_of
from timers.clocks import COMMANDED

FRESH_EVENTS = 60  # up to this length each prefix is also replayed from the start


def check_all() -> None:
    """Every case of the database, in every way."""
    for case in Case.objects.order_by("pk"):
        check_case(case.pk)


def check_case(case_id: int) -> None:
    """Its chain holds, its rows equal its history, and each prefix replays, unless what its code
    looked at was erased."""
    case = get_case(case_id)
    events = events_of(case_id)
    finding = verify_case(case.pk, case.head_number, bytes(case.head_hash))
    assert finding is None, finding
    assert [event.number for event in events] == list(range(1, case.head_number + 1))
    check_settled_once(events)
    check_rows(case)
    if case.erased_at is None:
        check_prefixes(kind_of(case.kind), events)


# -- each obligation is settled at most once


def check_settled_once(events: Sequence[Recorded]) -> None:
    settled: Counter[tuple[int, int]] = Counter()
    asked: Counter[tuple[int, int]] = Counter()
    visit = 0
    for event in events:
        if event.type == "step.entered":
            visit = event.data["visit"]
        elif is_command(event) or event.type in ISSUING - COMMANDED:
            asked[(visit, event.data["command"])] += 1
        elif event.type in _SETTLED_BY:
            number = event.data["command"]
            # What undoes a step that was left settles in a later visit; its number names it.
            settled[(0 if number < 0 else visit, number)] += 1
    about = f"{settled} in {[(e.number, e.type, e.data.get('command')) for e in events]}"
    assert all(count == 1 for count in asked.values()), asked
    assert all(count == 1 for count in settled.values()), about


# -- rows equal history


def check_rows(case: Case) -> None:
    found = [difference.words for difference in differences_of(case)]
    assert not found, f"{case.reference}: {found}, after {[e.type for e in events_of(case.pk)]}"
    verdict = replaycheck.check_case(case)
    assert verdict.verdict == replaycheck.FINE or case.stopped_at, verdict


# -- replay


def visits_of(events: Sequence[Recorded]) -> list[list[Recorded]]:
    """The events of each visit of a step, its entry first."""
    visits: list[list[Recorded]] = []
    for event in events:
        if event.type == "step.entered":
            visits.append([])
        if visits:
            visits[-1].append(event)
    return visits


def check_prefixes(kind: Kind, events: Sequence[Recorded]) -> None:
    """For every prefix of the history, replay asks for the command that was recorded next."""
    for visit in visits_of(events):
        if not visit[0].data["code"]:
            continue
        # The same calls one by one are each prefix in turn, and cost no square of them.
        runner = begin(kind, visit)
        for place, event in enumerate(visit[1:], start=1):
            _check_next(runner, event)
            if len(visit) <= FRESH_EVENTS:
                fresh = begin(kind, visit)
                for earlier in visit[1:place]:
                    fresh.deliver(earlier)
                _check_next(fresh, event)
                fresh.close()
            runner.deliver(event)
        runner.close()


def begin(kind: Kind, visit: Sequence[Recorded]) -> Runner:
    """The code of a visit, run to its first wait."""
    entered = visit[0]
    code = kind.code_of(entered.data["step"], version_of(visit))
    assert code is not None
    case = kind.model(id=entered.case_id, kind=kind.name, step=entered.data["step"])
    for name, value in entered.data["facts"].items():
        setattr(case, name, value)
    runner = Runner(
        code=code,
        case=case,
        visit=entered.data["visit"],
        documents=entered.data.get("documents", {}),
        history=visit,
    )
    runner.start(entered)
    return runner


def _check_next(runner: Runner, event: Recorded) -> None:
    if not is_command(event):
        return
    assert runner.issued, f"replay asks for nothing before event {event.number}, {event.type}"
    asked = runner.issued[0]
    assert asked.event == event.type, f"event {event.number}: {event.type}, asked {asked.words()}"
    assert asked.number == event.data["command"], f"event {event.number}"
    assert asked.same(event.data), f"event {event.number}: {asked.words()}"


def story(case: Case) -> str:
    """The history of a case in a few words an event, for the message of a failed check."""
    return " | ".join(
        f"{event.number} {event.type} "
        + " ".join(
            str(event.data[name])
            for name in ("command", "commands", "name", "kind", "transition", "error", "attempt")
            if name in event.data
        )
        for event in events_of(case.pk)
    )
