"""One transaction over a batch of cases: the heart of Longcase.

    with Turn() as turn:
        run = turn.lock([case_id], wait=True)[0]
        turn.feed(run, "task.completed", {...}, actor=actor)

`lock` takes the case rows in one order and replays each visit to where its code stands. `feed`
records an event and lets the code go on: every command it issues becomes an event and a row, and
every transition it returns is taken, until it waits or the case is closed. Leaving the block
writes everything with a few statements and commits. A batch of one is the common case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from audit import codec, keys
from audit.read import events_since
from audit.record import Draft, Recorded, chain, write
from cases.fsm import Move
from processes.engine import (
    casetime,
    findable,
    inbox,
    leaving,
    performing,
    reminders,
    restarting,
    rows,
    sources,
    stopping,
    wake,
)
from processes.engine.commands import AwaitMessage, SetTimer
from processes.engine.errors import StepBroken
from processes.engine.run import Run
from processes.engine.runner import Runner, speaking
from processes.engine.script import Script
from processes.engine.standing import waits_of
from processes.engine.visits import replay_visit
from processes.kinds import Kind, kind_of
from timers import calendarbook, calendars, clock, clockrows, clocks, due

ENGINE = "engine"
TRANSITIONS_PER_WAKE = 50  # unless settings.LONGCASE_TRANSITIONS_PER_WAKE says otherwise


class Turn:
    """One transaction over a batch of locked cases."""

    def __init__(self, *, worker_id: int | None = None, slots: int = 0) -> None:
        self.now = clock.now()
        if calendars.is_current(-1):  # in no process yet
            calendarbook.read()
        self.runs: dict[int, Run] = {}
        self.worker_id = worker_id  # whose claims new activities may become at once
        self.slots = slots
        self.claimed: list[rows.ActivityRow] = []
        self.last: Callable[[], str] | None = None  # a statement to send at the very end,
        self.answer: list[Any] = []  # and the rows that it gave
        self.kept: rows.Kept = {}
        self.held: set[rows.Fence] = set()  # claims on activities of the locked cases
        self._atomic = transaction.atomic()
        self._cursor: Any = None
        self._is_inner = False  # part of somebody else's transaction

    def __enter__(self) -> Turn:
        self._is_inner = connection.in_atomic_block
        if not self._is_inner:
            keys.begin()
        self._atomic.__enter__()
        self._cursor = connection.cursor()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            if error is None:
                self.flush()
        except BaseException as failure:
            self._atomic.__exit__(type(failure), failure, failure.__traceback__)
            raise
        self._atomic.__exit__(kind, error, trace)

    @property
    def cursor(self) -> Any:
        return self._cursor

    # -- taking cases in

    def lock(self, case_ids: Sequence[int], *, wait: bool, run_code: bool = True) -> list[Run]:
        """Lock these cases and bring their code to where it stands. Cases that are gone, or held
        by another transaction when not waiting, are left out. A repair of code does not run it."""
        locked, kept, held = rows.lock_cases(self._cursor, case_ids, wait=wait)
        self.kept.update(kept)
        self.held |= held
        runs = []
        with speaking():
            for row, events, key in locked:
                run = Run(row=row, kind=kind_of(row["kind"]))
                self._load(run, events, key, run_code=run_code)
                self.runs[run.case_id] = run
                runs.append(run)
        return runs

    def open(self, kind: Kind, row: dict[str, Any], facts: dict[str, Any]) -> Run:
        """Begin a new case, whose row will be inserted at the flush. `enter` it next."""
        run = Run(row=row, kind=kind, is_new=True)
        run.build(facts)
        run.seal_with(None, facts=facts, now=self.now)
        self.runs[run.case_id] = run
        return run

    def _load(
        self,
        run: Run,
        events: list[Recorded],
        key: keys.Key | keys.Destroyed | None,
        *,
        run_code: bool,
    ) -> None:
        if not events:
            raise StepBroken(f"The history of {run.reference} ends before its checkpoint.")
        run.entered, run.events = events[0], events[1:]
        run.stored_facts = dict(run.entered.data["facts"])
        run.documents = dict(run.entered.data.get("documents", {}))
        if "clocks" in run.entered.data:
            casetime.load(run)
        for number in run.entered.data.get("undoing", ()):
            for event in events_since(self._cursor, [(run.case_id, number)])[run.case_id][:1]:
                run.open[event.data["command"]] = event
        for event in run.events:
            run.note(event)
            if event.type == "facts.changed":
                for name, (_before, after) in event.data["changes"].items():
                    run.stored_facts[name] = after
        run.seal_with(key, facts=run.stored_facts, now=self.now)
        run.stored_clocks = dict(run.clocks)
        run.kept = restarting.not_used_yet(run.entered, run.events)
        if run_code and not run.is_closed and not run.is_parked:
            try:
                self.replay(run)
            except Exception as error:
                run.build(run.stored_facts)
                stopping.stop(self, run, error)
                self.project(run)

    def replay(self, run: Run, *, live_from: int | None = None) -> None:
        """Run the step's code against its events, up to where it stands. The code of a stopped
        case meets those from `live_from` on for the first time."""
        if not run.row["code_digest"]:
            return  # entered when the step had no code: it waits for staff
        code = run.kind.code_of(run.row["step"], run.row["step_version"])
        if code is None:
            raise StepBroken(
                f"The code of step “{run.row['step']}”, version {run.row['step_version']}, is "
                "gone from this release. Keep older versions while cases stand in them."
            )
        assert run.entered is not None
        run.runner = replay_visit(
            code, run.entered, run.events, build=run.build_as_entered, live_from=live_from
        )
        run.runner.is_live = True

    # -- moving on

    def record(
        self, run: Run, type: str, data: dict[str, Any], *, actor: str, on_behalf: str = ""
    ) -> Recorded:
        """Add one event to a case's history, to be written at the flush.

        Time never runs back in a history, though the clocks of two machines may differ, and a
        process may learn later than another that a demo's clock was turned.
        """
        if not on_behalf and actor == run.stand_in[0]:
            on_behalf = run.stand_in[1]
        event = chain(
            Draft(
                head=run,
                type=type,
                data=data,
                actor=actor,
                on_behalf=on_behalf,
                recorded_at=max(self.now, run.last_at or self.now),
            )
        )
        run.writes.events.append(event)
        if type != "step.entered":
            run.events.append(event)
        run.note(event)
        return event

    def feed(
        self, run: Run, type: str, data: dict[str, Any], *, actor: str, on_behalf: str = ""
    ) -> Recorded:
        """Record what happened and let the case's code go on from it.

        Code that fails stops its own case only: the event stays, what the code did with it is
        forgotten, and an incident says what went wrong.
        """
        event = self.record(run, type, data, actor=actor, on_behalf=on_behalf)
        run.cause = on_behalf or (actor if actor != ENGINE else "")
        self.go_on(run, event)
        return event

    def go_on(self, run: Run, *events: Recorded) -> None:
        """Let a case's code go on with these events: record what it asks for and take the
        transitions it returns, until it waits or the case is closed.

        Each transition is a step done: code that fails in the next one does not take it back.
        """
        limit = getattr(settings, "LONGCASE_TRANSITIONS_PER_WAKE", TRANSITIONS_PER_WAKE)
        moves = 0
        while run.runner is not None and not run.is_parked:
            mark, known = run.mark(), set(self.runs)
            try:
                if moves > limit:
                    raise StepBroken(
                        f"The case took {limit} transitions without waiting once. Its steps go in "
                        "a circle; let one of them wait for something, or raise "
                        "LONGCASE_TRANSITIONS_PER_WAKE."
                    )
                moved = self._go_on_in_step(run, events)
            except Exception as error:
                self.undo(run, mark)
                for child in set(self.runs) - known:
                    del self.runs[child]
                assert run.entered is not None
                first = events[0] if events else run.entered
                stopping.stop(self, run, error, undone_from=first.number)
                break
            self.keep(run)
            if not moved:
                break
            events, moves = (), moves + 1
        self.project(run)

    def _go_on_in_step(self, run: Run, events: Sequence[Recorded]) -> bool:
        """Up to the next wait or through one transition; whether there was one."""
        runner = run.runner
        assert runner is not None
        with speaking():
            for event in events:
                runner.deliver(event)
            while runner.issued:
                command = runner.issued[0]
                event = performing.perform(self, run, command)
                runner.deliver(event)
                if isinstance(command, AwaitMessage) and not command.is_cancelled:
                    self._match_kept(run, event)
                elif isinstance(command, SetTimer) and command.clock and not command.is_cancelled:
                    casetime.end_if_passed(self, run, command)
                elif run.given is not None:
                    self._give_kept(run, command.number)
        if runner.marks:
            for name in runner.marks:
                self.record(run, "code.changed", {"name": name}, actor=ENGINE)
            runner.marks.clear()
        if not runner.is_done:
            return False
        self.enter(run, runner.outcome(), actor=ENGINE, on_behalf=run.cause)
        return True

    def undo(self, run: Run, mark: Any) -> None:
        """Take a run back to a mark, with whatever it did to the database."""
        if run.savepoint is not None:
            transaction.savepoint_rollback(run.savepoint)
            run.savepoint = None
        if run.runner is not None:
            run.runner.close()
            run.runner = None
        run.back_to(mark)

    def keep(self, run: Run) -> None:
        if run.savepoint is not None:
            transaction.savepoint_commit(run.savepoint)
            run.savepoint = None

    def insert_now(self, run: Run) -> None:
        """Write the rows of a new case before the flush, for others that look for them."""
        if run.is_new:
            rows.insert_cases(self._cursor, [run.row])
            rows.insert_facts(self._cursor, connection, [_final(run)])
            self._keep_keys(self._cursor, [run])
            run.is_new = False

    def _keep_keys(self, cursor: Any, runs: Sequence[Run]) -> None:
        """Insert keys that are new, and move the marks of persons whose facts were corrected."""
        keys.insert(cursor, [run.made_key for run in runs if run.made_key is not None])
        for run in runs:
            if run.facts_changed and run.kind.identified_by:
                facts = run.facts
                found = [facts[name] for name in run.kind.identified_by]
                if found != run.marked_by:
                    keys.move_marks(cursor, run.case_id, run.kind.marks(facts))
                    run.marked_by = found
            run.made_key = None

    def lease_until(self) -> datetime:
        """Of a short activity that this worker takes at once: it may wait in its hand."""
        return self.now + timedelta(seconds=settings.LONGCASE_SHORT_LEASE_SECONDS)

    def secure(self, run: Run) -> None:
        """Before a run writes rows by itself: what it does from here can be taken back alone."""
        if run.savepoint is None:
            run.savepoint = transaction.savepoint()

    def take(
        self, run: Run, name: str, data: dict[str, Any], *, actor: str, on_behalf: str
    ) -> None:
        """A transition taken by hand. Raises TransitionNotAllowed, and changes nothing then."""
        move = getattr(run.case, name)(**data)
        if run.runner is not None:
            undo = list(run.runner.completed)
        else:
            undo = leaving.done_and_undoable(run)
        undo += leaving.under_way_and_undoable(run) + leaving.kept_and_undoable(run)
        if run.runner is not None:
            run.runner.close()
            run.runner = None
        run.cause = on_behalf or actor
        self.enter(run, move, actor=actor, on_behalf=on_behalf, undo=undo)
        self.go_on(run)

    def enter(
        self,
        run: Run,
        move: Move,
        *,
        actor: str,
        on_behalf: str = "",
        undo: Sequence[tuple[Any, Any]] = (),
        kept: Sequence[dict[str, Any]] = (),
    ) -> None:
        """Enter the step to which a transition led: cancel what the old one waited for, record the
        checkpoint, and start the new step's code."""
        before = run.row["step"] if run.row["visit"] else ""
        reopening = run.is_closed
        stopped = [e for e in stopping.still_stopped(run) if e.data["command"] < 0]
        cancelled = leaving.cancel_open(self, run)
        case = run.case
        step = str(case.step)
        code = run.kind.code_of(step)
        closing = run.kind.is_closing(step)
        row = run.row
        if reopening:  # how it ended stays in the events of that end
            row["closed_at"] = None
            case.outcome = case.outcome_reason = ""
        row["step"], row["visit"] = step, row["visit"] + 1
        row["step_version"] = code.version if code else 1
        row["code_digest"] = code.digest if code else ""
        row["outcome"], row["outcome_reason"] = case.outcome, case.outcome_reason
        data: dict[str, Any] = {
            "step": step,
            "visit": row["visit"],
            "from": before,
            "transition": move.name,
            "facts": run.facts,
            "version": row["step_version"],
            "code": row["code_digest"],
        }
        if move.data:
            data["data"] = move.data
            if "reason" in move.data:
                data["reason"] = move.data["reason"]
        if cancelled:
            data["cancelled"] = cancelled
        if run.documents:
            data["documents"] = run.documents
        if run.clocks:
            data["clocks"] = clocks.encode_all(run.clocks)
        if kept:
            data["kept"] = kept
        undoing = sorted(event.number for number, event in run.open.items() if number < 0)
        if undoing:
            data["undoing"] = undoing
        if reopening:
            data["reopened"] = True
        if closing:
            row["outcome"] = case.outcome or step
            data["outcome"] = row["outcome"]
            data["closed"] = True
            if case.outcome_reason:
                data["reason"] = case.outcome_reason
        if run.runner is not None:
            run.runner.close()
            run.runner = None
        entered = self.record(run, "step.entered", data, actor=actor, on_behalf=on_behalf)
        run.entered, run.events, run.kept = entered, [], list(kept)
        row["entered_number"], row["entered_at"] = entered.number, entered.recorded_at
        run.facts_changed = True
        for command, result in reversed(undo):
            performing.schedule_undo(self, run, command, result, visit=row["visit"] - 1)
        stopping.stop_again(self, run, stopped)
        if closing:
            row["closed_at"] = self.now
            leaving.closed(self, run)
            return
        if code is None:
            return
        run.writes.later.append(lambda: sources.keep(code))
        run.build(entered.data["facts"])
        run.runner = Runner(code=code, case=run.case, visit=run.visit, documents=run.documents)
        run.runner.is_live = True
        run.runner.start(entered)

    def begin_step(self, run: Run, move: Move, *, actor: str, on_behalf: str = "") -> None:
        """Enter a step and let its code go on."""
        self.enter(run, move, actor=actor, on_behalf=on_behalf)
        self.go_on(run)

    def _match_kept(self, run: Run, awaited: Recorded) -> None:
        """A message of that name may have come before the step waited for it."""
        waiting = self.kept.get((run.case_id, awaited.data["name"]))
        while waiting:
            message = waiting.pop(0)
            if inbox.is_for_this_visit(run, message):
                self.match(run, awaited.data["command"], message)
                return
            why = f"{run.reference} has moved on since: it was no answer to what it asks now."
            run.writes.messages.append((message["id"], "unmatched", run.case_id, why, self.now))

    def _give_kept(self, run: Run, command: int) -> None:
        """An activity was done before the step was restarted: its result still counts."""
        kept, run.given = run.given, None
        assert kept is not None and run.runner is not None
        told = {"command": command, "result": kept["result"], "key": kept["key"]}
        run.runner.deliver(self.record(run, "activity.completed", told, actor=ENGINE))

    def use_kept(self, run: Run) -> None:
        """Messages that came while the case was parked, for what it already waits for."""
        for number, asked in sorted(run.open.items()):
            if asked.type == "message.awaited" and number in run.open:
                self._match_kept(run, asked)

    def match(self, run: Run, command: int, message: dict[str, Any]) -> None:
        """Use a kept message for a command that now waits for it."""
        event = self.record(
            run,
            "message.matched",
            {
                "command": command,
                "name": message["name"],
                "source": message["source"],
                "key": message["key"],
                "data": codec.decode(message["data"])
                if isinstance(message["data"], str)
                else message["data"],
            },
            actor=message["actor"],
            on_behalf=message["on_behalf"],
        )
        run.writes.messages.append((message["id"], "used", run.case_id, "", self.now))
        if run.runner is not None:
            run.runner.deliver(event)

    # -- the end of the turn

    def project(self, run: Run) -> None:
        """Write what the case waits for into its row."""
        row = run.row
        if run.is_closed:
            waits: list[dict[str, Any]] = []
        else:
            waits = waits_of(run.open, run.documents, run.clocks)
            if row["stopped_at"]:
                waits.insert(0, stopping.operators_wait(row["stopped_at"]))
            staff = run.kind.staff_steps.get(row["step"])
            if staff is not None and run.runner is None:
                waits.append(performing.staff_wait(staff, row["entered_at"]))
        row["waits"] = codec.encode(waits)
        first = waits[0] if waits else None
        row["waiting_on"] = first["on"] if first else ""
        row["waiting_since"] = first["since"] if first else None
        row["waiting_until"] = first["until"] if first else None

    def flush(self) -> None:
        """Write all of it: a few statements, whatever the size of the batch."""
        runs = [run for run in self.runs.values() if run.is_new or run.writes.events]
        writes = [run.writes for run in self.runs.values()]
        cursor = self._cursor
        new = [run for run in runs if run.is_new]
        old = [run for run in runs if not run.is_new]
        activities = [row for w in writes for row in w.activities]
        moved = [row for run in runs if run.clocks for row in casetime.moved(run)]
        found_by = findable.changed(runs)
        script = Script()
        rows.insert_cases(script, [run.row for run in new])
        rows.insert_facts(script, connection, [_final(run) for run in new])
        self._keep_keys(script, runs)
        write(script, [event for w in writes for event in w.events])
        rows.drop_activities(script, [key for w in writes for key in w.dropped_activities])
        rows.insert_activities(script, activities)
        due.cancel(script, [key for w in writes for key in w.dropped_timers])
        due.insert(script, [row for w in writes for row in w.timers])
        clockrows.write(script, moved)
        reminders.drop_of_closed(
            script, [r.case_id for r in old if r.is_closed and r.locked["closed_at"] is None]
        )
        rows.update_cases(script, [(run.locked, run.row) for run in old])
        rows.update_facts(
            script,
            connection,
            [_final(run) for run in old if run.facts_changed and run.facts != run.stored_facts],
        )
        findable.write(script, found_by)
        rows.settle_messages(script, [row for w in writes for row in w.messages])
        if self.last is not None:
            script.execute(self.last())
        if not (self._is_inner or any(w.later for w in writes)):
            script.execute(
                "COMMIT"
            )  # what Django sends afterwards finds it done, and costs nothing
        self.answer = script.send(cursor)
        for w in writes:
            for call in w.later:
                call()
        self.claimed = [a for a in activities if a.worker_id is not None]
        waiting = [a for a in activities if a.worker_id is None]
        if waiting:
            wake.after_commit(waiting)


def _final(run: Run) -> Any:
    """The case in memory as its row will stand."""
    case = run.case
    link = type(case)._meta.parents[next(iter(type(case)._meta.parents))]
    if link is not None:
        setattr(case, link.attname, run.case_id)
    return case
