"""Find: by what people remember, whatever the spelling, among what they may see."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cases import access, search
from cases.actors import Actor
from cases.models import Case, SearchEntry, SearchWord
from processes.acts.cases import assign_case, change_facts, open_case
from processes.engine import findable
from processes.engine.verify import verify

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def found_by(monkeypatch: Any) -> None:
    """Trial cases are found by their result too."""
    from processes.kinds import kind_of

    monkeypatch.setattr(kind_of("trial"), "found_by", ("result",))


def titles(person: Any, text: str, **how: Any) -> list[str]:
    found = search.find(person, text, **how)
    return [case.title for case in search.cases_found(found, 0, 50)]


def test_what_is_remembered_finds_the_case(desk: Any) -> None:
    # Given a case with a name, a fact, a file and a number
    case = desk.open("patience", title="Ayşe Yılmaz-Kovač", result="NL91 ABNA 0417 1643 00")
    desk.send_document(case, "passport", "Æbleskiver 2026 (scan).pdf")
    desk.open("patience", title="Someone Else")
    tail = case.reference[-4:]

    # Then each of these finds it, and it alone
    for text in (
        case.reference,
        case.reference.lower().replace("-", ""),
        case.reference.replace("-", " "),
        tail,
        "yilmaz",
        "KOVAČ ayse",
        "yılm",
        "NL91ABNA0417164300",
        "abna 0417",
        "aebleskiver",
        "Yilmaz scan",
        unicodedata.normalize("NFD", "Yılmaz-Kovač"),
    ):
        assert titles(desk.people.sanne, text) == ["Ayşe Yılmaz-Kovač"], text
    assert titles(desk.people.sanne, "nobody at all") == []


def test_typing_errors_are_forgiven(desk: Any) -> None:
    desk.open("patience", title="Johanna van Leeuwen")
    desk.open("patience", title="Peter Smit")
    for text in ("leuwen", "leeuwne", "Leeuwem", "johana", "Johanna Leewuen", "yohanna"):
        assert titles(desk.people.sanne, text) == ["Johanna van Leeuwen"], text
    for text in ("smti", "smiit", "pieter smit"):
        assert titles(desk.people.sanne, text) == ["Peter Smit"], text
    assert titles(desk.people.sanne, "xylophone") == []


def test_words_as_they_stand_come_before_words_alike(desk: Any) -> None:
    for title in ("Jansen", "Janssen", "Hansen"):
        desk.open("patience", title=title)
    assert titles(desk.people.sanne, "jansen") == ["Jansen"]
    alike = titles(desk.people.sanne, "jansen", alike=True)
    assert set(alike) == {"Jansen", "Janssen", "Hansen"}


def test_the_same_letters_encoded_differently_are_found(desk: Any) -> None:
    # Given a name in pieces and one composed
    for form in ("NFC", "NFD"):
        desk.open("patience", title=unicodedata.normalize(form, "Zoë Müller"))
    for form in ("NFC", "NFD"):
        assert len(titles(desk.people.sanne, unicodedata.normalize(form, "Zoë Müller"))) == 2


def test_names_of_all_scripts_are_found(desk: Any) -> None:
    names = ["Παπαδόπουλος", "Иванова", "王小明", "नमस्ते शर्मा", "محمد", "김민준", "O'Brien", "Ng"]
    for name in names:
        desk.open("patience", title=name)
    for name in names:
        assert titles(desk.people.sanne, name) == [name], name


def test_nobody_finds_what_they_may_not_see(desk: Any, visit: Any) -> None:
    # Given a case of a team, with a word that no other case has
    case = desk.open("patience", title="Quetzalcoatl Holding", result="Zanzibar")
    people = desk.people

    # Then the team and the auditor find it; the outsider and the reviewer learn nothing of it
    for person in (people.sanne, people.petra, people.ada, people.otto):
        assert titles(person, "quetzalcoatl") == ["Quetzalcoatl Holding"]
    nothing = visit(people.eve).open("/find/?find=xyzzyxyz")
    for person in (people.eve, people.milan):
        for text in ("quetzalcoatl", "quetzalcoat", "zanzibr", case.reference, case.reference[-6:]):
            assert titles(person, text) == []
            page = visit(person).open(f"/find/?find={text}")
            assert "Quetzalcoatl" not in page.html and case.get_absolute_url() not in page.html
            words = page.html.replace(text, "xyzzyxyz").replace(case.reference, "xyzzyxyz")
            if person == people.eve:
                assert len(words) == len(nothing.html)  # not even that there is such a thing

    # And a task makes it visible to whoever may do it, also after it was done
    desk.open("review", title="Quetzal Review")
    assert titles(people.milan, "quetzal") == ["Quetzal Review"]


@pytest.mark.unsound("restricts it by hand")
def test_a_restricted_case_is_found_by_its_caseworker_alone(desk: Any) -> None:
    case = desk.open("patience", title="Quetzalcoatl")
    Case.objects.filter(pk=case.pk).update(restricted=True)
    assert titles(desk.people.sanne, "quetzalcoatl") == ["Quetzalcoatl"]
    assert titles(desk.people.petra, "quetzalcoatl") == []


@pytest.mark.unsound("restricts it by hand")
def test_the_parts_of_what_somebody_sees_are_the_whole(desk: Any) -> None:
    # Given cases of each sort: a team's, a restricted one, nobody's, one with a task done, one held
    desk.open("patience")
    Case.objects.filter(pk=desk.open("patience").pk).update(restricted=True)
    open_case(kind="trial", facts={"script": "review"}, title="", actor=Actor.of(desk.people.sanne))
    desk.claim(desk.open("review"), desk.people.milan)

    # Then for each person the parts together are what they may see
    everybody = vars(desk.people).values()
    for person in everybody:
        parts = {pk for one in access.visible_parts(person) for pk in one.values_list("pk", flat=1)}
        assert parts == set(access.visible_cases(person).values_list("pk", flat=True)), person


def test_the_entry_follows_the_case(desk: Any) -> None:
    # Given a case that is found by a fact
    case = desk.open("patience", title="De Loper", result="Rotterdam")
    sanne = desk.people.sanne
    assert titles(sanne, "rotterdam") == ["De Loper"]

    # When the fact is corrected, the old one finds nothing any more
    change_facts(case_id=case.pk, changes={"result": "Delft"}, reason="Typo", actor=Actor.of(sanne))
    assert titles(sanne, "delft") == ["De Loper"] and titles(sanne, "rotterdam") == []

    # And when it goes to another team, that team finds it
    assign_case(case_id=case.pk, owner=desk.people.eve, actor=Actor.of(sanne))
    assert titles(desk.people.eve, "delft") == ["De Loper"]
    assert not list(verify())


def test_a_lost_entry_is_told_and_written_anew(desk: Any, capsys: Any) -> None:
    from django.core.management import CommandError, call_command

    kept, lost = desk.open("patience", title="De Loper"), desk.open("patience", title="Stil Water")
    SearchEntry.objects.filter(pk=lost.pk).delete()
    SearchEntry.objects.filter(pk=kept.pk).update(text=" something else ")
    assert [one.reference for one in verify()] == [kept.reference, lost.reference]
    with pytest.raises(CommandError, match="2 cases differ"):
        call_command("rebuildsearch", "--check")
    call_command("rebuildsearch")
    assert "2 cases were written anew." in capsys.readouterr().out
    assert titles(desk.people.sanne, "loper") == ["De Loper"] and not list(verify())
    assert list(findable.rebuild()) == []


def test_a_kind_found_by_references_alone_writes_nothing(desk: Any, monkeypatch: Any) -> None:
    from processes.kinds import kind_of

    monkeypatch.setattr(kind_of("trial"), "found_by", None)
    case = desk.open("patience", title="De Loper")
    assert not SearchEntry.objects.exists() and not SearchWord.objects.exists()
    assert titles(desk.people.sanne, case.reference.lower()) == ["De Loper"]
    assert titles(desk.people.sanne, str(case.pk)) == ["De Loper"]
    assert titles(desk.people.sanne, "loper") == [] and not list(verify())


def test_hostile_strings_are_kept_found_and_shown_unharmed(
    desk: Any, visit: Any, recorded_data: Any
) -> None:
    # Given a case for each of the strings that break programs
    strings = json.loads((recorded_data / "text" / "naughty-strings.json").read_text())
    strings = [one for one in strings if isinstance(one, str)]
    sample = [one for one in strings if one.strip() and "\0" not in one and len(one) <= 120][::25]
    visitor = visit(desk.people.sanne)
    for text in sample:
        desk.open("patience", title="De Loper", result=text)

    # Then each can be looked for; it finds its case, or has no letter to find it by
    for text in [*sample, "\0", "'", "%", "_", "\\", "%%%", "\ud7ff", "a" * 5000]:
        page = visitor.client.get("/find/", {"find": text})
        assert page.status_code == 200, text
        asked = search.read(text)
        if text in sample and not asked.is_empty:
            assert titles(desk.people.sanne, text), text
    assert "<script>alert" not in visitor.client.get("/find/?find=script").content.decode()
    assert not list(verify())


def test_a_page_says_why_and_groups_what_is_open_and_closed(desk: Any, visit: Any) -> None:
    from processes.acts.cases import move_case

    first = desk.open("patience", title="De Loper", result="Delft")
    done = desk.open("patience", title="Delft Bakery")
    desk.send_document(done, "passport", "delft map.pdf")
    move_case(case_id=done.pk, name="finish", data={}, actor=Actor.of(desk.people.sanne))
    page = visit(desk.people.sanne).open("/find/?find=delft")
    assert "Open (1)" in page and "Closed (1)" in page
    assert page.html.index("De Loper") < page.html.index("Delft Bakery")
    assert "Result: Delft" in page and "Passport: delft map.pdf" in page
    assert "2 cases" in page

    # A whole reference leads to its case at once, a misspelt word says that it was one
    there = visit(desk.people.sanne).open(f"/find/?find={first.reference.lower()}")
    assert there.response["Location"] == first.get_absolute_url()
    assert "spelt nearly" in visit(desk.people.sanne).open("/find/?find=delfft")
    empty = visit(desk.people.sanne).open("/find/?find=nothing+like+it")
    assert "No case fits" in empty and empty.status == 200


def test_it_takes_the_same_queries_however_many_it_finds(
    desk: Any, visit: Any, monkeypatch: Any
) -> None:
    from timers import clock

    monkeypatch.setattr(clock, "STALE_SECONDS", float("inf"))
    visitor = visit(desk.people.sanne)
    counts = []
    for _ in range(2):
        desk.open("patience", title="Hartog Bakery")
        visitor.open("/find/?find=hartog")
        for text in ("hartog", "hartgo"):
            with CaptureQueriesContext(connection) as queries:
                assert "Hartog" in visitor.open(f"/find/?find={text}")
            counts.append(len(queries))
        for _ in range(4):
            desk.open("patience", title="Hartog Bakery")
    assert counts[:2] == counts[2:]
    assert max(counts) <= 10, counts
