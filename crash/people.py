"""The people of the campaign, as a process that may be killed: `python -m crash.people`.

Each round it looks at its cases, writes down what it is going to do, does it, and writes down what
it was told. Started again, it finds in its ledger what it had in hand and does the rest: every act
is safe to repeat, or says that it was done.
"""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from crash.ledger import Ledger
from crash.plans import TEAM, Plan, Standing, acts_for, plan_of
from crash.traces import of_act, of_history

ROUND = timedelta(days=2)
SOURCE = "campaign"


class Unsure(Exception):
    """The answer was lost: it may have been done or not."""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    told = json.loads(os.environ["CRASH_PEOPLE"])
    People(folder=Path(told["folder"]), **{k: v for k, v in told.items() if k != "folder"}).work()


class People:
    """The people of every `of`-th case."""

    def __init__(
        self, *, folder: Path, mine: int, of: int, seed: int, cases: int, begin: str
    ) -> None:
        self.folder = folder
        self.begin = datetime.fromisoformat(begin)
        self.plans = [plan_of(seed, n) for n in range(1, cases + 1) if n % of == mine]
        self.ledger = Ledger(folder / f"ledger-{mine}.jsonl")
        self.persons: dict[str, Any] = {}
        self.repeats = True  # this process was just started: what is in hand may have been done

    # -- rounds

    def work(self) -> None:
        while True:
            wanted = self.wanted()
            done = [line["done"] for line in self.ledger.lines if "done" in line]
            if wanted is not None and (not done or done[-1] < wanted):
                self.carry_out(wanted)
                self.ledger.write({"done": wanted})
            self.repeats = False
            if os.getppid() == 1:
                sys.exit()
            time.sleep(0.03)

    def wanted(self) -> int | None:
        try:
            return int((self.folder / "round").read_text())
        except (FileNotFoundError, ValueError):
            return None

    def carry_out(self, number: int) -> None:
        acts = next(
            (line["acts"] for line in self.ledger.lines if line.get("plan") == number), None
        )
        if acts is None:
            acts = patiently(lambda: self.acts_of(number))
            self.ledger.write({"plan": number, "acts": acts})
        sure = {line["act"] for line in self.ledger.lines if line.get("round") == number}
        for place, act in enumerate(acts):
            if place not in sure:
                outcome, words = self.act(act)
                self.ledger.write(
                    {"round": number, "act": place, "outcome": outcome, "words": words}
                )

    def acts_of(self, number: int) -> list[dict[str, Any]]:
        """What is to be done in this round, by what everybody can see now."""
        from cases.models import Case
        from timers import clock

        clock.refresh()
        self.know_people()
        opened = {
            int(case.source_key): case
            for case in Case.objects.filter(
                source=SOURCE, source_key__in=[str(plan.number) for plan in self.plans]
            )
        }
        acts: list[dict[str, Any]] = []
        for plan in self.plans:
            case = opened.get(plan.number)
            if case is None and plan.opens <= number:
                acts.append({"act": "open", "number": plan.number})
            elif case is not None and case.closed_at is None:
                for act in acts_for(plan, self.standing(case, number)):
                    acts.append({**act, "number": plan.number})
        return acts

    def standing(self, case: Any, number: int) -> Standing:
        from cases.models import Document, Requirement, Task

        def waited(moment: datetime) -> int:
            return number - (moment - self.begin) // ROUND

        names = {f"person:{person.pk}": name for name, person in self.persons.items()}
        tasks = list(Task.objects.filter(case_id=case.pk).order_by("visit", "command"))
        newest = {d.name: d for d in Document.objects.filter(case_id=case.pk).order_by("version")}
        missing = Requirement.objects.filter(
            case_id=case.pk, is_open=True, state__in=["asked", "rejected"]
        )
        question = next((w for w in case.waits if w["kind"] == "party"), None)
        return Standing(
            case_id=case.pk,
            reference=case.reference,
            step=case.step,
            visit=case.visit,
            waited=waited(case.entered_at),
            tasks=[
                {
                    "id": task.pk,
                    "name": task.name,
                    "role": task.role,
                    "visit": task.visit,
                    "waited": waited(task.opened_at),
                    "unlike": [names.get(code, "") for code in task.unlike],
                    "times": sum(t.name == task.name and t.visit < task.visit for t in tasks),
                }
                for task in tasks
                if task.state == "open"
            ],
            received=[
                {"id": d.pk, "name": d.name, "version": d.version, "waited": waited(d.received_at)}
                for d in sorted(newest.values(), key=lambda one: one.name)
                if d.state == "received"
            ],
            missing=list(missing.values_list("name", flat=True)),
            versions={name: d.version for name, d in newest.items()},
            question=f"{case.pk}.{case.visit}.{question['command']}" if question else "",
        )

    def know_people(self) -> None:
        from cases.models import Person

        if not self.persons:
            self.persons = {person.username: person for person in Person.objects.all()}

    # -- one act

    def act(self, act: dict[str, Any]) -> tuple[str, str]:
        """Do it until there is an answer: sure, found (done before its answer was lost), or
        refused, which a campaign never expects."""
        from cases.errors import CaseBusy, Refused
        from timers import clock

        unsure = self.repeats
        began = time.monotonic()
        while True:
            try:
                self.know_people()
                clock.refresh_if_stale()
                ACTS[act["act"]](self, act)
                return "sure", ""
            except CaseBusy:
                time.sleep(0.1)
            except Refused as refusal:
                if unsure and patiently(lambda: self.is_done(act)):
                    return "found", str(refusal)
                return "refused", str(refusal)
            except Exception as error:
                if not (isinstance(error, Unsure) or is_database_away(error)):
                    return "refused", f"{type(error).__name__}: {error}"
                unsure = True
                forget_connection()
                time.sleep(0.15)
            if time.monotonic() - began > 90:
                return "refused", "no answer within 90 s"

    def is_done(self, act: dict[str, Any]) -> bool:
        from audit.read import events_of

        events = [{"type": e.type, "data": e.data} for e in events_of(act["case"])]
        return of_act(act) in of_history(events)

    def by(self, act: dict[str, Any]) -> Any:
        from cases.actors import Actor

        return Actor.of(self.persons[act["by"]])

    def open(self, act: dict[str, Any]) -> None:
        from cases.models import Team
        from processes.acts.cases import open_case

        plan: Plan = next(p for p in self.plans if p.number == act["number"])
        owner = self.persons[plan.caseworker()]
        open_case(
            kind="loan",
            facts=plan.facts,
            title=plan.facts["applicant_name"],
            actor=self.by({"by": plan.caseworker()}),
            owner=owner,
            team=Team.objects.get(name=TEAM),
            source=SOURCE,
            source_key=str(plan.number),
        )

    def claim(self, act: dict[str, Any]) -> None:
        from processes.acts.tasks import claim_task

        claim_task(task_id=act["task"], actor=self.by(act))

    def release(self, act: dict[str, Any]) -> None:
        from processes.acts.tasks import release_task

        release_task(task_id=act["task"], actor=self.by(act), reason="Somebody else is free.")

    def complete(self, act: dict[str, Any]) -> None:
        from processes.acts.tasks import complete_task

        papers = {"payslip": "yes"} if act["outcome"] == "send_back" else {}
        complete_task(
            task_id=act["task"],
            outcome=act["outcome"],
            reason=f"Decided as planned: {act['outcome']}.",
            result=papers,
            actor=self.by(act),
        )

    def send(self, act: dict[str, Any]) -> None:
        from django.core.files.base import ContentFile

        from cases.actors import party
        from processes.acts.documents import receive_document

        text = f"{act['name']} of applicant {act['number']}, version {act['version']}"
        file = ContentFile(b"%PDF-1.4 " + text.encode(), name=f"{act['name']}.pdf")
        receive_document(case_id=act["case"], name=act["name"], file=file, actor=party("applicant"))

    def judge(self, act: dict[str, Any]) -> None:
        from processes.acts.documents import judge_document

        judge_document(
            document_id=act["document"],
            accept=act["accept"],
            reason="" if act["accept"] else "It cannot be read.",
            actor=self.by(act),
        )

    def answer(self, act: dict[str, Any]) -> None:
        from cases.actors import party
        from processes.acts.messages import deliver_message

        deliver_message(
            case_id=act["case"],
            name="offer_answer",
            data={"answer": act["answer"], "reason": ""},
            source=SOURCE,
            key=act["key"],
            actor=party("applicant"),
        )

    def appraise(self, act: dict[str, Any]) -> None:
        """Over HTTP, as the appraiser does, to the signed address of the question."""
        from processes.callbacks import address_of

        post(
            address_of(act["question"]),
            {"value": act["value"], "remarks": "Seen from outside."},
        )

    def withdraw(self, act: dict[str, Any]) -> None:
        from processes.acts.cases import move_case

        move_case(
            case_id=act["case"],
            name="withdraw",
            data={"reason": "The customer bought elsewhere."},
            actor=self.by(act),
        )


ACTS: dict[str, Callable[[People, dict[str, Any]], None]] = {
    name: getattr(People, name)
    for name in (
        "open",
        "claim",
        "release",
        "complete",
        "send",
        "judge",
        "answer",
        "appraise",
        "withdraw",
    )
}


def post(address: str, data: dict[str, Any]) -> None:
    """POST JSON. Raises Unsure where no answer, or a 5xx, came."""
    request = urllib.request.Request(
        address, data=json.dumps(data).encode(), headers={"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=15) as answer:
            answer.read()
    except urllib.error.HTTPError as error:
        if error.code >= 500 or error.code == 429:
            raise Unsure(f"{error.code}") from error
        raise RuntimeError(f"{error.code}: {error.read()[:300]!r}") from error
    except OSError as error:
        raise Unsure(str(error)) from error


def is_database_away(error: BaseException) -> bool:
    """Whether an error only says that the database is being restarted."""
    import psycopg
    from django.db import InterfaceError, OperationalError

    return isinstance(
        error,
        (
            OperationalError,
            InterfaceError,
            psycopg.OperationalError,
            psycopg.InterfaceError,
        ),
    )


def forget_connection() -> None:
    from django.db import connection

    connection.close()


def patiently(look: Callable[[], Any], *, seconds: float = 90) -> Any:
    """Read something, however often the database goes away meanwhile."""
    end = time.monotonic() + seconds
    while True:
        try:
            return look()
        except Exception as error:
            if not is_database_away(error) or time.monotonic() > end:
                raise
            forget_connection()
            time.sleep(0.15)


if __name__ == "__main__":
    main()
