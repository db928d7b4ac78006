"""What a commit of the drain takes in: results of activities and messages of the inbox."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import connection

from audit import codec
from cases.errors import Refused
from processes.engine import inbox, opening, rows
from processes.engine.inbox import OPEN_CASE
from processes.engine.run import Run
from processes.engine.turn import Turn
from processes.kinds import NoSuchKind, kind_of
from processes.work import isolation
from processes.work.results import Claim, Done, record_failure, record_result
from timers import clock

log = logging.getLogger("longcase.intake")


def record_results(turn: Turn, runs: dict[int, Run], results: Sequence[Done]) -> list[Done]:
    """Record the results whose claims still hold. Returns those whose case is held elsewhere."""
    here = [done for done in results if done.claim.case_id in runs]
    for done in here:
        # By claim: a worker may bring an attempt that it had lost, together with the one after it.
        if not done.error and done.claim.fence in turn.held:
            turn.held.remove(done.claim.fence)
            run = runs[done.claim.case_id]
            run.writes.dropped_activities.append(done.claim.key)
            record_result(turn, run, done)
    for done in here:
        if done.error and holds(turn, done.claim):
            record_failure(turn, runs[done.claim.case_id], done)
    return [done for done in results if done.claim.case_id not in runs]


def holds(turn: Turn, claim: Claim) -> bool:
    """Whether a claim is still the current one; keeps it so until the commit."""
    turn.cursor.execute(
        "SELECT 1 FROM processes_activity WHERE case_id = %s AND visit = %s AND command = %s "
        "AND worker_id = %s AND attempt = %s FOR UPDATE",
        list(claim.fence),
    )
    return turn.cursor.fetchone() is not None


def take_messages(
    turn: Turn,
    runs: dict[int, Run],
    messages: Sequence[inbox.Waiting],
    cases: dict[int, int],
) -> int:
    """Give each message to its case, open the cases that some ask for, keep the rest in the tray.

    Messages whose case is held elsewhere stay new. Returns how many were settled.
    """
    openings = [m for m in messages if m.name == OPEN_CASE]
    numbers = iter(rows.case_ids(turn.cursor, len(openings)) if openings else [])
    opened: dict[str, Run] = {}  # by the address that their opener may use at once
    refused: list[tuple[int, str, int | None, str, datetime]] = []
    count = 0
    absent = _absent(turn, [cases[m.id] for m in messages if m.id in cases], runs)
    lost: list[inbox.Waiting] = []
    for message in messages:
        if message.name == OPEN_CASE:
            try:
                run = _open(turn, message, next(numbers))
            except (Refused, NoSuchKind) as refusal:
                refused.append((message.id, "unmatched", None, str(refusal), turn.now))
            else:
                opened[f"{message.source}:{message.key}"] = run
                count += 1
        elif message.to in opened:
            inbox.take(turn, opened[message.to], message)
            count += 1
        elif message.id not in cases or cases[message.id] in absent:
            lost.append(message)
        elif cases[message.id] in runs:
            inbox.take(turn, runs[cases[message.id]], message)
            count += 1
    coming = inbox.being_opened(turn.cursor, [message.to for message in lost])
    for message in lost:
        if message.to not in coming:
            why = f"There is no case “{message.to}”. A person can link it to one."
            refused.append((message.id, "unmatched", None, why, turn.now))
    rows.settle_messages(turn.cursor, refused)
    return count + len(refused)


def _absent(turn: Turn, ids: Sequence[int], runs: dict[int, Run]) -> set[int]:
    """Of the cases that were not locked, those that do not exist."""
    missing = {case_id for case_id in ids if case_id not in runs}
    if not missing:
        return set()
    turn.cursor.execute("SELECT id FROM cases_case WHERE id = ANY(%s)", [list(missing)])
    return missing - {row[0] for row in turn.cursor.fetchall()}


def _open(turn: Turn, message: inbox.Waiting, case_id: int) -> Run:
    data = codec.decode(message.data)
    run = opening.begin(
        turn,
        kind_of(message.to),
        facts=data.get("facts", {}),
        title=data.get("title", ""),
        actor=message.actor,
        on_behalf=message.on_behalf,
        owner_id=data.get("owner"),
        team_id=data.get("team"),
        source=message.source,
        source_key=message.key,
        case_id=case_id,
    )
    run.writes.messages.append((message.id, "used", case_id, "", turn.now))
    return run


def settle_alone(results: Sequence[Done], worker_id: int, *, messages: bool = True) -> None:
    """A shared commit failed: take each part by itself, so that one bad case harms no other."""
    for done in results:
        try:
            _record_alone(done)
        except Exception as error:
            log.exception("result_failed", extra={"case": done.claim.case_id})
            try:
                if isolation.stop_case(done.claim.case_id, error):
                    _record_alone(done)
                else:
                    _put_off(done.claim, type(error).__name__)
            except Exception as again:
                _put_off(done.claim, type(again).__name__)
    if not messages:
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM cases_message WHERE state = 'new' ORDER BY id LIMIT 200")
        waiting = [row[0] for row in cursor.fetchall()]
    for message_id in waiting:
        settle_message_alone(message_id)


def _record_alone(done: Done) -> None:
    with Turn() as turn:
        runs = {r.case_id: r for r in turn.lock([done.claim.case_id], wait=True)}
        record_results(turn, runs, [done])


def settle_message_alone(message_id: int) -> None:
    """Take one message in a commit of its own. If its case cannot take it, the case is stopped and
    keeps it; what fails even then goes to the tray with the reason."""
    cases: list[int] = []
    try:
        _take_alone(message_id, cases)
        return
    except Exception as failure:
        log.exception("message_failed", extra={"message_id": message_id})
        error: Exception = failure
    try:
        if cases and isolation.stop_case(cases[0], error):
            _take_alone(message_id, cases)
            return
    except Exception as failure:
        error = failure
    if isinstance(error, isolation.PASSING):
        return  # it stays new, and is taken in the next round
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE cases_message SET state = 'unmatched', why = %s, settled_at = %s "
            "WHERE id = %s AND state = 'new'",
            [
                f"It could not be handled: {type(error).__name__}: {error}"[:1000],
                clock.now(),
                message_id,
            ],
        )


def _take_alone(message_id: int, found: list[int]) -> None:
    with Turn() as turn:
        turn.cursor.execute(
            'SELECT id, source, key, name, "to", data, actor, on_behalf FROM cases_message '
            "WHERE id = %s AND state = 'new' FOR UPDATE SKIP LOCKED",
            [message_id],
        )
        messages = [inbox.Waiting(*row) for row in turn.cursor.fetchall()]
        cases = inbox.resolve(turn.cursor, messages)
        found[:] = cases.values()
        runs = {r.case_id: r for r in turn.lock(found, wait=False)}
        take_messages(turn, runs, messages, cases)


def _put_off(claim: Claim, error: str) -> None:
    """The result could not be recorded: try the activity again later, as a failure of its own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE processes_activity SET worker_id = NULL, lease_until = NULL, "
            "failures = failures + 1, due_at = %s, last_error = %s WHERE case_id = %s "
            "AND visit = %s AND command = %s AND worker_id = %s AND attempt = %s",
            [
                clock.now() + timedelta(seconds=60),
                f"The result could not be recorded: {error}",
                *claim.fence,
            ],
        )
