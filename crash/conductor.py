"""Leads a run: one round after the other, with all quiet before time goes on.

In each round the people do what is due; then, when nothing is left to do, the clock of the
installation is turned through every timer on the way to the next round. Blows fall all the while:
the rounds only make sure that both runs of a seed ask the same of the same cases.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from crash.ledger import last
from crash.people import ROUND, SOURCE, forget_connection, is_database_away, patiently
from crash.plans import NEVER, ROLES, TEAM, Plan, plan_of

GRACE = timedelta(hours=6)  # timers up to this after a round's beginning come before its acts
TOGETHER = timedelta(seconds=60)  # timers this close are passed at once
SETTLE_SECONDS = 150.0
SLOW_SECONDS = 4.0  # then the log says what is waited for


def stands_as_planned(plan: Plan, case: Any) -> bool:
    """Whether an open case waits for a task that nobody was ever going to do."""
    tasks = [wait["name"] for wait in case.waits if wait["kind"] == "task"]
    return plan.withdraws[0] != case.step and any(
        plan.reviews_after.get(name) == NEVER for name in tasks
    )


class Stuck(Exception):
    """Something does not come to rest; the text says what."""


class Conductor:
    """Runs in a thread of its own, beside the one that watches and strikes."""

    def __init__(
        self,
        *,
        folder: Path,
        seed: int,
        cases: int,
        begin: datetime,
        rounds: int,
        people: int,
        note: Callable[[str], None],
    ) -> None:
        self.folder, self.seed, self.cases, self.begin = folder, seed, cases, begin
        self.rounds, self.people, self.note = rounds, people, note
        self.round = 0
        self.is_ending = False
        self.incidents: Counter[str] = Counter()
        self.seconds: list[float] = []  # of each round
        self.failure: BaseException | None = None

    def prepare(self) -> None:
        """The people of the office, and the day on which it all begins."""
        from django.contrib.auth.models import Group

        from cases.models import Person, Team
        from timers import clock

        team = Team.objects.create(name=TEAM)
        for role, names in ROLES.items():
            group = Group.objects.get_or_create(name=role)[0]
            for name in names:
                person = Person.objects.create(username=name, first_name=name.title(), team=team)
                person.set_unusable_password()
                person.groups.add(group)
        clock.refresh()
        clock.turn(int((self.begin - clock.now()).total_seconds()) + 1)

    def run(self) -> None:
        try:
            while self.round < self.rounds:
                began = time.monotonic()
                self.live_round(self.round)
                self.seconds.append(time.monotonic() - began)
                if self.round > 6 and patiently(self.is_all_done):
                    break
                self.turn_to(self.begin + ROUND * (self.round + 1))
                self.round += 1
        except BaseException as failure:
            self.failure = failure
        finally:
            forget_connection()

    def live_round(self, number: int) -> None:
        half = self.folder / "round.half"
        half.write_text(str(number))
        half.rename(self.folder / "round")
        end = time.monotonic() + SETTLE_SECONDS
        while not self.people_are_done(number):
            if time.monotonic() > end:
                raise Stuck(f"The people were not done with round {number} in time.")
            time.sleep(0.03)
        self.settle()

    def people_are_done(self, number: int) -> bool:
        for mine in range(self.people):
            if last(self.folder / f"ledger-{mine}.jsonl").get("done") != number:
                return False
        return True

    def is_all_done(self) -> bool:
        """Whether each case is closed, or waits for people who by their plan never come."""
        from cases.models import Case

        opened = Case.objects.filter(source=SOURCE)
        still = list(opened.filter(closed_at=None))
        return opened.count() == self.cases and all(
            stands_as_planned(plan_of(self.seed, int(case.source_key)), case) for case in still
        )

    # -- quiet

    def settle(self) -> None:
        """Wait until nothing is left to do at this moment. Short pauses before another try are
        passed by turning the clock; incidents are noted, and operators try again."""
        end = time.monotonic() + SETTLE_SECONDS
        slow_at = time.monotonic() + SLOW_SECONDS
        while True:
            left = patiently(self.left_to_do)
            if time.monotonic() > slow_at:
                slow_at = time.monotonic() + SLOW_SECONDS
                self.note(f"round {self.round}, still to do: {patiently(self.activities)}")
            if not any(left.values()):
                if patiently(self.repair):
                    continue
                return
            if time.monotonic() > end:
                raise Stuck(f"Not at rest after {SETTLE_SECONDS:g} s in round {self.round}: {left}")
            time.sleep(0.03)

    def left_to_do(self) -> dict[str, int]:
        from django.db import connection

        from timers import clock

        clock.refresh_if_stale()
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT (SELECT count(*) FROM timers_timer WHERE due_at <= %s), "
                "(SELECT count(*) FROM cases_message WHERE state = 'new'), "
                "(SELECT count(*) FROM processes_activity WHERE state = 'due'), "
                "(SELECT count(*) FROM processes_activity WHERE state = 'due' AND due_at <= %s), "
                "(SELECT min(due_at) FROM processes_activity WHERE state = 'due')",
                [clock.now(), clock.now()],
            )
            timers, messages, activities, due, first_at = cursor.fetchone()
        if activities and not (timers or messages or due):
            pause = (first_at - clock.now()).total_seconds()
            if pause > 1.5:
                clock.turn(int(pause))
        return {"timers": timers, "messages": messages, "activities": activities}

    def activities(self) -> list[Any]:
        """What is left of activities, for the log of the campaign."""
        from processes.models import Activity

        fields = ("name", "lane", "attempt", "failures", "losses", "worker_id", "published_at")
        return list(Activity.objects.filter(state="due").values_list(*fields)[:8])

    def repair(self) -> bool:
        """Note incidents; let operators try again what failed outside. Whether there were any."""
        from cases.actors import Actor
        from cases.errors import Refused
        from cases.models import Person
        from processes.acts.incidents import retry_incident
        from processes.models import Incident

        found = list(Incident.objects.filter(closed_at=None).order_by("pk"))
        again = False
        for incident in found:
            self.incidents[f"{incident.kind}: {incident.cause}"] += 1
            if incident.kind == "activity":
                again = True
                try:
                    operator = Person.objects.get(username="otto")
                    retry_incident(incident_id=incident.pk, actor=Actor.of(operator))
                except Refused:
                    pass
        return again

    # -- time

    def turn_to(self, moment: datetime) -> None:
        """Through each timer on the way, in order."""
        end = time.monotonic() + 2 * SETTLE_SECONDS
        while time.monotonic() < end:
            try:
                if self._turn_towards(moment):
                    return
            except Exception as error:
                if not is_database_away(error):
                    raise
                forget_connection()
                time.sleep(0.15)
        raise Stuck(f"Time did not reach round {self.round + 1}.")

    def _turn_towards(self, moment: datetime) -> bool:
        from django.db import connection

        from timers import clock, due

        clock.refresh()
        now = clock.now()
        next_at = due.next_due(connection, now)
        if next_at is not None and next_at <= moment + GRACE:
            target = min(next_at + TOGETHER, moment + GRACE)
        elif now < moment:
            target = moment
        else:
            self.settle()
            return True
        seconds = int((target - now).total_seconds()) + 1
        clock.turn(seconds)
        self.settle()
        return False
