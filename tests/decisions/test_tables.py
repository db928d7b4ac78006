"""Tables answer by their hit policy, say why, and are refused where they are wrong."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from processes.decisions.csvfile import parse_csv
from processes.decisions.errors import BadTable, NoDecision
from processes.decisions.library import load
from processes.decisions.rows import check_folder, untested
from processes.decisions.sound import findings

HEAD = 'rule,if amount,if region,then who\ntype,money > 0,"text north, south","text low, high"\n'


def table(rules: str, policy: str = "UNIQUE", more: str = "") -> Any:
    text = f"table,test\nhit policy,{policy}\n{more}\n{HEAD}{rules}"
    return parse_csv(text, file="test.csv")


def asked(version: Any, amount: int = 10, region: str = "north") -> Any:
    return version.decide({"amount": amount, "region": region})


TWO = "1,< 20,-,low\n2,> 5,-,high\n"


def test_unique_refuses_two() -> None:
    with pytest.raises(NoDecision, match="rules 1, 2 all fit amount 10 and region north"):
        asked(table(TWO))


@pytest.mark.parametrize(
    ("policy", "rules", "who"), [("FIRST", [1], "low"), ("F", [1], "low"), ("PRIORITY", [1], "low")]
)
def test_first_and_priority_choose(policy: str, rules: list[int], who: str) -> None:
    found = asked(table(TWO, policy))
    assert (found.rules, found["who"]) == (rules, who)


def test_priority_goes_by_the_order_of_the_values_and_not_of_the_rules() -> None:
    found = asked(table("1,< 20,-,high\n2,> 5,-,low\n", "PRIORITY"))
    assert (found.rules, found["who"]) == ([2], "low")


def test_any_takes_rules_that_say_the_same() -> None:
    assert asked(table("1,< 20,-,low\n2,> 5,-,low\n", "ANY"))["who"] == "low"
    with pytest.raises(NoDecision, match="do not say the same"):
        asked(table(TWO, "ANY"))


def test_collect_gives_all_without_repetition() -> None:
    found = asked(table(TWO + "3,-,north,low\n", "COLLECT"))
    assert found.rules == [1, 2, 3]
    assert found["who"] == ["low", "high"]
    assert asked(table("1,> 50,-,low\n", "COLLECT")).rules == []


@pytest.mark.parametrize(("how", "value"), [("SUM", 13), ("MIN", 3), ("MAX", 10), ("COUNT", 2)])
def test_collect_sums_up(how: str, value: int) -> None:
    text = (
        f"table,fee\nhit policy,COLLECT\naggregation,{how}\n\n"
        "rule,if amount,then fee\ntype,money,number\n1,> 5,10\n2,> 6,3\n3,> 90,7\n"
    )
    assert parse_csv(text, file="fee.csv").decide({"amount": 10}).outputs == value


def test_a_decision_says_why_in_words() -> None:
    version = table("1,<= 20,north,low\n2,> 20,-,high\n3,<= 20,not(north),high\n")
    assert asked(version, 21, "south").because == "rule 2: amount over 20 → high"
    assert asked(version).because == "rule 1: amount up to 20 and region north → low"


def test_facts_that_no_rule_has_are_named() -> None:
    with pytest.raises(NoDecision, match="no rule for amount 10 and region north"):
        asked(table("1,> 50,-,low\n"))
    with pytest.raises(NoDecision, match="needs region"):
        table(TWO).decide({"amount": 1})
    with pytest.raises(NoDecision, match="was given colour"):
        table(TWO).decide({"amount": 1, "region": "north", "colour": "red"})
    with pytest.raises(NoDecision, match="amount: 0 is not an amount: > 0"):
        asked(table(TWO), 0)


@pytest.mark.parametrize(
    ("rules", "line", "column", "words"),
    [
        ("1,five,-,low\n", 6, 2, "no number"),
        ("1,-,east,low\n", 6, 3, "east never occurs"),
        ("1,< 0,-,low\n", 6, 2, "fits nothing that occurs"),
        ("1,-,-,lowest\n", 6, 4, "lowest is not"),
        ("1,-,-,low\n3,-,-,low\n", 7, 1, "this is rule 2"),
        ("1,-,-,low,and more\n", 6, 5, "under no column"),
        ("", 1, 2, "no rules"),
    ],
)
def test_a_bad_rule_is_refused_with_its_place(
    rules: str, line: int, column: int, words: str
) -> None:
    with pytest.raises(BadTable, match=words) as refusal:
        table(rules)
    assert (refusal.value.file, refusal.value.line, refusal.value.column) == (
        "test.csv",
        line,
        column,
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no row that begins with “rule”"),
        ("tabel,x\n", "line 1, column 1: “tabel” is not known"),
        ("table,X y\n" + HEAD + "1,-,-,low\n", "no name of a table"),
        ("table,x\nhit policy,ALL\n" + HEAD + "1,-,-,low\n", "line 2, column 2: “ALL”"),
        ("table,x\naggregation,SUM\n" + HEAD + "1,-,-,low\n", "goes with COLLECT"),
        ("table,x\nvalid from,soon\n" + HEAD + "1,-,-,low\n", "“soon” is no date"),
        ("table,x\nrule,if a,if a,then b\ntype,money,money,text\n1,1,1,x\n", "two columns “a”"),
        ("table,x\nrule,if a\ntype,money\n1,1\n", "no output"),
        ("table,x\nrule,when a,then b\ntype,money,text\n1,1,x\n", "line 2, column 2: “when a”"),
        ("table,x\nrule,if a,then b\n1,1,x\n", "a row “type”"),
        ('table,"x\n', "it is no CSV"),
    ],
)
def test_a_bad_head_is_refused_with_its_place(text: str, words: str) -> None:
    with pytest.raises(BadTable, match=words):
        parse_csv(text, file="test.csv")


# -- soundness


def told(rules: str, policy: str = "UNIQUE") -> list[str]:
    return [one.words for one in findings(table(rules, policy))]


def test_a_sound_table_has_no_findings() -> None:
    assert told("1,<= 20,-,low\n2,> 20,north,low\n3,> 20,south,high\n") == []


def test_a_gap_is_named_to_the_cent() -> None:
    rules = "1,<= 50000,-,low\n2,> 60000,-,high\n3,(50000..60000],south,low\n"
    assert told(rules) == ["no rule for amount from 50,000.01 up to 60,000 and region north"]


def test_the_gaps_of_one_column_are_told_together() -> None:
    assert told("1,[5..6],-,low\n2,[8..9],-,low\n") == [
        "no rule for amount from 0.01 up to 4.99 or from 6.01 up to 7.99 or from 9.01"
    ]


def test_rules_that_contradict_each_other_are_named_with_the_place() -> None:
    assert told("1,<= 20,-,low\n2,>= 20,-,high\n") == [
        "rules 1 and 2 both fit amount 20 and region north or south"
    ]
    assert told("1,<= 20,-,low\n2,>= 20,-,low\n", "ANY") == []


def test_a_rule_behind_a_wider_one_never_comes_into_play() -> None:
    assert told("1,-,-,low\n2,> 20,north,high\n", "FIRST") == [
        "rule 2 never comes into play: rule 1 goes before it"
    ]


def test_too_many_gaps_end_with_more() -> None:
    rules = "".join(
        f"{n},[{n * 10}..{n * 10 + 5}],{'north' if n % 2 else 'south'},low\n" for n in range(1, 60)
    )
    text = f"table,x\n\n{HEAD}{rules}"
    assert len(findings(parse_csv(text, file="x.csv"))) <= 21


# -- folders, versions, rows


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)


def fee(version: int, first_day: str, rate: int) -> str:
    return (
        f"table,fee\nversion,{version}\nvalid from,{first_day}\n\n"
        f"rule,if amount,then fee\ntype,money,number\n1,-,{rate}\n"
    )


def test_the_version_of_the_day_answers(tmp_path: Path) -> None:
    write(tmp_path, "fee.1.csv", fee(1, "2026-01-01", 10))
    write(tmp_path, "fee.2.csv", fee(2, "2027-01-01", 20))
    found = load(tmp_path)["fee"]
    assert found.decide(on=date(2026, 12, 31), amount=Decimal(1))["fee"] == 10
    assert found.decide(on=date(2027, 1, 1), amount=Decimal(1))["fee"] == 20
    assert found.decide(amount=Decimal(1)).version == "2"
    with pytest.raises(NoDecision, match="valid from 1 Jan 2026, not on 2025-12-31"):
        found.decide(on=date(2025, 12, 31), amount=Decimal(1))


def test_two_versions_of_one_day_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "a.csv", fee(1, "2026-01-01", 10))
    write(tmp_path, "b.csv", fee(2, "2026-01-01", 20))
    with pytest.raises(BadTable, match="b.csv: version 2 of “fee”.*a.csv"):
        load(tmp_path)


def test_rows_try_a_table_and_name_what_differs(tmp_path: Path) -> None:
    write(tmp_path, "test.csv", f"table,test\n\n{HEAD}1,<= 20,-,low\n2,> 20,north,high\n")
    rows = (
        "if amount,if region,then who,rule\n"
        "20,north,low,1\n21,north,low,2\n21,south,,none\n1,north,low,2\n"
    )
    write(tmp_path, "test.rows.csv", rows)
    results = check_folder(tmp_path)
    assert [(one.line, one.wrong) for one in results if one.wrong] == [
        (3, "who: low was expected, high came"),
        (5, "rule 2 was expected, 1 came"),
    ]
    newest = load(tmp_path)["test"].newest
    assert untested(newest, results) == []
    assert untested(newest, results[:1]) == [2]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("if colour\nred\n", "line 1, column 1: “if colour”"),
        ("if amount,if region\nmuch,north\n", "line 2: “amount”"),
        ("on,if amount\nsoon,1\n", "“soon” is no date"),
    ],
)
def test_bad_rows_are_refused(tmp_path: Path, rows: str, words: str) -> None:
    write(tmp_path, "test.csv", f"table,test\n\n{HEAD}1,-,-,low\n")
    write(tmp_path, "test.rows.csv", rows)
    with pytest.raises(BadTable, match=words):
        check_folder(tmp_path)
