"""The story of a permit from receipt to the archive, each branch once."""

from __future__ import annotations

from typing import Any

import pytest

from cases.models import Case, Letter, Task
from processes.acts.cases import get_case
from processes.models import Incident


def facts(case: Case) -> Any:
    return get_case(case.pk)


def test_a_permit_goes_from_receipt_to_the_archive(desk: Any, engine: Any) -> None:
    # Given an application of two parts, taken in and complete
    case = desk.to("assessment", parts="build fell")

    # When experts review both, it is drafted, decided and sent, and nobody objects
    assert desk.names(case) == ["content_build", "content_fell"]
    desk.do(case, "content_build", "conditions", "Use oak.")
    assert desk.step(case) == "assessment"
    desk.do(case, "content_fell", "for")
    assert desk.task(case, "draft").show["conditions"] == "Build: Use oak."
    desk.bring(case, "objection_term")
    desk.do(case, "publish", "done", published_on="2026-12-02")
    engine.advance(days=43)
    desk.do(case, "close_file", "archive")

    # Then it is archived as granted, and every turn has its letter
    after = facts(case)
    assert (after.step, after.outcome) == ("archived", "granted"), after.waits
    assert desk.letters(case) == [
        "confirmation",
        "in_assessment",
        "decision_granted",
        "irrevocable",
    ]
    assert not Incident.objects.exists()
    assert not Task.objects.filter(case_id=case.pk, state="open").exists()


def test_confirmation_and_stop_advice_run_side_by_side(desk: Any) -> None:
    # Given an application that came in
    case = desk.open()
    assert desk.names(case) == ["check_confirmation", "assess_stop"]

    # When one branch is done, the case still waits for the other
    desk.do(case, "assess_stop", "clear")
    desk.do(case, "decide_stop", "go_on")
    assert desk.step(case) == "receipt"
    for name, outcome in (
        ("check_confirmation", "pass"),
        ("determine_confirmation", "determine"),
        ("send_confirmation", "send"),
    ):
        desk.do(case, name, outcome)

    # Then it goes on when both are
    assert desk.step(case) == "completeness"
    assert desk.letters(case) == ["confirmation"]


def test_a_paper_goes_back_until_it_is_right_and_its_writer_never_judges_it(desk: Any) -> None:
    case = desk.open()
    desk.do(case, "check_confirmation", "adjust")
    desk.do(case, "adjust_confirmation", "done", by=desk.mayor)
    desk.do(case, "check_confirmation", "again")
    desk.do(case, "check_confirmation", "pass")
    with pytest.raises(Exception, match="four eyes"):
        desk.do(case, "determine_confirmation", "determine", by=desk.mayor)
    desk.do(case, "determine_confirmation", "adjust")
    desk.do(case, "adjust_confirmation", "done")
    desk.do(case, "check_confirmation", "pass")
    desk.do(case, "determine_confirmation", "determine", by=desk.mayor)
    desk.do(case, "send_confirmation", "send")
    assert desk.letters(case) == ["confirmation"]


def test_advice_of_colleagues_and_parties_is_gathered_and_shown(desk: Any) -> None:
    # Given an assessment that asks two colleagues and two parties
    case = desk.open()
    desk.do(
        case,
        "assess_stop",
        "advice",
        aspect_planning=True,
        aspect_roads=True,
        party_water_board=True,
        party_fire_service=True,
    )
    assert {"advice_planning", "advice_roads", "request_advice"} <= set(desk.names(case))

    # When all of them answer, one at its address and one by post
    desk.do(case, "advice_planning", "objects", "Too high.")
    desk.do(case, "advice_roads", "agrees", "")
    desk.do(case, "request_advice", "done")
    answer_at_its_address(case, "advice_water_board", view="agrees", text="")
    assert "assess_stop" not in desk.names(case)
    desk.say(case, "advice_fire_service", view="agrees_with_conditions", text="A ladder.")

    # Then the caseworker sees what they said, and parties got one letter each
    shown = desk.task(case, "assess_stop").show
    assert shown["Zoning plan"] == "objection: Too high."
    assert shown["Roads and trees"] == "no objection"
    assert shown["the water board"] == "no objection"
    assert shown["the fire service"] == "no objection, with conditions: A ladder."
    written = Letter.objects.filter(case_id=case.pk, template="permit/letters/advice.txt")
    assert sorted(one.to_name for one in written) == ["the fire service", "the water board"]


def answer_at_its_address(case: Case, name: str, **data: str) -> None:
    from processes.acts.messages import answer_callback
    from processes.callbacks import address_of

    current = get_case(case.pk)
    wait = next(w for w in current.waits if w["kind"] == "party" and w["name"] == name)
    address = address_of(f"{case.pk}.{current.visit}.{wait['command']}")
    answer_callback(token=address.rstrip("/").rpartition("/")[2], data=data)


def test_a_silent_party_is_reminded_and_then_left_out(desk: Any, engine: Any) -> None:
    case = desk.open()
    desk.do(case, "assess_stop", "advice", party_water_board=True)
    desk.do(case, "request_advice", "done")
    engine.advance(days=21)
    assert desk.letters(case).count("advice") == 2
    engine.advance(days=7)
    assert desk.task(case, "assess_stop").show["the water board"] == "no advice within the time"


def test_no_permit_is_needed(desk: Any) -> None:
    case = desk.open()
    desk.do(case, "assess_stop", "clear")
    desk.do(case, "decide_stop", "no_permit", "A fence of one metre is free.")
    desk.do(case, "create_unlicensed", "done")
    for paper in ("unlicensed", "confirmation"):
        desk.do(case, f"check_{paper}", "pass")
        desk.do(case, f"determine_{paper}", "determine")
        desk.do(case, f"send_{paper}", "send")
    after = facts(case)
    assert (after.step, after.outcome_reason) == (
        "no_permit_needed",
        "A fence of one metre is free.",
    )
    assert sorted(desk.letters(case)) == ["confirmation", "unlicensed"]


def test_grounds_to_hold_suspend_the_case_until_it_is_resumed(desk: Any, engine: Any) -> None:
    case = desk.open()
    desk.do(case, "assess_stop", "clear")
    desk.do(case, "decide_stop", "hold", "The zoning plan changes.")
    desk.do(case, "create_hold_report", "done")
    for paper in ("hold_report", "confirmation"):
        desk.do(case, f"check_{paper}", "pass")
        desk.do(case, f"determine_{paper}", "determine")
        desk.do(case, f"send_{paper}", "send")
    assert desk.step(case) == "suspended"
    assert desk.clock(case).is_paused
    engine.advance(days=200)
    desk.do(case, "resume", "resume")
    assert desk.step(case) == "completeness"
    assert desk.clock(case).is_running


def test_an_expert_asks_for_advice_before_the_review(desk: Any) -> None:
    case = desk.to("assessment")
    desk.do(case, "content_build", "advice", aspect_construction=True)
    desk.do(case, "advice_construction", "agrees_with_conditions", "Thicker beams.")
    assert "Thicker beams" in desk.task(case, "content_build").show["Construction"]
    desk.do(case, "content_build", "against", "It would fall down.")
    assert desk.task(case, "draft").show["against"] == "Build: It would fall down."


def test_a_refusal_names_its_grounds(desk: Any) -> None:
    case = desk.to("draft")
    desk.do(case, "draft", "refuse", "The plan forbids it.")
    desk.do(case, "decision", "decide")
    desk.do(case, "send_decision", "send")
    letter = Letter.objects.get(case_id=case.pk, template="permit/letters/decision_refused.txt")
    assert "The plan forbids it." in letter.text
    desk.bring(case, "archived")
    assert facts(case).outcome == "refused"


def test_a_decision_is_sent_back_to_be_drafted_anew_by_somebody_else_than_who_decides(
    desk: Any,
) -> None:
    case = desk.to("draft")
    desk.do(case, "draft", "grant", by=desk.mayor)
    with pytest.raises(Exception, match="four eyes"):
        desk.do(case, "decision", "decide", by=desk.mayor)
    desk.do(case, "decision", "draft_anew", "Say more of the roof.")
    desk.do(case, "draft", "grant")
    desk.do(case, "decision", "decide", by=desk.mayor)
    assert facts(case).decided_by == f"person:{desk.mayor.pk}"


def test_what_changes_after_a_review_is_assessed_anew(desk: Any) -> None:
    from cases.actors import Actor
    from processes.acts.cases import change_facts

    # Given a reviewed application
    case = desk.to("draft")

    # When the applicant asks for more
    change_facts(
        case_id=case.pk,
        changes={"parts": "build fell"},
        reason="A tree as well.",
        actor=Actor.of(desk.caseworker),
    )
    desk.do(case, "draft", "grant")

    # Then every part is reviewed once more
    assert desk.step(case) == "assessment"
    assert desk.names(case) == ["content_build_2", "content_fell_2"]
    desk.bring(case, "objection_term")
    assert facts(case).decision == "granted"
