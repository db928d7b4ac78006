"""After a run: is anything stuck, lost or doubled? Each finding is one sentence."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from crash.conductor import stands_as_planned
from crash.ledger import read
from crash.people import SOURCE
from crash.plans import plan_of
from crash.traces import Trace, of_act, of_history

_PEOPLE = ("task", "documents", "message", "party")  # kinds of waits that people end

History = list[dict[str, Any]]  # of events: type, data, actor


def histories() -> dict[int, History]:
    """The whole history of each case of the campaign, by the number of its plan."""
    from audit.read import events_of
    from cases.models import Case

    return {
        int(case.source_key): [
            {"type": e.type, "data": e.data, "actor": e.actor} for e in events_of(case.pk)
        ]
        for case in Case.objects.filter(source=SOURCE).order_by("pk")
    }


def findings(
    *, folder: Path, seed: int, cases: int, incidents: Counter[str], is_cut: bool
) -> Iterator[str]:
    """Everything that is wrong. In a run cut short by its rounds, cases may wait for people."""
    found = histories()
    if not is_cut:
        yield from _all_there(found, cases)
    yield from _standing(seed, is_cut=is_cut)
    yield from _incidents(incidents)
    yield from _verify()
    yield from _acts(folder, found)
    yield from _effects(folder, found)
    yield from _letters(found)
    yield from _overdue(found)


def _all_there(found: dict[int, History], cases: int) -> Iterator[str]:
    for number in range(1, cases + 1):
        if number not in found:
            yield f"Case {number} was never opened."
    from cases.models import Case

    if Case.objects.count() != len(found):
        yield f"There are {Case.objects.count()} cases instead of {len(found)}."


def _standing(seed: int, *, is_cut: bool) -> Iterator[str]:
    from cases.models import Case, Message
    from processes.models import Activity, Incident

    for case in Case.objects.filter(closed_at=None):
        if case.stopped_at is not None:
            yield f"{case.reference} is stopped at “{case.step}”."
        elif not (
            (is_cut and case.waits and case.waits[0]["kind"] in _PEOPLE)
            or stands_as_planned(plan_of(seed, int(case.source_key)), case)
        ):
            waits = [(wait["kind"], wait["name"]) for wait in case.waits]
            yield f"{case.reference} is stuck at “{case.step}”; it waits for {waits}."
    for activity in Activity.objects.all():
        yield f"{activity} is left over: {activity.state}, {activity.last_error}"
    for incident in Incident.objects.filter(closed_at=None):
        yield f"An incident is open: {incident.cause}"
    for message in Message.objects.exclude(state__in=["used", "kept", "late"]):
        yield f"{message} is {message.state}: {message.why}"


def _incidents(incidents: Counter[str]) -> Iterator[str]:
    """An activity may use up its attempts when blow follows on blow; code never fails here."""
    for cause, count in incidents.items():
        if not cause.startswith("activity: "):
            yield f"{count} incidents of {cause}"


def _verify() -> Iterator[str]:
    from processes.engine.verify import verify

    for one in verify():
        yield f"verify: {one.reference}, event {one.number}: {one.words}"


def _acts(folder: Path, found: dict[int, History]) -> Iterator[str]:
    """What people were told was done stands in history once, and nothing else does."""
    told: dict[int, Counter[Trace]] = {}
    for path in sorted(folder.glob("ledger-*.jsonl")):
        lines = read(path)
        plans = {line["plan"]: line["acts"] for line in lines if "plan" in line}
        for line in lines:
            if "outcome" in line:
                act = plans[line["round"]][line["act"]]
                if line["outcome"] == "refused":
                    yield f"Case {act['number']}: {act['act']} was refused: {line['words']} ({act})"
                    continue
                count = told.setdefault(act["number"], Counter())
                # The answer to an offer may be sent twice, under one key: it counts once.
                count[of_act(act)] = 1 if act["act"] == "answer" else count[of_act(act)] + 1
    for number, events in found.items():
        there, should = Counter(of_history(events)), told.get(number, Counter())
        for trace in should - there:
            yield f"Case {number}: {trace} was confirmed {should[trace]} times, is {there[trace]}."
        for trace in there - should:
            yield f"Case {number}: {trace} is {there[trace]} times, was done {should[trace]} times."


def _effects(folder: Path, found: dict[int, History]) -> Iterator[str]:
    """Once a key, and what the case recorded is what the service did."""
    lines = read(folder / "standins.jsonl")
    keys = Counter((line["service"], line["what"], line["key"]) for line in lines)
    for key, count in keys.items():
        if count > 1:
            yield f"{key} was done {count} times."
    done = {(line["what"], line["key"]): line["answer"] for line in lines}
    booked = Counter(line["answer"]["reference"] for line in lines if line["what"] == "booked")
    for reference, count in booked.items():
        if count > 1:
            yield f"{reference} was paid out {count} times."
    effects = {"loan.pay_out": ("booked", "booking"), "loan.order_appraisal": ("ordered", "order")}
    for number, events in found.items():
        case_id, visit, asked = _case_id(events), 0, {}
        for event in events:
            kind, data = event["type"], event["data"]
            if kind == "step.entered":
                visit = data["visit"]
            elif kind == "activity.scheduled":
                asked[(visit, data["command"])] = data["name"]
            elif kind == "activity.completed":
                name = asked.get((visit, data["command"]), "")
                if name in effects:
                    what, field = effects[name]
                    answer = done.get((what, f"{case_id}.{visit}.{data['command']}"))
                    if answer is None or answer[field] != data["result"][field]:
                        yield f"Case {number} recorded {data['result']}, the service {answer}."
        paid = sum(e["type"] == "step.entered" and e["data"]["step"] == "paid_out" for e in events)
        reference = events[0]["data"]["reference"]
        if paid != booked[reference]:
            yield f"{reference} was closed as paid out {paid} times, booked {booked[reference]}."


def _letters(found: dict[int, History]) -> Iterator[str]:
    """One letter for each that a case asked for and got, none beside."""
    from cases.models import Letter

    keys = Counter(Letter.objects.values_list("key", flat=True))
    written: set[str] = set()
    given_up: set[str] = set()
    for number, events in found.items():
        case_id, visit, asked = _case_id(events), 0, {}
        for event in events:
            kind, data = event["type"], event["data"]
            if kind == "step.entered":
                visit = data["visit"]
            elif kind == "activity.scheduled" and data["name"].endswith("send_letter"):
                asked[(visit, data["command"])] = data["name"]
                given_up.add(f"{case_id}.{visit}.{data['command']}")
            elif kind == "activity.completed" and (visit, data["command"]) in asked:
                written.add(f"{case_id}.{visit}.{data['command']}")
                if keys[f"{case_id}.{visit}.{data['command']}"] != 1:
                    yield f"Case {number}: letter {data['result']} is not there once."
    for key in set(keys) - written - given_up:
        yield f"Nobody asked for the letter {key}."


AT_ONCE = timedelta(seconds=5)  # done at the very moment of its date: either is right


def _overdue(found: dict[int, History]) -> Iterator[str]:
    """Each task that was not done by its date was called overdue once, never before its date."""
    from cases.models import Task
    from timers import clock

    called: Counter[tuple[int, int, int]] = Counter()
    for events in found.values():
        visit = 0
        for event in events:
            if event["type"] == "step.entered":
                visit = event["data"]["visit"]
            elif event["type"] == "task.overdue":
                called[_case_id(events), visit, event["data"]["task"]] += 1
    for task in Task.objects.filter(due_at__isnull=False).select_related("case"):
        times = called[task.case_id, task.visit, task.command]
        late_by = (task.closed_at or clock.now()) - task.due_at
        if times > 1 or (times == 1) != (task.overdue_at is not None):
            yield f"{task} was called overdue {times} times, its row says {task.overdue_at}."
        elif task.overdue_at is not None and task.overdue_at < task.due_at:
            yield f"{task} was called overdue at {task.overdue_at}, before {task.due_at}."
        elif late_by > AT_ONCE and not times:
            yield f"{task} was {late_by} late, and nobody was told."


def _case_id(events: History) -> int:
    return int(events[0]["data"]["reference"].rpartition("-")[2])


def dump(folder: Path) -> None:
    """Keep all histories for the comparison, spelled as JSON."""
    plain = {
        number: [
            {**event, "data": json.loads(json.dumps(event["data"], default=str))} for event in h
        ]
        for number, h in histories().items()
    }
    (folder / "histories.json").write_text(json.dumps(plain))


def counts(folder: Path) -> dict[str, Any]:
    """What the run amounted to."""
    from django.db import connection

    from cases.models import Case, Letter

    with connection.cursor() as cursor:
        cursor.execute("SELECT type, count(*) FROM audit_event GROUP BY type")
        events = dict(cursor.fetchall())
    outcomes = Counter(Case.objects.values_list("outcome", flat=True))
    lines = [line for path in folder.glob("ledger-*.jsonl") for line in read(path)]
    return {
        "cases": Case.objects.count(),
        "events": sum(events.values()),
        "attempts_lost": events.get("activity.attempt_lost", 0),
        "attempts_failed": events.get("activity.attempt_failed", 0),
        "letters": Letter.objects.count(),
        "effects": len(read(folder / "standins.jsonl")),
        "acts": sum("outcome" in line for line in lines),
        "found": sum(line.get("outcome") == "found" for line in lines),
        "outcomes": {outcome or "open": count for outcome, count in outcomes.items()},
    }
