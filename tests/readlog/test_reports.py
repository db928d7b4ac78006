"""What auditors read in the log; that nobody else does; that their reading is logged as well."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest

from audit import reads
from audit.models import Read
from cases import readers
from timers import clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def read(desk: Any, people: Any, visit: Any) -> Any:
    """A case that Sanne opened and found, and that Eve tried."""
    case = desk.open("review", title="Zephyr Mills")
    sanne = visit(people.sanne)
    for address in (case.get_absolute_url(), "/cases/", "/find/?find=zephyr"):
        sanne.open(address)
    visit(people.eve).open(case.get_absolute_url())
    return case


def addresses(case: Any, people: Any) -> list[str]:
    return [
        f"{case.get_absolute_url()}readers/",
        f"{case.get_absolute_url()}readers/person/",
        "/readlog/",
        f"/readlog/person:{people.sanne.pk}/",
    ]


def test_auditors_read_the_log_and_nobody_else_does(read: Any, people: Any, visit: Any) -> None:
    for name, person in vars(people).items():
        for address in addresses(read, people):
            for form in ("", "?form=csv"):
                status = visit(person).client.get(address + form).status_code
                assert status == (200 if name == "ada" else 403), (name, address)
        page = visit(person).open("/cases/")
        assert ("Who reads what" in page) == (name == "ada")
    for address in addresses(read, people):
        assert visit(None).client.get(address).status_code == 302


def test_who_read_a_case_is_told_and_that_this_was_read_too(
    read: Any, people: Any, visit: Any
) -> None:
    page = visit(people.ada).open(f"{read.get_absolute_url()}readers/")
    for words in ("Sanne de Wit", "Eve Outside", "Overview of the case", "tried, nothing shown"):
        assert words in page, words
    assert "a list of 1 case" in page and "Petra Smit" not in page
    row = Read.objects.latest("pk")
    assert (row.what, row.case_id, row.actor) == (
        "case-readers",
        read.pk,
        f"person:{people.ada.pk}",
    )
    page = visit(people.ada).open(f"{read.get_absolute_url()}readers/")
    assert "Ada Brandt" in page
    only = visit(people.ada).open(f"{read.get_absolute_url()}readers/?who=person:{people.eve.pk}")
    assert "Each time that Eve Outside was shown it" in only and "Search" not in only


def test_what_somebody_read_is_told_by_day_and_as_a_file(
    read: Any, people: Any, visit: Any
) -> None:
    visitor = visit(people.ada)
    page = visitor.open(f"/readlog/person:{people.sanne.pk}/")
    assert "What Sanne de Wit read" in page and read.reference in page
    day = clock.now().date()
    assert "Nothing was shown to them" in visitor.open(
        f"/readlog/person:{people.sanne.pk}/?day={day - timedelta(days=9)}"
    )
    answer = visitor.client.get(f"/readlog/person:{people.sanne.pk}/?form=csv")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["what"] for row in rows] == ["find", "cases", "case"]
    assert rows[2]["case"] == read.reference and rows[2]["name"] == "Sanne de Wit"
    for address in ("person:999999", "nobody", "person:x", "service:none"):
        assert visitor.open(f"/readlog/{address}/").status == 404, address


def test_a_day_far_above_ones_own_is_marked(people: Any, visit: Any) -> None:
    for back, count in ((3, 4), (2, 5), (1, 60)):
        for number in range(count):
            reading = reads.Reading(actor=f"person:{people.sanne.pk}", case_id=number + 1)
            at = clock.now() - timedelta(days=back)
            reads.write(reading, at=at, through="page", what="case")
    (one,) = [v for v in readers.volumes(clock.now()) if v.unusual]
    assert one.usual == 5 and [day.opened for day in one.unusual] == [60]
    assert "Far above their usual" in visit(people.ada).open(f"/readlog/{one.actor}/")
    assert "60 cases" in visit(people.ada).open("/readlog/")


def test_whether_a_word_was_looked_for(read: Any, people: Any, visit: Any) -> None:
    visitor = visit(people.ada)
    page = visitor.open("/readlog/").send("/readlog/", word="Zéphyr")
    assert "1 search for it" in page and "Sanne de Wit" in page
    assert "Nobody looked for it" in visitor.open("/readlog/").send("/readlog/", word="zephyrs")
    assert "Type a word" in visitor.open("/readlog/").send("/readlog/", word=" ")
    assert not any(row.item for row in Read.objects.filter(what="read-log"))


def test_a_person_is_told_who_saw_their_data_in_all_their_cases(
    office: Any, engine: Any, visit: Any, settings: Any
) -> None:
    ada, otto = office.person("ada", "auditor"), office.person("otto", "operator")
    one, two = office.open(), office.open(title="Z. Example")
    other = office.open(title="Other Person", national_id="987654321", email="other@example.org")
    visit(otto).open(two.get_absolute_url())
    visit(otto).open(other.get_absolute_url())
    visitor = visit(ada)
    page = visitor.open(f"{one.get_absolute_url()}readers/person/")
    assert one.reference in page and two.reference in page and other.reference not in page
    assert "Otto" in page and "Overview of the case (1)" in page
    row = Read.objects.latest("pk")
    assert row.case_id == one.pk and two.pk in row.case_ids
    settings.LONGCASE_READ_REPORT_BY = "role"
    page = visitor.open(f"{one.get_absolute_url()}readers/person/")
    seen = page.html[page.html.index("Who saw something") :]
    assert "Otto" not in seen and "operator" in seen.lower()
