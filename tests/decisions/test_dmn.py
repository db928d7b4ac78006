"""DMN as modelling tools write it, and what a table cannot hold."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from processes.decisions.dmn import ours, parse_dmn
from processes.decisions.errors import BadTable
from processes.decisions.library import load
from processes.decisions.sound import findings

SPACE = "https://www.omg.org/spec/DMN/20191111/MODEL/"


def rule(amount: str, secured: str, who: str, note: str = "") -> str:
    return (
        f"<rule><inputEntry><text>{amount}</text></inputEntry>"
        f"<inputEntry><text>{secured}</text></inputEntry>"
        f"<outputEntry><text>{who}</text></outputEntry>"
        f"<annotationEntry><text>{note}</text></annotationEntry></rule>\n"
    )


RULES = (
    rule("&lt;= 50000", "-", '"underwriter"', "Small ones")
    + rule("&gt; 50000", "true", '"underwriter"')
    + rule("&gt; 50000", "not(true)", '"senior underwriter"', "Policy 4.1")
)


def dmn(rules: str = RULES, *, policy: str = "UNIQUE", space: str = SPACE, more: str = "") -> str:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="{space}" xmlns:tool="urn:a-tool" id="d" name="Loans" namespace="urn:loans">
 <decision id="who" name="Who decides" tool:versionTag="7" tool:validFrom="2026-05-01">
  <decisionTable hitPolicy="{policy}">
   <input label="Amount">
    <inputExpression typeRef="number"><text>Loan amount</text></inputExpression></input>
   <input><inputExpression typeRef="boolean"><text>isSecured</text></inputExpression></input>
   <output name="decider" typeRef="string">
    <outputValues><text>"underwriter", "senior underwriter"</text></outputValues></output>
{rules}  </decisionTable>
 </decision>{more}
</definitions>
"""


def test_a_dmn_table_decides_as_a_csv_one() -> None:
    (table,) = parse_dmn(dmn(), file="who.dmn")
    assert (table.name, table.version, table.valid_from) == (
        "who_decides",
        "7",
        date(2026, 5, 1),
    )
    found = table.decide({"loan_amount": Decimal(60000), "is_secured": False})
    assert found["decider"] == "senior underwriter"
    assert found.because == "rule 3: Amount over 50,000 and not isSecured → senior underwriter"
    assert table.rules[2].because == "Policy 4.1"
    assert findings(table) == []


@pytest.mark.parametrize("year", ["20151101", "20180521", "20191111", "20211108", "20230324"])
def test_each_version_of_dmn_is_read(year: str) -> None:
    space = f"{'http' if year < '2018' else 'https'}://www.omg.org/spec/DMN/{year}/MODEL/"
    assert len(parse_dmn(dmn(space=space), file="x.dmn")[0].rules) == 3


def test_dmn_lies_in_the_folder_beside_csv(tmp_path: Path) -> None:
    (tmp_path / "who.dmn").write_text(dmn())
    assert list(load(tmp_path)) == ["who_decides"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<definitions", "no XML"),
        ("<a/>", "no DMN"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "a document type is not taken"),
        (dmn("").replace("decisionTable", "context"), "no decision that is a decision table"),
        (dmn(policy="OUTPUT ORDER"), "“OUTPUT ORDER” is no hit policy"),
        (dmn(RULES + rule("amount * 2", "-", '"underwriter"')), "line 13, column .*“loan_amount”"),
        (dmn(rule("-", "-", '"nobody"')), "nobody is not a text"),
        (dmn().replace("Loan amount", "amount + 1"), "is an expression"),
        (dmn().replace('typeRef="number"', 'typeRef="context"'), "“context” is no type"),
        (dmn("<rule><inputEntry><text>-</text></inputEntry></rule>"), "has 1 inputs"),
        ("<a>" * 60 + "</a>" * 60, "nested deeper"),
    ],
)
def test_what_a_table_cannot_hold_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(BadTable, match=words) as refusal:
        parse_dmn(text, file="who.dmn")
    assert refusal.value.file == "who.dmn"


@pytest.mark.parametrize(
    ("name", "own"),
    [("Loan amount", "loan_amount"), ("isSecured", "is_secured"), ("Risk-class 2", "risk_class_2")],
)
def test_names_become_ours(name: str, own: str) -> None:
    assert ours(name) == own
