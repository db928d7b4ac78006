"""Names keep no marks that turn the direction of writing."""

from __future__ import annotations

from typing import Any

import pytest

from cases.actors import service
from cases.directions import without_turns
from processes.acts.cases import get_case, open_case
from processes.storing import clean_filename

TURN, BACK = "\u202e", "\u2069"


def test_marks_of_direction_go_and_letters_of_every_script_stay() -> None:
    assert without_turns(f"{TURN}Zoë{BACK}\u202a") == "Zoë"
    assert without_turns("שלום \u05d0 مرحبا") == "שלום \u05d0 مرحبا"
    assert TURN not in clean_filename(f"invoice{TURN}fdp.exe")


@pytest.mark.django_db(transaction=True)
def test_titles_and_names_are_kept_without_them(claims: Any) -> None:
    facts = {
        "claimant_name": f"Zoë {TURN}elpmaxE",
        "email": "zoe@applicant.example",
        "amount": "250.00",
        "description": "Train",
        "account": "NL91ABNA0417164300",
        "unit": "library",
        "budget": "own",
    }
    made = open_case(kind="claim", facts=facts, title=f"{TURN}Claim{BACK}", actor=service("web"))
    case: Any = get_case(made.pk)
    assert (case.title, case.claimant_name) == ("Claim", "Zoë elpmaxE")
