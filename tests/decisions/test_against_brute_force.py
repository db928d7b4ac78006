"""Tables made at random, against trying every value one by one."""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations, product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from processes.decisions.csvfile import parse_csv
from processes.decisions.errors import NoDecision
from processes.decisions.sound import findings

NUMBERS = [Decimal(n) for n in range(1, 10)]
REGIONS = ["north", "south", "east"]
WORDS = ["low", "mid", "high"]


@st.composite
def number_test(draw: Any) -> tuple[str, frozenset[Decimal]]:
    """A cell, and the numbers from 1 to 9 that fit it."""
    low, high = sorted(draw(st.lists(st.integers(1, 9), min_size=2, max_size=2, unique=True)))
    kind = draw(st.sampled_from(["-", "<", ">=", "=", "range", "list", "not"]))
    match kind:
        case "-":
            text, fits = "-", lambda n: True
        case "<":
            text, fits = f"< {high}", lambda n: n < high
        case ">=":
            text, fits = f">= {low}", lambda n: n >= low
        case "=":
            text, fits = f"{low}", lambda n: n == low
        case "range":
            text, fits = f"[{low}..{high})", lambda n: low <= n < high
        case "list":
            text, fits = f"{low}, > {high}", lambda n: n == low or n > high
        case _:
            text, fits = f"not([{low}..{high}])", lambda n: not low <= n <= high
    return text, frozenset(n for n in NUMBERS if fits(n))


@st.composite
def region_test(draw: Any) -> tuple[str, frozenset[str]]:
    some = draw(st.lists(st.sampled_from(REGIONS), min_size=1, max_size=2, unique=True))
    kind = draw(st.sampled_from(["-", "list", "not"]))
    if kind == "-":
        return "-", frozenset(REGIONS)
    if kind == "list":
        return ", ".join(some), frozenset(some)
    return f"not({', '.join(some)})", frozenset(REGIONS) - frozenset(some)


@st.composite
def rules(draw: Any) -> list[tuple[Any, Any, str]]:
    found = draw(
        st.lists(
            st.tuples(number_test(), region_test(), st.sampled_from(WORDS)), min_size=1, max_size=6
        )
    )
    return [one for one in found if one[0][1]] or [
        (("-", frozenset(NUMBERS)), ("-", frozenset(REGIONS)), "low")
    ]


def as_table(made: list[Any], policy: str) -> Any:
    lines = [
        f'{number},"{first[0]}","{second[0]}",{word}'
        for number, (first, second, word) in enumerate(made, start=1)
    ]
    text = (
        f"table,made\nhit policy,{policy}\n\nrule,if n,if region,then who\n"
        f'type,whole [1..9],"text {", ".join(REGIONS)}","text {", ".join(WORDS)}"\n'
    )
    return parse_csv(text + "\n".join(lines) + "\n", file="made.csv")


def fitting(made: list[Any], n: Decimal, region: str) -> list[int]:
    return [i for i, (a, b, _) in enumerate(made, start=1) if n in a[1] and region in b[1]]


def expected(made: list[Any], policy: str, found: list[int]) -> Any:
    """The rules that answer; None where the table must refuse."""
    if policy == "COLLECT":
        return found
    words = {made[i - 1][2] for i in found}
    if not found or (policy == "UNIQUE" and len(found) > 1) or (policy == "ANY" and len(words) > 1):
        return None
    if policy == "PRIORITY":
        return [min(found, key=lambda i: (WORDS.index(made[i - 1][2]), i))]
    return found[:1]


@settings(max_examples=150, deadline=None)
@given(rules(), st.sampled_from(["UNIQUE", "FIRST", "ANY", "PRIORITY", "COLLECT"]))
def test_every_question_gets_the_answer_of_reading_the_rules_one_by_one(
    made: list[Any], policy: str
) -> None:
    table = as_table(made, policy)
    for n, region in product(NUMBERS, REGIONS):
        wanted = expected(made, policy, fitting(made, n, region))
        try:
            came = table.decide({"n": n, "region": region}).rules
        except NoDecision:
            came = None
        assert came == wanted, (n, region)


@settings(max_examples=150, deadline=None)
@given(rules())
def test_gaps_and_contradictions_are_found_exactly_where_they_are(made: list[Any]) -> None:
    told = [one.words for one in findings(as_table(made, "UNIQUE"))]
    points = {(n, r): fitting(made, n, r) for n, r in product(NUMBERS, REGIONS)}
    has_gap = any(not found for found in points.values())
    assert any(words.startswith("no rule for") for words in told) == has_gap
    pairs = {pair for found in points.values() for pair in combinations(found, 2)}
    assert {f"rules {a} and {b}" for a, b in pairs} == {
        words.partition(" both fit")[0] for words in told if "both fit" in words
    }


@settings(max_examples=100, deadline=None)
@given(rules())
def test_a_gap_that_is_closed_as_told_leaves_none(made: list[Any]) -> None:
    """Under FIRST a last rule for everything closes all gaps, and the rest stays as it was."""
    closed = [*made, (("-", frozenset(NUMBERS)), ("-", frozenset(REGIONS)), "high")]
    told = [one.words for one in findings(as_table(closed, "FIRST"))]
    assert not any(words.startswith("no rule for") for words in told)
