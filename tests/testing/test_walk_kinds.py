"""Random walks through each kind that is shipped: nobody gets stuck in it.

A few ways each in the suite, always the same ones; `make campaign` walks many new ones.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from processes.onboarding.models import Activity, Relation
from processes.permit import rules
from processes.permit.messages import JUDGMENTS, VIEWS
from tests.onboarding.conftest import outside as relations_outside
from tests.sizes import sized

__all__ = ["relations_outside"]

Chance = random.Random
Facts = dict[str, Any]

IS_CAMPAIGN = "LONGCASE_CAMPAIGN" in os.environ
CASES = int(os.environ.get("LONGCASE_WALKS", "100")) if IS_CAMPAIGN else sized(2, 20)
SEED = None if IS_CAMPAIGN else 20


def euros(chance: Chance, most: int) -> str:
    return f"{chance.randint(1, most)}.{chance.randint(0, 99):02}"


def said_otherwise(facts: Callable[[Chance], Facts], *names: str) -> Callable[[Chance], Facts]:
    """One of these facts, as chance makes it once more."""

    def correction(chance: Chance) -> Facts:
        name = chance.choice(names)
        return {name: facts(chance)[name]}

    return correction


def why(chance: Chance) -> Facts:
    return {"reason": "It does not fit."}


# -- loans and fines


def applicant(chance: Chance) -> Facts:
    secured = chance.random() < 0.4
    return {
        "applicant_name": "Zoë Example",
        "national_id": f"99990{chance.randint(1, 9999):04}",
        "amount": chance.randint(500, 90_000),
        "income": chance.randint(500, 9_000),
        "secured": secured,
        "security": "A house in Utrecht" if secured else "",
    }


ANSWERS_OF_A_LOAN = {
    "offer_answer": lambda chance: {"answer": chance.choice(["accept", "decline"])},
    "appraisal": lambda chance: {"value": euros(chance, 900_000)},
}


def test_nobody_gets_stuck_with_a_loan(walk: Any, world: Any) -> None:
    ends = walk(
        "loan",
        cases=CASES,
        seed=SEED,
        facts=applicant,
        answers=ANSWERS_OF_A_LOAN,
        corrections=said_otherwise(applicant, "income", "amount"),
        restarts=True,
    )
    assert set(ends) & {"paid_out", "declined", "lapsed", "expired", "withdrawn"}
    assert sum(ends.values()) == CASES


def ruling(chance: Chance) -> Facts:
    return {"outcome": chance.choice(["upheld", "rejected"])}


def test_nobody_gets_stuck_with_a_fine(walk: Any) -> None:
    answers = {
        "posted": lambda chance: {"expenses": "9.00"},
        "payment": lambda chance: {"amount": euros(chance, 90)},
        "ruling_of_prefect": ruling,
        "ruling_of_judge": ruling,
    }
    ends = walk("enforcement", cases=CASES, seed=SEED, answers=answers, restarts=True)
    assert set(ends) & {"paid", "collection", "cancelled"}


# -- permits


def application(chance: Chance) -> Facts:
    return {
        "applicant_name": "Zoë Example",
        "email": chance.choice(["", "zoe@applicant.example"]),
        "site": "Dorpsstraat 1",
        "parts": " ".join(chance.sample(sorted(rules.PARTS), chance.randint(1, 3))),
        "by_default": chance.random() < 0.5,
        "received_on": chance.choice([None, date(2026, 11, 20)]),
    }


def advice(chance: Chance) -> Facts:
    return {"view": chance.choice(VIEWS), "text": "So we think."}


def objection(chance: Chance) -> Facts:
    return {"by": "A. Neighbour", "email": "", "grounds": "It takes my light."}


ANSWERS_OF_A_PERMIT = {
    **{f"advice_{party}": advice for party in rules.PARTIES},
    "objection": objection,
    "appeal": objection,
    "judgment": lambda chance: {"judgment": chance.choice(JUDGMENTS), "text": "So ordered."},
    "extend_term": why,
    "nothing_comes": why,
}


def test_nobody_gets_stuck_with_a_permit(walk: Any) -> None:
    ends = walk(
        "permit",
        cases=CASES,
        seed=SEED,
        facts=application,
        answers=ANSWERS_OF_A_PERMIT,
        corrections=said_otherwise(application, "parts"),
        restarts=True,
        acts=120,
    )
    assert set(ends) & {"archived", "withdrawn", "no_permit_needed"}


# -- claims, and what belongs to them


def claimed(chance: Chance) -> Facts:
    type = chance.choice(["expense", "insurance"])
    return {
        "claimant_name": "Zoë Example",
        "email": "zoe@applicant.example",
        "claim_type": type,
        "amount": euros(chance, 10 ** chance.randint(2, 5)),
        "account": chance.choice(["", "NL91ABNA0417164300"]),
        "unit": chance.choice(["library", "laboratory", ""]),
        "budget": chance.choice(["own", "project", "shared"]),
        "incurred_date": date(2026, 11, chance.randint(1, 29)),
        "needs_permit": type == "expense" and chance.random() < 0.3,
        "is_draft": chance.random() < 0.3,
    }


def submitted(chance: Chance) -> Facts:
    changes = {"amount": euros(chance, 9000), "unit": "library", "budget": "project"}
    return dict(chance.sample(sorted(changes.items()), chance.randint(0, 3)))


ANSWERS_OF_A_CLAIM = {
    "submitted": submitted,
    "resubmitted": submitted,
    "payment_rejected": why,
    "further_costs": lambda chance: {"amount": euros(chance, 900)},
}


def test_nobody_gets_stuck_with_a_claim(walk: Any, world: Any) -> None:
    ends = walk(
        "claim",
        cases=CASES,
        seed=SEED,
        facts=claimed,
        answers=ANSWERS_OF_A_CLAIM,
        corrections=said_otherwise(claimed, "unit", "budget", "account"),
        restarts=True,
    )
    assert set(ends) & {"paid", "rejected", "withdrawn", "lapsed"}


def trip(chance: Chance) -> Facts:
    begins = date(2026, 11, 20) + timedelta(days=chance.randint(0, 60))
    return {
        "claimant_name": "Zoë Example",
        "amount": euros(chance, 9000),
        "unit": chance.choice(["library", "laboratory"]),
        "budget": chance.choice(["own", "project", "shared"]),
        "destination": "Lisbon",
        "trip_start": begins,
        "trip_end": begins + timedelta(days=chance.randint(0, 20)),
    }


def test_nobody_gets_stuck_with_a_travel_permit(walk: Any) -> None:
    answers = {
        "permit_rejected": why,
        "claim_news": lambda chance: {"claim": "CL-2026-000001", "what": "paid"},
    }
    ends = walk(
        "travel_permit",
        cases=CASES,
        seed=SEED,
        facts=trip,
        answers=answers,
        corrections=said_otherwise(trip, "unit", "budget", "amount"),
        restarts=True,
        acts=90,
    )
    assert set(ends) & {"settled", "rejected", "withdrawn", "closed_unused"}


def test_nobody_gets_stuck_with_a_recovery(walk: Any, kit: Any, world: Any) -> None:
    def asked_back(chance: Chance) -> Facts:
        claim = kit.open("claim", claimant_name="Zoë Example", amount=900)
        return {
            "of_claim": claim.row.reference,
            "debtor_name": "Zoë Example",
            "amount": euros(chance, 900),
            "reason": "It was paid twice.",
        }

    answers = {"money_back": lambda chance: {"amount": euros(chance, 500)}}
    ends = walk(
        "recovery", cases=CASES, seed=SEED, facts=asked_back, answers=answers, restarts=True
    )
    assert set(ends) & {"recovered", "written_off", "withdrawn"}


# -- onboarding


NAMES = ["Ada Example", "Bob Sample", "Boris Listman", "Minister Mia"]


def business(chance: Chance) -> Facts:
    owners = [
        f"{name}; 1970-05-31; {chance.choice(['NL', 'DE', 'BR', 'IR'])}; {chance.randint(0, 25)}; "
        f"{chance.choice(['999900001', '999900100'])}"
        for name in chance.sample(NAMES, chance.choice([0, 1, 2, 2]))
    ]
    return {
        "name": chance.choice(["Example Bakery", "Example Bakery", "Ghostly Example"]),
        "relation": chance.choice(Relation.values),
        "registration_number": chance.choice(["12345678", "12345678", "12345600"]),
        "country": chance.choice(["NL", "NL", "DE", "BR", "IR"]),
        "activity": chance.choice(Activity.values),
        "turnover": euros(chance, 10 ** chance.randint(4, 7)),
        "owners": "\n".join(owners),
    }


def test_nobody_gets_stuck_with_an_onboarding(walk: Any, relations_outside: Any) -> None:
    answers = {"change_reported": lambda chance: {"what": "It has moved."}}
    ends = walk(
        "onboarding",
        cases=CASES,
        seed=SEED,
        facts=business,
        answers=answers,
        corrections=said_otherwise(business, "turnover", "owners", "country"),
        restarts=True,
        acts=120,
    )
    assert set(ends) & {"ended", "refused", "withdrawn", "lapsed"}
