"""What a cell of a table can say, and what it refuses."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from processes.decisions.cells import Type, Unreadable, read_test, read_type

NUMBER, MONEY, TEXT = Type("number"), Type("money"), Type("text")
DATE, YES, MAYBE = Type("date"), Type("yes/no"), Type("number", optional=True)


@pytest.mark.parametrize(
    ("kind", "text", "fits", "fits_not"),
    [
        (NUMBER, "< 5", [4, Decimal("4.999")], [5, 6]),
        (NUMBER, "<=5", [5], [Decimal("5.001")]),
        (NUMBER, "[1..5]", [1, 3, 5], [Decimal("0.9"), Decimal("5.1")]),
        (NUMBER, "(1..5)", [2], [1, 5]),
        (NUMBER, "]1..5[", [2], [1, 5]),
        (NUMBER, "[1..5)", [1], [5]),
        (NUMBER, "1, 3, > 10", [1, 3, 11], [2, 10]),
        (NUMBER, "not(1, [5..7])", [2, 8], [1, 5, 6, 7]),
        (NUMBER, "not(< 0)", [0, 1], [-1]),
        (NUMBER, "!= 3", [2, 4], [3]),
        (NUMBER, "-5", [-5], [5]),
        (NUMBER, "-", [0, 10**20], []),
        (TEXT, '"north", "south"', ["north", "south"], ["east", "North"]),
        (TEXT, "north, far south", ["north", "far south"], ["south"]),
        (TEXT, "not(north, south)", ["east", ""], ["north", "south"]),
        (TEXT, '"a, b"', ["a, b"], ["a"]),
        (TEXT, r'"say \"so\""', ['say "so"'], ["say so"]),
        (TEXT, '!= "north"', ["south"], ["north"]),
        (DATE, ">= 2026-01-01", [date(2026, 1, 1)], [date(2025, 12, 31)]),
        (
            DATE,
            'date("2026-01-01"), [2027-01-01..2027-02-01]',
            [date(2026, 1, 1), date(2027, 1, 5)],
            [date(2026, 1, 2)],
        ),
        (
            DATE,
            '[date("2027-01-01")..date("2027-02-01"))',
            [date(2027, 1, 31)],
            [date(2027, 2, 1)],
        ),
        (YES, "true", [True], [False]),
        (YES, "no", [False], [True]),
        (YES, "not(yes)", [False], [True]),
        (MAYBE, "null", [None], [1]),
        (MAYBE, "< 5, null", [None, 4], [5]),
        (MAYBE, "not(null)", [1], [None]),
        (MAYBE, "not(< 5)", [5], [None, 4]),
        (MAYBE, "-", [None, 1], []),
    ],
)
def test_a_cell_fits_what_it_says(kind: Type, text: str, fits: list, fits_not: list) -> None:
    test = read_test(text, kind)
    assert [value for value in fits if not test.holds(value)] == []
    assert [value for value in fits_not if test.holds(value)] == []


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        (NUMBER, "five", "no number"),
        (NUMBER, "1e5", "no number"),
        (NUMBER, "5 < x", "cannot be read"),
        (NUMBER, "[5..1]", "holds nothing"),
        (NUMBER, "(5..5)", "holds nothing"),
        (NUMBER, "not(5", "not closed"),
        (NUMBER, "5,", "cannot be read"),
        (NUMBER, ", 5", "cannot be read"),
        (NUMBER, "null", "optional"),
        (MONEY, "> 5.001", "2 decimals"),
        (TEXT, "[a..b]", "has no ranges"),
        (TEXT, "> north", "cannot be compared"),
        (TEXT, '"open', "cannot be read"),
        (DATE, "2026-02-30", "no date"),
        (DATE, "1 May", "no date"),
        (YES, "perhaps", "neither yes nor no"),
    ],
)
def test_what_a_cell_cannot_say_is_refused_in_words(kind: Type, text: str, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        read_test(text, kind)


@pytest.mark.parametrize(
    ("text", "value", "words"),
    [
        ("money > 0", Decimal("0.00"), "0 is not an amount: > 0"),
        ("money", Decimal("1.005"), "at most 2 decimals"),
        ("whole", Decimal("1.5"), "no decimals"),
        ("number", 1.5, "is not a number"),
        ("number", True, "is not a number"),
        ("number", Decimal("NaN"), "no number"),
        ("number", None, "must be a number"),
        ("text north, south", "east", "east is not a text: north, south"),
        ("date", "2026-01-01", "is not a date"),
        ("yes/no", 1, "is not yes or no"),
    ],
)
def test_a_fact_that_does_not_fit_its_column_is_refused(text: str, value: Any, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        read_type(text).take(value)


def test_an_optional_column_may_be_empty() -> None:
    assert read_type("optional money > 0").take(None) is None


def test_an_unknown_type_names_those_there_are() -> None:
    with pytest.raises(Unreadable, match="number, whole, money, date, text, yes/no"):
        read_type("float")
