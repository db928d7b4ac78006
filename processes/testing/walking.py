"""Walks through a kind at random, and looks for what a person would get stuck in.

    def test_nobody_gets_stuck(walk):
        walk("grant", cases=30, answers={"confirmation": lambda chance: {"still": True}})

Each walk opens a case with chance facts and then does whatever is possible at that moment: somebody
decides a task in one of its ways, a document comes and is accepted or not, a message or an answer
arrives, staff take a transition, correct facts or restart the step, time passes to the next thing
that is due. The same seed walks the same way. It fails, telling the way it went, at

- an open case that waits for nothing, or for what nobody can bring;
- an incident: an outcome, an answer or an end of time that the code does not handle;
- a history that does not replay, or rows that do not equal it;
- a kind of which no case ever came to an end.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from cases.actors import Actor
from cases.errors import CaseChanged, Invalid
from cases.fsm import Edge, edges
from cases.models import Task
from processes.acts.restarting import preview_restart, restart_step
from processes.kinds import kind_of
from processes.testing import guessing, sound
from processes.testing.case import CaseUnderTest

if TYPE_CHECKING:
    from processes.testing.kit import Kit

Chance = random.Random
Act = tuple[str, Callable[[], Any]]
ACTS_AT_MOST = 60  # of one walk


class GotStuck(AssertionError):
    """A walk found what a person would get stuck in."""


class Walker:
    """Walks of one kind."""

    def __init__(
        self,
        kit: Kit,
        kind: str,
        *,
        cases: int = 20,
        seed: int | None = None,
        facts: Callable[[Chance], dict[str, Any]] | None = None,
        answers: Mapping[str, Callable[[Chance], Any]] | None = None,
        corrections: Callable[[Chance], dict[str, Any]] | None = None,
        restarts: bool = False,
        acts: int = ACTS_AT_MOST,
    ) -> None:
        """`facts` makes the facts of a case, unless its fields are to be guessed; `answers` makes
        the data of a message or of a third party's answer, by its name; `corrections` makes facts
        that staff correct now and then; with `restarts` they now and then restart a step."""
        given = os.environ.get("LONGCASE_WALK_SEED")
        self.kit = kit
        self.kind = kind_of(kind)
        self.cases = cases
        self.facts = facts or (lambda chance: guessing.facts_of(self.kind, chance))
        self.answers = dict(answers or {})
        self.corrections = corrections
        self.restarts = restarts
        self.acts = acts
        self.seed = seed if seed is not None else random.SystemRandom().randrange(1_000_000)
        if given:
            self.seed, self.cases = int(given), 1
        self.ends: dict[str, int] = {}  # step at the end -> how many walks

    def go(self) -> dict[str, int]:
        """Walk. Returns how many cases ended in which step. Raises GotStuck."""
        for number in range(self.cases):
            seed = self.seed + number
            way: list[str] = []
            try:
                last = self._walk(random.Random(seed), way)
            except GotStuck as stuck:
                raise GotStuck(
                    f"{stuck}\nThe way there:\n  "
                    + "\n  ".join(way)
                    + f"\nThe same way again: LONGCASE_WALK_SEED={seed}"
                ) from stuck
            self.ends[last] = self.ends.get(last, 0) + 1
        if not any(self.kind.is_closing(step) for step in self.ends):
            raise GotStuck(
                f"None of {self.cases} cases came to an end within {self.acts} acts; they stand at "
                f"{', '.join(self.ends)}. Seed {self.seed}."
            )
        return self.ends

    def _walk(self, chance: Chance, way: list[str]) -> str:
        random.seed(chance.random())  # the jitter of retries
        facts = self.facts(chance)
        way.append(f"opened with {facts}")
        try:
            case = self.kit.open(self.kind.name, facts)
        except Invalid as error:
            raise GotStuck(f"{error} Make facts that fit: facts=lambda chance: {{…}}.") from error
        for _ in range(self.acts):
            self._look(case)
            if not case.is_open:
                break
            words, act = self._choose(case, chance)
            way.append(f"{case.step}: {words}")
            try:
                act()
            except CaseChanged:
                continue
            except Invalid as error:
                raise GotStuck(
                    f"“{words}” was refused: {error} Say what fits: facts=…, or answers={{name: "
                    "lambda chance: {…}}."
                ) from error
        for one in [case, *self._family(case)]:
            try:
                sound.check_case(one.pk)
            except Exception as error:
                raise GotStuck(f"{one!r} does not fit its history: {error}") from error
        return str(case.step)

    # -- looking

    def _family(self, case: CaseUnderTest) -> list[CaseUnderTest]:
        found = []
        for one in case.subcases:
            found += [one, *self._family(one)]
        return found

    def _look(self, case: CaseUnderTest) -> None:
        for one in [case, *self._family(case)]:
            incident = one.incident
            if incident is not None:
                raise GotStuck(
                    f"{one!r} stopped: {incident.title}. {incident.came} {incident.remedy}"
                )
            if one.is_open and not one.waits:
                raise GotStuck(f"{one!r} is open and waits for nobody.")

    # -- choosing

    def _choose(self, case: CaseUnderTest, chance: Chance) -> Act:
        likely: list[Act] = []
        rare: list[Act] = []
        for one in [case, *self._family(case)]:
            if one.is_open:
                likely += self._possible(one, chance)
                rare += self._by_hand(one, chance)
                rare += self._restart(one, chance)
        if self.corrections is not None:
            changes = self.corrections(chance)
            rare.append((f"staff correct {changes}", partial(case.correct, **changes)))
        due = self.kit.engine.next_due()
        if due is not None:
            likely.append((f"time passes to {due:%d %b %Y %H:%M}", lambda: self._until(due)))
        if not likely and not rare:
            waits = "; ".join(f"{w['kind']} {w['name']} on {w['on']}" for w in case.waits)
            raise GotStuck(f"{case!r} waits for what nobody can bring: {waits}.")
        if rare and (not likely or chance.random() < 0.1):
            return chance.choice(rare)
        return chance.choice(likely)

    def _until(self, moment: Any) -> None:
        self.kit.engine.until(moment)
        self.kit.settle()

    def _possible(self, case: CaseUnderTest, chance: Chance) -> list[Act]:
        found: list[Act] = [self._decision(case, task, chance) for task in case.tasks]
        for wait in case.waits:
            name = wait["name"]
            if wait["kind"] == "documents":
                found += self._papers(case, wait, chance)
            elif wait["kind"] == "message":
                found.append(self._message(case, name, chance))
            elif wait["kind"] == "party":
                data = self._data(case, name, chance)
                found.append((f"{wait['on']} answers {data}", partial(case.answer, name, data)))
        return found

    def _decision(self, case: CaseUnderTest, task: Task, chance: Chance) -> Act:
        outcome, _label, needs_reason = chance.choice(task.outcomes)
        result = {name: guessing.asked(kind, chance) for name, _, kind in task.asks}
        reason = "by chance" if needs_reason or chance.random() < 0.3 else ""
        name = task.name

        def act() -> None:
            case.decide(outcome, task=name, reason=reason, **result)

        return f"{task.role} decides {name}: {outcome} {result or ''}", act

    def _papers(self, case: CaseUnderTest, wait: dict[str, Any], chance: Chance) -> list[Act]:
        if not wait["missing"]:
            return []
        name, of = chance.choice(wait["missing"]), wait["on"]
        return [
            (f"{name} is handed in and accepted", lambda: case.accept(name, of=of)),
            (f"{name} is rejected", lambda: case.reject(name, reason="by chance", of=of)),
        ]

    def _message(self, case: CaseUnderTest, name: str, chance: Chance) -> Act:
        data = self._data(case, name, chance)
        return f"the message {name} comes: {data}", lambda: case.send(name, data)

    def _by_hand(self, case: CaseUnderTest, chance: Chance) -> list[Act]:
        step = case.step
        move: Any = case.move

        def act_of(edge: Edge) -> Act:
            asked = dict.fromkeys(edge.asks, "by chance")
            return f"staff: {edge.label}", partial(move, edge.name, **asked)

        return [
            act_of(edge)
            for edge in edges(case.model)
            if edge.staff and (step in edge.sources or "*" in edge.sources)
        ]

    def _restart(self, case: CaseUnderTest, chance: Chance) -> list[Act]:
        if not self.restarts:
            return []
        operator = Actor.of(self.kit.person("operator"))
        row = case.row
        done = preview_restart(case=row, actor=operator).done
        keep = [one.number for one in done if chance.random() < 0.5]

        def act() -> None:
            restart_step(case_id=row.pk, reason="by chance", keep=keep, actor=operator)
            self.kit.settle()

        return [(f"an operator restarts the step, keeping {keep or 'nothing'}", act)]

    def _data(self, case: CaseUnderTest, name: str, chance: Chance) -> Any:
        made = self.answers.get(name)
        return made(chance) if made is not None else {}
