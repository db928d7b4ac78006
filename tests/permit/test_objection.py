"""Objection and appeal: within six weeks, later, and what becomes of the decision."""

from __future__ import annotations

from typing import Any

import pytest

from cases.errors import Invalid, NotAllowed
from cases.models import Letter
from processes.acts.cases import get_case


def test_it_becomes_irrevocable_when_six_weeks_are_over(desk: Any, engine: Any) -> None:
    case = desk.to("objection_term")
    engine.advance(days=42)
    assert desk.step(case) == "objection_term"
    engine.advance(days=1)
    assert desk.step(case) == "irrevocable"
    assert desk.letters(case)[-1] == "irrevocable"


def test_objections_are_treated_together_when_the_six_weeks_are_over(
    desk: Any, engine: Any
) -> None:
    # Given two objections within the term
    case = desk.to("objection_term")
    for who in ("A. Neighbour", "B. Neighbour"):
        desk.say(
            case,
            "objection",
            by=who,
            email=f"{who[0].lower()}@n.example",
            grounds="It takes my light.",
        )
    assert desk.step(case) == "objection_term"
    engine.advance(days=43)
    assert desk.step(case) == "objection"

    # When they are judged, by somebody else than who decided
    desk.do(case, "hearing", "done", held_on="2027-02-01")
    assert "A. Neighbour" in desk.task(case, "objection").show["objections_of"]
    with pytest.raises(NotAllowed, match="four eyes"):
        desk.do(case, "objection", "unfounded", by=desk.alderman)
    desk.do(case, "objection", "unfounded", "There is light enough.", by=desk.mayor)

    # Then all concerned are told, and the appeal term runs
    assert desk.step(case) == "appeal_term"
    told = Letter.objects.filter(
        case_id=case.pk, template="permit/letters/objection_unfounded.txt"
    ).values_list("to_email", flat=True)
    assert sorted(told) == ["a@n.example", "b@n.example", "zoe@applicant.example"]
    engine.advance(days=43)
    assert desk.step(case) == "irrevocable"


def test_a_founded_objection_leads_to_a_new_decision_without_a_legal_term(
    desk: Any, engine: Any
) -> None:
    case = desk.to("objection", by_default=True)
    desk.do(case, "hearing", "done")
    desk.do(case, "objection", "founded", "The light was not looked at.", by=desk.mayor)
    assert desk.step(case) == "draft"
    assert get_case(case.pk).decision == ""
    engine.advance(days=120)  # the term was for the first decision: nothing is granted by default
    assert desk.step(case) == "draft"
    desk.do(case, "draft", "refuse", "Too little light.")
    desk.bring(case, "archived")
    assert get_case(case.pk).outcome == "refused"


@pytest.mark.parametrize(
    ("judgment", "step", "letter"),
    [("upheld", "irrevocable", "judgment_upheld"), ("annulled", "draft", "judgment_annulled")],
)
def test_the_court_has_the_last_word(desk: Any, judgment: str, step: str, letter: str) -> None:
    case = desk.to("appeal")
    assert desk.letters(case)[-1] == "appeal_received"
    desk.say(case, "judgment", judgment=judgment, text="So we say.")
    assert desk.step(case) == step
    assert letter in desk.letters(case)


def test_a_late_objection_is_treated_only_when_it_is_excused(desk: Any) -> None:
    case = desk.to("irrevocable")
    desk.say(case, "objection", by="C. Neighbour", grounds="I was away.")
    desk.do(case, "late_objection", "too_late", "So are many.")
    assert desk.letters(case)[-1] == "objection_too_late"
    assert desk.names(case) == ["close_file"]
    desk.say(case, "objection", by="D. Neighbour", grounds="I was in hospital.")
    desk.do(case, "late_objection", "excused", "That is a reason.")
    assert desk.step(case) == "objection"
    assert "D. Neighbour" in get_case(case.pk).objectors


def test_a_waiver_makes_it_irrevocable_at_once(desk: Any) -> None:
    case = desk.to("objection_term")
    desk.move(case, "record_waiver")
    assert desk.step(case) == "irrevocable"


@pytest.mark.parametrize(
    ("name", "data", "field"),
    [
        ("objection", {"by": "", "grounds": "x"}, "by"),
        ("objection", {"by": "A", "grounds": ""}, "grounds"),
        ("objection", {"by": "A", "grounds": "x" * 4001}, "grounds"),
        ("judgment", {"judgment": "perhaps"}, "judgment"),
        ("judgment", {"judgment": "annulled"}, "text"),
        ("advice_water_board", {"view": "objects"}, "text"),
        ("advice_water_board", {"view": "agrees", "extra": "x"}, "extra"),
        ("nothing_comes", {}, "reason"),
    ],
)
def test_what_has_another_shape_is_refused_by_field(
    desk: Any, name: str, data: dict[str, str], field: str
) -> None:
    case = desk.open()
    with pytest.raises(Invalid) as refused:
        desk.say(case, name, **data)
    assert list(refused.value.fields) == [field]
