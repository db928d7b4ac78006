"""Of every column that can hold text it is declared what becomes of it, so none is forgotten."""

from __future__ import annotations

import pytest

from processes.erasing import registry
from processes.erasing.registry import Table


def test_every_column_that_can_hold_text_is_declared() -> None:
    left = list(registry.undeclared())
    assert not left, (
        "Say in processes/erasing/declared.py what becomes of these when a case is erased:\n"
        + "\n".join(left)
    )


def test_a_new_table_or_column_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict(registry._tables)
    del known["cases.Note"]
    known["cases.Task"] = Table("cases.Task", kept=["name"], of=known["cases.Task"].of)
    monkeypatch.setattr(registry, "_tables", known)
    left = list(registry.undeclared())
    assert "cases.Note: text" in left
    assert "cases.Task.reason" in left and "cases.Task.show" in left


def test_a_column_that_is_gone_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {**registry._tables, "cases.Note": Table("cases.Note", kept=["text", "colour"])}
    monkeypatch.setattr(registry, "_tables", known)
    assert list(registry.undeclared()) == ["cases.Note.colour is declared, and is no column"]
