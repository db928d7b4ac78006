"""Each way to falsify a history is found, and its first wrong event named."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from audit import read, record, verify
from audit.chain import GENESIS, link
from tests.audit.conftest import NINE, History

FORGED = "INSERT INTO audit_event VALUES (%s, %s, 'forged', '{}', 'person:1', '', %s, %s, %s)"


def found(history: History) -> tuple[int, str] | None:
    finding = verify.verify_case(*history.head)
    # Verifying one case and verifying all must agree.
    assert list(verify.verify_chains([history.head])) == ([finding] if finding else [])
    return (finding.number, finding.sort) if finding else None


@pytest.fixture
def history(write_history: Callable[..., History]) -> History:
    return write_history(events=6)


def test_a_sound_history_has_no_finding(history: History):
    assert found(history) is None


def test_a_case_without_events_is_sound(db: None):
    assert found(History(1)) is None


@pytest.mark.parametrize(
    "change",
    [
        "data = '{\"amount\":9}'",
        "data = '{\"amount\": 3000}'",  # the same data, spelled otherwise
        "type = 'other'",
        "actor = 'person:1'",
        "on_behalf = 'person:1'",
        "happened_at = happened_at + interval '1 microsecond'",
        "recorded_at = recorded_at - interval '1 day'",
        "hash = sha256(hash)",
    ],
)
def test_a_change_of_any_column_is_found(history: History, tamper: Any, change: str):
    tamper(f"UPDATE audit_event SET {change} WHERE case_id = 1 AND number = 3")

    assert found(history) == (3, "changed")


def test_a_change_with_its_own_hash_is_found_at_the_next_event(history: History, tamper: Any):
    events = read.events_of(1)
    forged = link(events[1].hash, 1, 3, "forged", "{}", "engine", "", NINE, NINE)
    tamper(
        "UPDATE audit_event SET type = 'forged', data = '{}', happened_at = %s, recorded_at = %s, "
        "hash = %s WHERE case_id = 1 AND number = 3",
        NINE,
        NINE,
        forged,
    )

    assert found(history) == (4, "changed")


def test_a_history_rewritten_to_its_end_does_not_fit_the_head(history: History, tamper: Any):
    honest = read.events_of(1)
    tamper("DELETE FROM audit_event WHERE case_id = 1")
    forger = History(1)
    for event in honest:
        forger.add("fact.changed", amount=event.data["amount"] + 1)

    assert found(history) == (6, "rewritten")
    assert found(forger) is None  # who can change the head too leaves no trace here


def test_a_removed_event_is_a_gap(history: History, tamper: Any):
    tamper("DELETE FROM audit_event WHERE case_id = 1 AND number IN (3, 4)")

    assert found(history) == (3, "gap")


def test_a_removed_first_event_is_a_gap(history: History, tamper: Any):
    tamper("DELETE FROM audit_event WHERE case_id = 1 AND number = 1")

    assert found(history) == (1, "gap")


def test_closing_the_gap_with_new_numbers_is_found(history: History, tamper: Any):
    tamper("DELETE FROM audit_event WHERE case_id = 1 AND number = 3")
    for number in (4, 5, 6):
        tamper(
            "UPDATE audit_event SET number = %s WHERE case_id = 1 AND number = %s",
            number - 1,
            number,
        )

    assert found(history) == (3, "gap")


@pytest.mark.parametrize("other", [3, 5, 6])
def test_two_events_that_changed_places_are_found(history: History, tamper: Any, other: int):
    for old, new in ((2, 999), (other, 2), (999, other)):
        tamper("UPDATE audit_event SET number = %s WHERE case_id = 1 AND number = %s", new, old)

    assert found(history) == (2, "swapped")


@pytest.mark.parametrize("other", [3, 5])
def test_two_events_that_changed_content_but_not_hashes_are_found(
    history: History, tamper: Any, other: int
):
    tamper(
        "UPDATE audit_event AS here SET data = there.data, recorded_at = there.recorded_at, "
        "happened_at = there.happened_at FROM audit_event AS there WHERE here.case_id = 1 "
        "AND there.case_id = 1 AND here.number IN (2, %s) AND there.number = 2 + %s - here.number",
        other,
        other,
    )

    assert found(history) == (2, "swapped")


@pytest.mark.parametrize("first", [1, 3, 6])
def test_an_event_put_in_between_is_found(history: History, tamper: Any, first: int):
    for number in range(6, first - 1, -1):
        tamper(
            "UPDATE audit_event SET number = %s WHERE case_id = 1 AND number = %s",
            number + 1,
            number,
        )
    tamper(FORGED, 1, first, NINE, NINE, bytes(32))

    assert found(history) == (first, "inserted")


def test_an_event_put_in_after_the_head_is_found_though_its_hash_fits(
    history: History, tamper: Any
):
    forged = link(history.head_hash, 1, 7, "forged", "{}", "person:1", "", NINE, NINE)
    tamper(FORGED, 1, 7, NINE, NINE, forged)

    assert found(history) == (7, "inserted")


def test_a_tail_cut_off_is_found(history: History, tamper: Any):
    tamper("DELETE FROM audit_event WHERE case_id = 1 AND number >= 5")

    assert found(history) == (5, "cut_tail")


def test_a_history_cut_off_wholly_is_found(history: History, tamper: Any):
    tamper("DELETE FROM audit_event WHERE case_id = 1")

    assert found(history) == (1, "cut_tail")


def test_another_head_is_found(history: History):
    history.head_hash = GENESIS

    assert found(history) == (6, "rewritten")


# --- All of history ------------------------------------------------------------------------


def test_one_finding_a_case_and_sound_cases_pass(write_history: Any, tamper: Any):
    heads = [write_history(case_id, events=3).head for case_id in (1, 2, 3, 5)]
    tamper("UPDATE audit_event SET actor = 'person:1' WHERE case_id = 2")
    tamper("DELETE FROM audit_event WHERE case_id = 5 AND number = 3")

    findings = list(verify.verify_chains(heads))

    assert [(one.case_id, one.number, one.sort) for one in findings] == [
        (2, 1, "changed"),
        (5, 3, "cut_tail"),
    ]
    assert "Event 1 is not what was recorded" in findings[0].words


def test_history_without_a_case_is_found(write_history: Any):
    heads = {case_id: write_history(case_id, events=2).head for case_id in (1, 2, 3, 4)}

    findings = list(verify.verify_chains([heads[2], heads[3]]))

    assert [(one.case_id, one.sort) for one in findings] == [(1, "inserted"), (4, "inserted")]


def test_an_event_moved_to_another_case_is_found_in_both(write_history: Any, tamper: Any):
    heads = [write_history(1, events=4).head, write_history(2, events=3).head]
    tamper("UPDATE audit_event SET case_id = 2 WHERE case_id = 1 AND number = 4")

    findings = list(verify.verify_chains(heads))

    assert [(one.case_id, one.number, one.sort) for one in findings] == [
        (1, 4, "cut_tail"),
        (2, 4, "inserted"),
    ]


def test_heads_out_of_order_are_refused_rather_than_misread(write_history: Any):
    heads = [write_history(case_id, events=1).head for case_id in (2, 1)]

    with pytest.raises(ValueError, match="ascending"):
        list(verify.verify_chains(heads))


@pytest.mark.django_db(transaction=True)
def test_work_that_goes_on_meanwhile_is_no_finding(write_history: Any):
    history = write_history(events=3)
    with verify.snapshot():
        read_before = history.head
        # Another connection commits a further event while this one verifies.
        other = connection.copy()
        try:
            with other.cursor() as cursor:
                event = record.chain(
                    record.Draft(
                        head=history, type="noted", data={}, actor="engine", recorded_at=NINE
                    )
                )
                record.write(cursor, [event])
        finally:
            other.close()
        assert list(verify.verify_chains([read_before])) == []

    with verify.snapshot():
        assert list(verify.verify_chains([history.head])) == []
