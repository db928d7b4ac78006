"""History in sentences: each event has one, and the story leaves the machinery out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from cases import dates, sentences, standing, timeline
from cases.words import Words, party, plain
from tests.trial.models import Trial

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
KIND = SimpleNamespace(
    model=Trial,
    title="Trial",
    clocks={},
    document_titles={"payslip": "Payslip", "passport": "Passport"},
    message_titles={"change": "Change reported"},
    may_come=frozenset({"change"}),
    fact_words={},
    step_label=lambda step: plain(step),
)


def event(number: int, type: str, *, actor: str = "engine", days: float = 0, **data: Any) -> Any:
    return SimpleNamespace(
        number=number,
        type=type,
        data=data,
        actor=actor,
        on_behalf="",
        happened_at=START + timedelta(days=days),
    )


def told(*events: Any) -> list[timeline.Entry]:
    return timeline.story(events, Words(KIND))


def test_a_new_step_is_told_with_what_it_asks_for_at_once() -> None:
    [moved] = told(
        event(2, "step.entered", step="second", **{"from": "trying"}, transition="go_second"),
        event(3, "timer.set", due_at=START),
        event(4, "documents.requested", names=["payslip"], of="applicant"),
    )
    assert moved.title == "Moved to Second"
    assert moved.lines == ["From Trying.", "Documents asked of the applicant: Payslip"]
    assert moved.by == "Longcase, rule “go second”"


def test_papers_of_one_day_are_one_entry() -> None:
    [papers] = told(
        event(1, "document.received", actor="party:applicant", name="payslip", version=1),
        event(2, "document.received", actor="party:applicant", name="passport", version=1),
        event(3, "document.accepted", actor="party:applicant", name="payslip", version=1),
    )
    assert papers.lines == ["Payslip: received, accepted", "Passport: received"]
    assert papers.count == 3


def test_letters_and_the_answers_of_outsiders_are_part_of_the_story() -> None:
    letter = {"letter": 1, "subject": "We have your application", "to": "J. Hartog"}
    answer, sent = told(
        event(1, "activity.scheduled", command=1, name="processes.send_letter", on="the mail"),
        event(2, "activity.completed", command=1, result=letter),
        event(3, "activity.scheduled", command=2, name="loan.score_credit", on="the credit bureau"),
        event(4, "activity.scheduled", command=3, name="loan.count", on="Longcase"),
        event(5, "activity.completed", command=3, result=5),
        event(6, "activity.completed", command=2, result={"score": 712}),
    )
    assert (sent.title, sent.lines) == ("Letter: We have your application", ["To J. Hartog"])
    assert answer.title == "The credit bureau answered"
    assert answer.lines == ["Score credit: Score 712"]


def test_a_long_silence_is_one_line_under_the_entry_that_ended_it() -> None:
    newer, older = told(
        event(1, "note.added", actor="party:applicant", text="a"),
        event(2, "note.added", actor="party:applicant", text="b", days=14),
    )
    assert newer.silence == "14 days without events"
    assert not older.silence


def test_everything_hides_nothing_even_what_has_no_sentence_yet() -> None:
    events = [event(1, "timer.set", due_at=START), event(2, "weather.changed")]
    entries = timeline.everything(events, Words(KIND))
    assert [entry.title for entry in entries][0] == "Changed"
    assert len(entries) == 2


@pytest.mark.parametrize("type", sorted(sentences._tellers))
def test_each_sentence_bears_an_event_that_says_little(type: str) -> None:
    data = {"step": "trying", "name": "payslip", "command": 1}
    title, line = sentences.say(event(1, type, **data), Words(KIND))
    assert title and isinstance(line, str)


def test_due_dates_are_told_in_words() -> None:
    now = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
    for days, words, level in [
        (4, "in 4 days", "near"),
        (1, "tomorrow", "near"),
        (-3, "overdue 3 days", "late"),
        (-1, "overdue 1 day", "late"),
        (20, "in 20 days", ""),
    ]:
        due = dates.due(now + timedelta(days=days), now)
        assert (due.words, due.level) == (words, level)
    assert dates.due(now + timedelta(hours=1), now).words == "today at 11:00"
    assert dates.due(now - timedelta(hours=1), now).words == "overdue since 09:00"


def test_days_are_the_days_where_the_organisation_works() -> None:
    # 23:30 in UTC is half past midnight of the next day in Amsterdam
    late = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)
    assert dates.day(late) == "1 Dec 2026"
    assert dates.due(late, datetime(2026, 11, 30, 9, tzinfo=UTC)).words == "tomorrow"


def test_spans_and_ranges() -> None:
    assert dates.span(START, START + timedelta(days=12)) == "12 days"
    assert dates.span(START, START + timedelta(hours=3)) == "3 hours"
    assert dates.span(START, START + timedelta(seconds=10)) == "less than a minute"
    assert dates.from_to(START, START + timedelta(days=2), START) == "2–4 Nov"
    assert dates.from_to(START, START + timedelta(days=30), START) == "2 Nov – 2 Dec"


def test_parties_are_named_as_the_sentence_needs() -> None:
    assert party("applicant") == "the applicant"
    assert party("senior underwriter") == "the senior underwriter"
    assert party("the land registry") == "the land registry"
    assert party("Longcase") == "Longcase"


def test_the_rail_says_where_the_case_was_and_is() -> None:
    line = [("First", ["trying"]), ("Second", ["second"]), ("Skipped", ["x"]), ("Staff", ["staff"])]
    entries = [
        event(1, "step.entered", step="trying"),
        event(5, "step.entered", step="second", days=2),
        event(9, "step.entered", step="staff", days=4),
    ]
    case = SimpleNamespace(step="staff", is_open=True, closed_at=None)
    found = standing.rail(
        case,
        main_line=line,
        entries=entries,
        now=START + timedelta(days=5),  # type: ignore[arg-type]
    )
    assert [(one.state, one.words) for one in found] == [
        ("done", "2–4 Nov"),
        ("done", "4–6 Nov"),
        ("passed", "not needed"),
        ("now", "now, since 6 Nov"),
    ]


def test_a_step_that_comes_again_is_not_called_done() -> None:
    line = [("First", ["trying"]), ("Second", ["second"])]
    entries = [
        event(1, "step.entered", step="trying"),
        event(5, "step.entered", step="second", days=2),
        event(9, "step.entered", step="trying", days=4),
    ]
    case = SimpleNamespace(step="trying", is_open=True, closed_at=None)
    found = standing.rail(case, main_line=line, entries=entries, now=START)  # type: ignore[arg-type]
    assert [one.state for one in found] == ["now", "again"]


def test_the_rail_of_a_case_that_ended_on_the_way_says_where_it_was_left() -> None:
    line = [("First", ["trying"]), ("Second", ["second"]), ("Third", ["third"]), ("Last", ["end"])]
    entries = [
        event(1, "step.entered", step="trying"),
        event(5, "step.entered", step="second", days=2),
        event(9, "step.entered", step="third", days=4),
        event(12, "step.entered", step="second", days=6),
        event(15, "step.entered", step="withdrawing", days=8),
    ]

    def told(**more: Any) -> list[tuple[str, str]]:
        case: Any = SimpleNamespace(**more)
        found = standing.rail(case, main_line=line, entries=entries, now=START)
        return [(one.state, one.words) for one in found]

    wanted = [
        ("done", "2–4 Nov"),
        ("left", "4–10 Nov, ended here"),
        ("again", "6–8 Nov, not finished"),
        ("", ""),
    ]
    assert told(step="withdrawing", is_open=True, closed_at=None) == wanted
    entries.append(event(17, "step.entered", step="withdrawn", days=8))
    assert told(step="withdrawn", is_open=False, closed_at=START + timedelta(days=8)) == wanted


def test_the_rail_of_a_case_at_its_end_is_done() -> None:
    line = [("First", ["trying"]), ("Last", ["end"])]
    entries = [event(1, "step.entered", step="trying"), event(5, "step.entered", step="end")]
    case: Any = SimpleNamespace(step="end", is_open=False, closed_at=START)
    found = standing.rail(case, main_line=line, entries=entries, now=START)
    assert [one.state for one in found] == ["done", "done"]
