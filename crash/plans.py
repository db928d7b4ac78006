"""What the people of one loan case will do: drawn from the seed, before anything runs.

A plan knows no ids and no moments, only rounds (two days each), so that it is carried out in the
same way whatever is killed meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

NEVER = 10_000  # rounds
ROLES = {
    "caseworker": ("vera", "wim", "xena"),
    "underwriter": ("ursula", "umut", "ulla"),
    "senior underwriter": ("selma", "stan", "sofie"),
    "supervisor": ("petra",),
    "operator": ("otto",),
}
TEAM = "Loans"


@dataclass(frozen=True)
class Plan:
    """One customer and the people who handle the application."""

    number: int
    facts: dict[str, Any]
    opens: int  # round
    sends_after: int  # rounds; NEVER: silence, and the application lapses
    sends_halves: bool  # part of the documents first, the rest two rounds later
    rejects: str  # the document whose first version is rejected; empty: none
    reviews_after: dict[str, int] = field(default_factory=dict)  # task -> rounds; NEVER: stands
    outcomes: dict[str, list[str]] = field(default_factory=dict)  # task -> by visit, then approve
    gives_back: str = ""  # the task that its first holder gives back
    appraised_after: int = 2  # rounds; NEVER: the file goes on without
    answers_after: int = 2  # rounds; NEVER: the offer expires
    answer: str = "accept"
    withdraws: tuple[str, int] = ("", 0)  # step, rounds after it was entered

    def holder(self, task: str, role: str, visit: int, unlike: list[str]) -> str:
        """Who of the role takes a task. `unlike` are names."""
        free = [name for name in ROLES[role] if name not in unlike]
        return free[(self.number + visit + len(task)) % len(free)]

    def caseworker(self) -> str:
        return ROLES["caseworker"][self.number % 3]


TASKS = ("underwriting", "second_underwriting", "no_appraisal", "decision", "payout_refused")


def plan_of(seed: int, number: int) -> Plan:
    """The plan of the case with this number, the same for every run of a seed."""
    draw = Random(f"{seed}/plan/{number}")
    # The stand-ins decide by the last digits: 00 and 99 are unknown, 13 has a poor score.
    ending = draw.choices(
        (f"{draw.randrange(20, 90)}", "00", "99", "13"), weights=(88, 4, 4, 4), k=1
    )[0]
    secured = draw.random() < 0.35
    facts = {
        "applicant_name": f"Applicant {number}",
        "email": f"applicant{number}@example.com" if draw.random() < 0.9 else "",
        "national_id": f"{100000 + number}{ending}",
        "amount": f"{draw.choice((1500, 8000, 24_000, 49_000, 75_000, 180_000))}.00",
        "income": f"{draw.randrange(1800, 9000)}.00",
        "term_months": draw.choice((12, 36, 60, 120)),
        "secured": secured,
        "security": f"Building {number}" if secured else "",
    }
    withdraws = ("", 0)
    if draw.random() < 0.12:
        step = draw.choice(("awaiting_documents", "underwriting", "appraisal", "decision", "offer"))
        withdraws = (step, draw.randrange(0, 4))
    return Plan(
        number=number,
        facts=facts,
        opens=draw.randrange(0, 6),
        sends_after=draw.choice((0, 0, 1, 1, 2, 3, 4, 5, 8, NEVER)),
        sends_halves=draw.random() < 0.3,
        rejects=draw.choice(("", "", "", "payslip", "identity")),
        reviews_after={name: draw.choice((0, 0, 1, 1, 2, 4, 5)) for name in TASKS}
        | ({draw.choice(("underwriting", "decision")): NEVER} if draw.random() < 0.04 else {}),
        outcomes={
            "underwriting": [
                draw.choices(("approve", "send_back", "decline"), weights=(75, 17, 8))[0]
            ],
            "second_underwriting": [
                draw.choices(("approve", "send_back", "decline"), weights=(80, 12, 8))[0]
            ],
            "no_appraisal": [draw.choice(("go_on", "go_on", "decline"))],
            "decision": [draw.choices(("approve", "decline"), weights=(90, 10))[0]],
        },
        gives_back=draw.choice(("", "", "", "underwriting", "decision")),
        appraised_after=draw.choice((0, 1, 2, 4, 8, 9, NEVER)),
        answers_after=draw.choice((0, 1, 1, 2, 4, 9, NEVER)),
        answer=draw.choices(("accept", "decline"), weights=(85, 15))[0],
        withdraws=withdraws,
    )


@dataclass(frozen=True)
class Standing:
    """A case as its people find it at the beginning of a round."""

    case_id: int
    reference: str
    step: str
    visit: int
    waited: int  # rounds since the step was entered
    tasks: list[dict[str, Any]]  # id, name, role, visit, waited, unlike, times
    received: list[dict[str, Any]]  # documents to judge: id, name, version, waited
    missing: list[str]  # documents asked for
    versions: dict[str, int]  # the newest version by name
    question: str  # of the appraiser, unanswered: "case.visit.command"


def acts_for(plan: Plan, now: Standing) -> list[dict[str, Any]]:
    """What people do with this case in this round, in order."""
    here = {"case": now.case_id, "visit": now.visit}
    step, rounds = plan.withdraws
    if now.step == step and now.waited >= rounds:
        return [{**here, "act": "withdraw", "by": plan.caseworker()}]
    acts: list[dict[str, Any]] = []
    if now.step == "awaiting_documents":
        acts += _papers(plan, now, here)
    for task in now.tasks:
        acts += _work(plan, task, here)
    if now.step == "appraisal" and now.question and now.waited >= plan.appraised_after:
        value = f"{100_000 + 1000 * plan.number}.00"
        acts.append({**here, "act": "appraise", "question": now.question, "value": value})
    if now.step == "offer" and now.waited >= plan.answers_after:
        acts.append(
            {**here, "act": "answer", "key": f"answer-{plan.number}", "answer": plan.answer}
        )
    return acts


def _papers(plan: Plan, now: Standing, here: dict[str, Any]) -> list[dict[str, Any]]:
    acts: list[dict[str, Any]] = []
    for paper in now.received:
        if paper["waited"] >= 1:
            good = not (paper["name"] == plan.rejects and paper["version"] == 1)
            acts.append(
                {
                    **here,
                    "act": "judge",
                    "document": paper["id"],
                    "name": paper["name"],
                    "version": paper["version"],
                    "accept": good,
                    "by": plan.caseworker(),
                }
            )
    for place, name in enumerate(sorted(now.missing)):
        later = 2 if plan.sends_halves and place % 2 else 0
        if now.waited >= plan.sends_after + later and now.versions.get(name, 0) < 6:
            version = now.versions.get(name, 0) + 1
            acts.append({**here, "act": "send", "name": name, "version": version})
    return acts


def _work(plan: Plan, task: dict[str, Any], here: dict[str, Any]) -> list[dict[str, Any]]:
    if task["waited"] < plan.reviews_after[task["name"]]:
        return []
    listed = plan.outcomes.get(task["name"], [])
    usual = {"no_appraisal": "go_on", "payout_refused": "again"}.get(task["name"], "approve")
    outcome = listed[task["times"]] if task["times"] < len(listed) else usual
    of = {**here, "task": task["id"], "name": task["name"], "visit": task["visit"]}
    by = plan.holder(task["name"], task["role"], task["visit"], task["unlike"])
    acts = []
    if plan.gives_back == task["name"]:
        other = plan.holder(task["name"], task["role"], task["visit"], [*task["unlike"], by])
        acts += [{**of, "act": "claim", "by": other}, {**of, "act": "release", "by": other}]
    acts += [
        {**of, "act": "claim", "by": by},
        {**of, "act": "complete", "by": by, "outcome": outcome},
    ]
    return acts
