"""`manage.py masterkey` and `rewrapkeys`: changing the master key as docs/running.md says."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from audit import keys
from config import environment

NINE = datetime(2027, 1, 4, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _nothing_at_hand() -> Iterator[None]:
    keys.forget()
    yield
    keys.forget()


def said(name: str, *arguments: str) -> str:
    out = StringIO()
    call_command(name, *arguments, stdout=out)
    return out.getvalue()


def in_settings(monkeypatch: pytest.MonkeyPatch, *lines: str) -> Any:
    """What settings make of a variable that holds these lines of `masterkey`."""
    monkeypatch.setenv("LONGCASE_MASTER_KEYS", ",".join(line.strip() for line in lines))
    return environment.master_keys("LONGCASE_MASTER_KEYS", "")


def keep(*case_ids: int) -> None:
    with connection.cursor() as cursor:
        keys.insert(cursor, keys.make({case_id: [] for case_id in case_ids}, made_at=NINE))
    keys.forget()


def test_the_key_is_changed_as_the_docs_say(
    transactional_db: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given an installation with one key, made by the command
    old = said("masterkey", "2026-a")
    settings.LONGCASE_MASTER_KEYS = in_settings(monkeypatch, old)
    keep(1, 2, 3)
    keys.destroy([3], NINE)

    # When another is put before it, and the keys of cases are wrapped anew
    new = said("masterkey", "2027-a")
    assert new != old
    settings.LONGCASE_MASTER_KEYS = in_settings(monkeypatch, new, old)
    assert said("rewrapkeys", "--check") == "        1 destroyed\n        2 under “2026-a”\n"
    assert said("rewrapkeys").startswith("2 keys were wrapped anew under “2027-a”.\n")
    assert said("rewrapkeys").startswith("0 keys")  # again, after a stop, changes nothing

    # Then the old one is not needed any more, and a case opens without it
    assert said("rewrapkeys", "--check") == "        1 destroyed\n        2 under “2027-a”\n"
    settings.LONGCASE_MASTER_KEYS = in_settings(monkeypatch, new)
    keys.forget()
    assert isinstance(keys.opened(1), keys.Key) and isinstance(keys.opened(3), keys.Destroyed)


def test_without_the_old_key_nothing_is_wrapped_and_the_lack_is_named(
    transactional_db: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LONGCASE_MASTER_KEYS = in_settings(monkeypatch, said("masterkey", "old"))
    keep(1, 2)
    settings.LONGCASE_MASTER_KEYS = in_settings(monkeypatch, said("masterkey", "new"))
    with pytest.raises(CommandError, match="“old” is not among LONGCASE_MASTER_KEYS .*new"):
        said("rewrapkeys")
    assert keys.counts() == {"old": 2}
    settings.LONGCASE_MASTER_KEYS = ()
    with pytest.raises(CommandError, match="There is no master key"):
        said("rewrapkeys")


@pytest.mark.parametrize("name", ["", "a:b", "x" * 65, "two words"])
def test_a_name_that_could_not_be_told_apart_is_refused(name: str) -> None:
    with pytest.raises(CommandError, match="letters, digits, dots and dashes"):
        said("masterkey", name)


def test_a_name_that_is_taken_is_refused(settings: Any) -> None:
    with pytest.raises(CommandError, match="“tests” already"):
        said("masterkey", settings.LONGCASE_MASTER_KEYS[0][0])
