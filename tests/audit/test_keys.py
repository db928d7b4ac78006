"""The keys of cases: made, opened, wrapped anew, destroyed; and whose cases they are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from audit import keys, masters

NINE = datetime(2027, 1, 4, 9, tzinfo=UTC)
OTHER = ("other", os.urandom(32))


@pytest.fixture(autouse=True)
def _nothing_at_hand() -> Iterator[None]:
    keys.forget()
    yield
    keys.forget()


@pytest.fixture
def keep(db: None, django_capture_on_commit_callbacks: Any) -> Any:
    """Keep a key for each case, of these persons, and commit."""

    def keep(*case_ids: int, of: tuple[str, ...] = ()) -> list[keys.Made]:
        made = keys.make({i: [keys.mark(one) for one in of] for i in case_ids}, made_at=NINE)
        commits = django_capture_on_commit_callbacks(execute=True)
        with commits, connection.cursor() as cursor:
            keys.insert(cursor, made)
        return made

    return keep


def key_of(case_id: int) -> keys.Key:
    found = keys.opened(case_id)
    assert isinstance(found, keys.Key)
    return found


def seals(one: keys.Key) -> bytes:
    return one.cipher.encrypt(b"n" * 12, b"what was said", b"")


def test_a_key_is_read_back_as_it_was_made(keep: Any) -> None:
    [made] = keep(7)
    assert seals(key_of(7)) == seals(made.key)


def test_neither_the_row_nor_another_case_opens_a_key(keep: Any) -> None:
    [made] = keep(7)
    with pytest.raises(masters.NoMasterKey, match="does not open the key of case 8"):
        masters.unwrap(made.master, made.wrapped, case_id=8)


def test_a_case_without_a_key_says_what_is_missing(db: None) -> None:
    with pytest.raises(keys.NoKey, match="Case 7"):
        keys.opened(7)


def test_many_keys_take_one_query_and_then_none(keep: Any, django_assert_num_queries: Any) -> None:
    keep(1, 2, 3)
    with django_assert_num_queries(1):
        assert set(keys.fetch([1, 2, 3, 4])) == {1, 2, 3}
    with django_assert_num_queries(0):
        keys.opened(2)


def test_a_key_is_not_kept_at_hand_for_ever(keep: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(1)
    keys.opened(1)
    later = keys._age() + keys.KEPT_SECONDS + 1
    monkeypatch.setattr(keys, "_age", lambda: later)
    assert keys.known(1) is None


def test_only_so_many_are_kept_at_hand(keep: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "KEPT_MOST", 2)
    keep(1, 2, 3)
    keys.fetch([1, 2, 3])
    assert len(keys._kept) == 2


def test_a_destroyed_key_is_gone(keep: Any) -> None:
    keep(1, 2)
    keys.opened(1)
    assert keys.destroy([1], NINE) == [1]
    assert keys.opened(1) == keys.Destroyed(1, NINE)
    assert keys.destroyed([1, 2]) == {1: NINE}
    assert keys.destroy([1], NINE) == []
    assert isinstance(keys.opened(2), keys.Key)


def test_a_destruction_that_is_rolled_back_destroys_nothing(keep: Any) -> None:
    keep(1)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        keys.destroy([1], NINE)
        raise ZeroDivisionError
    assert isinstance(keys.opened(1), keys.Key)


def test_a_case_from_before_there_were_keys_can_be_closed_to_new_texts(db: None) -> None:
    assert keys.destroy([9], NINE) == [9]
    assert keys.opened(9) == keys.Destroyed(9, NINE)


@pytest.mark.parametrize(
    "act",
    [
        "DELETE FROM audit_casekey WHERE case_id = 1",
        "TRUNCATE audit_casekey",
        "UPDATE audit_casekey SET made_at = now() WHERE case_id = 1",
        "UPDATE audit_casekey SET case_id = 3 WHERE case_id = 1",
        "UPDATE audit_casekey SET wrapped = NULL WHERE case_id = 1",
        "UPDATE audit_casekey SET wrapped = '\\x01', destroyed_at = NULL WHERE case_id = 2",
        "UPDATE audit_casekey SET master = 'x' WHERE case_id = 2",
        "INSERT INTO audit_casekey SELECT * FROM audit_casekey WHERE case_id = 2",
    ],
)
def test_the_database_refuses_what_is_not_wrapping_or_destroying(keep: Any, act: str) -> None:
    keep(1, 2)
    keys.destroy([2], NINE)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(act)


def test_the_installations_own_key_cannot_be_destroyed(db: None) -> None:
    keys.mark("somebody")
    with pytest.raises(ValueError, match="belongs to no case"):
        keys.destroy([keys.OURS], NINE)
    act = "UPDATE audit_casekey SET wrapped = NULL, destroyed_at = now() WHERE case_id = 0"
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(act)


def test_all_cases_of_a_person_are_found_by_any_mark(keep: Any) -> None:
    keep(1, of=("jan example org", "nl91abna"))
    keep(2, of=("nl91abna",))
    keep(3, of=("piet example org",))
    keep(4)
    assert keys.persons_cases(keys.mark("nl91abna")) == [1, 2]
    assert keys.persons_cases(*keys.marks_of(1)) == [1, 2]
    assert keys.persons_cases(*keys.marks_of(4)) == []


def test_a_correction_moves_the_mark_and_destruction_takes_it(keep: Any) -> None:
    keep(1, 2, of=("jan",))
    with connection.cursor() as cursor:
        keys.move_marks(cursor, 1, [keys.mark("piet")])
    assert keys.persons_cases(keys.mark("piet")) == [1]
    keys.destroy([2], NINE)
    assert keys.persons_cases(keys.mark("jan")) == []


def test_a_mark_is_the_same_in_each_process_and_tells_nothing(keep: Any) -> None:
    found = keys.mark("jan")
    keys.forget()
    assert keys.mark("jan") == found != keys.mark("piet")
    assert b"jan" not in found


def test_keys_are_wrapped_anew_under_another_master_key(keep: Any, settings: Any) -> None:
    [made, _] = keep(1, 2)
    keys.mark("somebody")
    keys.destroy([2], NINE)
    before = settings.LONGCASE_MASTER_KEYS
    settings.LONGCASE_MASTER_KEYS = (OTHER, *before)
    assert keys.rewrap() == 2  # with the installation's own
    assert keys.rewrap() == 0
    assert keys.counts() == {"": 1, "other": 2}

    settings.LONGCASE_MASTER_KEYS = (OTHER,)
    keys.forget()
    assert seals(key_of(1)) == seals(made.key)


def test_a_missing_master_key_is_named(keep: Any, settings: Any) -> None:
    keep(1)
    keys.forget()
    settings.LONGCASE_MASTER_KEYS = (OTHER,)
    with pytest.raises(masters.NoMasterKey, match=r"“tests” is not among .*other"):
        keys.opened(1)
    settings.LONGCASE_MASTER_KEYS = ()
    with pytest.raises(masters.NoMasterKey, match="manage.py masterkey"):
        keys.make({3: []}, made_at=NINE)


class Vault:
    """A key service that turns each byte round."""

    def wrap(self, name: str, key: bytes) -> bytes:
        return bytes(255 - one for one in key)

    unwrap = wrap


def test_a_key_service_opens_the_master_keys(keep: Any, settings: Any) -> None:
    name, secret = OTHER
    settings.LONGCASE_KEY_SERVICE = f"{__name__}.Vault"
    settings.LONGCASE_MASTER_KEYS = ((name, Vault().wrap(name, secret)),)
    [made] = keep(1)
    settings.LONGCASE_KEY_SERVICE, settings.LONGCASE_MASTER_KEYS = "", (OTHER,)
    assert seals(key_of(1)) == seals(made.key)
