"""Several workers, timer services and people on one database, moved by one seeded chance.

Each step is one act of one of them: claim, perform, record, fire, send, decide, die. A death is an
exception at a crash point, so that its transaction is lost and its claims are left lying; time
jumps in between. The same seed gives the same run.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.db import connection, transaction

from cases.actors import Actor, party
from cases.errors import Refused
from cases.models import Case, Document, Person, Task
from processes import callbacks
from processes.acts import tasks
from processes.acts.cases import change_facts, move_case, open_case
from processes.acts.documents import judge_document, receive_document
from processes.acts.messages import answer_callback, deliver_message, post_message
from processes.engine.turn import Turn
from processes.models import Worker
from processes.work import claims, crashpoint, firing, intake, sweeps
from processes.work.attempts import run_attempt
from processes.work.results import Claim, Done
from tests.trial import activities, steps
from timers import clock

SERVICE = Actor("service:simulation")
SCRIPTS = [
    "loan",
    "together",
    "race",
    "patience",
    "hour",
    "review",
    "handled",
    "unhandled",
    "saga",
    "local",
    "ask_outside",
    "parent",
    "chance",
    "two_steps",
    "side",
    "helpers",
    "helper_race",
    "nested",
    "nap",
    "chase",
    "reminders",
    "escalation",
    "several_reviews",
    "deadline_of_many",
    "two_of_three",
    "broken_once",
    "patient_call",
    "met_race",
    "busy",
    "together_failing",
    "reminded",
    "checks",
    "staff",
]
NAMES = (
    "documents review go confirmed first second a b quick early late payment done answer after more"
)


class Died(BaseException):
    """The process ended here."""


class SimulatedWorker:
    """A worker of the short lane, taken apart: what it holds is in memory, and dies with it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.born()

    def born(self) -> None:
        self.worker_id = claims.register("short").pk
        self.held: list[Claim] = []
        self.done: list[Done] = []

    def die(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_unlock(%s, %s)", [claims.WORKER_LOCKS, self.worker_id]
            )
        self.born()

    def take(self) -> None:
        from processes.engine import inbox
        from processes.work.drain import _claim_of

        some = self.world.chance.randint(1, 4)
        with Turn(worker_id=self.worker_id, slots=some) as turn:
            messages = inbox.claim_new(turn.cursor, some)
            cases = inbox.resolve(turn.cursor, messages)
            wanted = set(cases.values()) | {done.claim.case_id for done in self.done}
            runs = {run.case_id: run for run in turn.lock(sorted(wanted), wait=True)}
            intake.record_results(turn, runs, self.done)
            self.world.reach("drain.recorded")
            intake.take_messages(turn, runs, messages, cases)
            claimed = claims.claim_short(turn.cursor, worker_id=self.worker_id, limit=turn.slots)
            self.world.reach("drain.claimed")
        self.world.reach("drain.committed")
        self.done = []
        self.held += [*claimed, *map(_claim_of, turn.claimed)]

    def perform(self) -> None:
        if not self.held:
            return
        claim = self.held.pop(self.world.chance.randrange(len(self.held)))
        self.world.reach("attempt.begun")
        done = run_attempt(claim)
        self.world.reach("attempt.done")
        if done is not None:
            self.done.append(done)


class World:
    """One run. `step` does one thing; `rest` lets all come to an end."""

    def __init__(self, engine: Any, people: Any, *, seed: int) -> None:
        self.engine = engine
        self.people = people
        self.chance = random.Random(seed)
        self.is_deadly = True
        self.workers = [SimulatedWorker(self) for _ in range(3)]
        self.cases: list[int] = []
        self.steps = 0
        self.deaths = 0
        self.sent = 0

    # -- dying

    def reach(self, name: str) -> None:
        if self.is_deadly and name in crashpoint.NAMES and self.chance.random() < 0.03:
            raise Died(name)

    def step(self) -> None:
        self.steps += 1
        acts: list[tuple[Callable[[], Any], int]] = [
            (self.open, 3),
            (self.work, 24),
            (self.fire, 6),
            (self.sweep, 3),
            (self.send, 10),
            (self.decide, 8),
            (self.papers, 5),
            (self.answer, 2),
            (self.withdraw, 1),
            (self.change, 2),
            (self.jump, 5),
            (self.trouble, 2),
        ]
        (act,) = self.chance.choices([a for a, _ in acts], [weight for _, weight in acts])
        worker = self.chance.choice(self.workers)
        try:
            if act == self.work:
                self.work(worker)
            else:
                act()
        except Refused:
            pass
        except Died:
            self.deaths += 1
            worker.die()

    # -- what happens

    def open(self) -> None:
        if len(self.cases) < 60:
            script = self.chance.choice(SCRIPTS)
            case = open_case(
                kind="trial",
                facts={"script": script},
                title=script,
                actor=SERVICE,
                source="simulation",
                source_key=str(len(self.cases)),
            )
            self.cases.append(case.pk)

    def work(self, worker: SimulatedWorker) -> None:
        self.chance.choice([worker.take, worker.perform, worker.perform, worker.take])()

    def fire(self) -> None:
        firing.fire(self.chance.choice([1, 3, 100]))

    def sweep(self) -> None:
        self.chance.choice(
            [sweeps.free_lost_claims, sweeps.retry_incidents, sweeps.find_cases_without_wait]
        )()

    def send(self) -> None:
        """Early, late, again, to nobody; at once or through the inbox."""
        if not self.cases:
            return
        case_id = self.chance.choice(self.cases)
        name = self.chance.choice(NAMES.split())
        self.sent += 1
        key = str(self.sent if self.chance.random() < 0.8 else self.chance.randint(1, self.sent))
        data = {"n": int(key) % 7}
        if self.chance.random() < 0.5:
            deliver_message(
                case_id=case_id, name=name, data=data, source="direct", key=key, actor=SERVICE
            )
            return
        to = f"id:{case_id}" if self.chance.random() < 0.95 else "TR-1999-000001"
        post_message(to=to, name=name, data=data, source="post", key=key, actor=SERVICE)

    def decide(self) -> None:
        task = self._one(Task.objects.filter(state="open"))
        if task is None:
            return
        person: Person = self.chance.choice(
            [self.people.milan, self.people.ayse, self.people.petra, self.people.eve]
        )
        actor = Actor.of(person)
        if task.holder_id is None:
            tasks.claim_task(task_id=task.pk, actor=actor)
        elif self.chance.random() < 0.2:
            tasks.release_task(task_id=task.pk, actor=Actor.of(self.people.petra))
        else:
            outcome = self.chance.choice(["approve", "approve", "decline"])
            holder = Actor.of(Person.objects.get(pk=task.holder_id))
            tasks.complete_task(task_id=task.pk, outcome=outcome, reason="so", actor=holder)

    def papers(self) -> None:
        if not self.cases:
            return
        if self.chance.random() < 0.5:
            name = self.chance.choice(["passport", "payslip"])
            text = f"{name} {self.chance.randint(1, 5)}".encode()
            receive_document(
                case_id=self.chance.choice(self.cases),
                name=name,
                file=ContentFile(text, name=f"{name}.pdf"),
                actor=party("applicant"),
            )
            return
        document = self._one(Document.objects.filter(state="received"))
        if document is not None:
            accept = self.chance.random() < 0.7
            judge_document(document_id=document.pk, accept=accept, reason="so", actor=SERVICE)

    def answer(self) -> None:
        keys = [what for what, _ in activities.effects if what.count(".") == 2]
        if keys:
            address = callbacks.address_of(self.chance.choice(keys))
            token = address.rstrip("/").rsplit("/", 1)[-1]
            answer_callback(token=token, data={"value": self.chance.randint(1, 9)})

    def withdraw(self) -> None:
        if self.cases:
            move_case(
                case_id=self.chance.choice(self.cases),
                name="withdraw",
                data={"reason": "simulated"},
                actor=SERVICE,
            )

    def change(self) -> None:
        if self.cases:
            change_facts(
                case_id=self.chance.choice(self.cases),
                changes={"amount": self.chance.randint(1, 999)},
                reason="simulated",
                actor=SERVICE,
            )

    def jump(self) -> None:
        seconds = self.chance.choice([1, 20, 70, 3600, 86400, 4 * 86400])
        self.engine.turned.advance(seconds=seconds)

    def trouble(self) -> None:
        """The outside fails for a while, or the code has a bug until it is mended."""
        activities.trouble[:] = [
            self.chance.choice([ConnectionError("down"), activities.Refused("no")])
            for _ in range(self.chance.randint(0, 3))
        ]
        steps.broken[:] = [True] * (self.chance.random() < 0.4)

    def _one(self, rows: Any) -> Any:
        found = list(rows.order_by("pk"))
        return self.chance.choice(found) if found else None

    # -- the end

    def rest(self) -> None:
        """Nothing fails any more: whoever died stays dead, and one sound installation goes on."""
        self.is_deadly = False
        activities.trouble.clear()
        steps.broken.clear()
        for worker in self.workers:
            worker.die()
        for _ in range(8):
            self.engine.turned.advance(timedelta(minutes=2))
            for worker in self.workers:
                worker.take()
                while worker.held:
                    worker.perform()
                worker.take()
            while sweeps.free_lost_claims():
                pass
            sweeps.retry_incidents()
            self.engine.advance(days=5)
        self.engine.advance(days=90)

    def close(self) -> None:
        for worker in self.workers:
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_advisory_unlock(%s, %s)", [claims.WORKER_LOCKS, worker.worker_id]
                )
        with transaction.atomic():
            Worker.objects.exclude(pk=self.engine.worker.pk).delete()


def open_cases() -> list[Case]:
    return list(Case.objects.filter(closed_at=None).order_by("pk"))


def now() -> Any:
    return clock.now()
