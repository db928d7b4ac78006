"""A file of cases is read whole, in whatever way a spreadsheet writes it, or refused whole."""

from __future__ import annotations

from decimal import Decimal

import pytest

from processes.jobs.files import Unreadable, rows_of

MOST = 100


def read(content: str | bytes, name: str = "cases.csv", **more: str) -> list[tuple[int, object]]:
    raw = content.encode() if isinstance(content, str) else content
    return [tuple(row) for row in rows_of(raw, filename=name, most=MOST, **more)]


def why(content: str | bytes, name: str = "cases.csv", **more: str) -> str:
    with pytest.raises(Unreadable) as refused:
        read(content, name, **more)
    return str(refused.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_whatever_a_spreadsheet_writes_gives_the_same_rows(
    encoding: str, separator: str, end: str
) -> None:
    lines = [
        ["title", "external_reference", "applicant_name", "amount"],
        ["Zoë", "000123", '"Zoë ""de"" Vries; Žižek, Ana"', "-5.00"],
        ["", "", "", ""],
        ["İlke", "12345678901234567890", f'"two{end}lines"', '"1.234,56"'],
    ]
    text = end.join(separator.join(one) for one in lines) + end
    assert read(text.encode(encoding)) == [
        (
            2,
            {
                "title": "Zoë",
                "external_reference": "000123",
                "facts": {"applicant_name": 'Zoë "de" Vries; Žižek, Ana', "amount": "-5.00"},
            },
        ),
        (
            4,
            {
                "title": "İlke",
                "external_reference": "12345678901234567890",
                "facts": {"applicant_name": f"two{end}lines", "amount": "1.234,56"},
            },
        ),
    ]


@pytest.mark.parametrize("cell", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "+31 20 000"])
def test_what_looks_like_a_formula_is_text_and_stays_it(cell: str) -> None:
    assert read(f'title;note\r\n"{cell}";"{cell}"\r\n') == [
        (2, {"title": cell, "facts": {"note": cell}})
    ]


def test_excels_own_line_names_the_separator_and_lines_are_counted_with_it() -> None:
    assert read("sep=;\ntitle;facts.title;a,b\nx;y;z\n") == [
        (3, {"title": "x", "facts": {"title": "y", "a,b": "z"}})
    ]


def test_an_old_encoding_is_read_where_it_is_said() -> None:
    raw = "title\nRené\n".encode("cp1252")
    assert "Line 2: it is not in utf-8" in why(raw)
    assert read(raw, encoding="windows-1252") == [(2, {"title": "René", "facts": {}})]


def test_json_lines_stay_exact() -> None:
    text = '{"title": "x", "facts": {"amount": 0.10}}\n\n{"title": "y"}\n'
    assert read(text, "cases.jsonl") == [
        (1, {"title": "x", "facts": {"amount": Decimal("0.10")}}),
        (3, {"title": "y"}),
    ]


def test_what_cannot_be_read_is_refused_with_its_line_and_why() -> None:
    assert "there is no row" in why("")
    assert "there is no row" in why("title;amount\n")
    assert "no “title”" in why("name;amount\nx;1\n")
    assert "“amount” is named twice" in why("title;amount;amount\nx;1;2\n")
    assert "column 2 has no name" in why("title;;amount\nx;1;2\n")
    assert "Line 3: it has 3 cells" in why("title;amount\nx;1\nx;1;5\n")
    assert "Line 3: the quotes do not fit" in why('title;amount\nx;1\n"x;1\ny;2\n')
    assert "Line 2: there is a NUL" in why("title\nx\0\n")
    assert "Line 2: it is no JSON" in why('{"title": "x"}\n{"title": \n', "x.jsonl")
    assert "Line 1: each line is one object" in why("[1]\n", "x.jsonl")
    assert "it is no JSON" in why("[" * 100_000, "x.jsonl")
    assert f"Line {MOST + 2}: a job has at most" in why("title\n" + "x\n" * (MOST + 1))
