"""Each reader has the pages in their own language, and history stays as it is."""

from __future__ import annotations

import re
from datetime import date
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client
from django.utils import translation
from django.utils.formats import number_format

from audit.read import events_of
from cases import dates
from cases.models import Person, Task
from cases.words import outcome_label
from config import messages

# The trial kind and its people speak English: what stands on a page because they said it.
OF_THE_TRIAL = re.compile(
    r"Hartog Bakery|Business credit (North|South)|Trial|Trying|Passport|Payslip|Underwriting|"
    r"English|Approve|Decline|Done|Failed|Withdrawn|Amount"
)
OF_A_CASE = "", "documents/", "reviews/", "notes/", "steps/", "history/", "history/?show=all"
PAGES = [
    "/",
    "/cases/",
    "/find/?q=bakery",
    "/processes/",
    "/settings/",
    "/settings/notices/",
    "/notices/",
    *(f"{{case}}{tab}" for tab in OF_A_CASE),
    "{case}letters/new/",
    "{task}",
]


@pytest.fixture
def dutch(desk: Any) -> Any:
    """Opens pages as somebody whose browser asks for Dutch."""

    def opened(person: Person, address: str, **headers: str) -> str:
        client = Client(headers={"accept-language": "nl", **headers})
        client.force_login(person)
        answer = client.get(address, follow=True)
        assert answer.status_code == 200, address
        return answer.content.decode()

    return opened


def test_main_pages_have_no_english_left(desk: Any, dutch: Any) -> None:
    # Given a case with a review that somebody took
    case = desk.open("review")
    task = desk.claim(case, desk.people.milan)
    given = {"case": case.get_absolute_url(), "task": task.get_absolute_url()}

    # When their pages are read in Dutch
    readers = {"{task}": desk.people.milan}
    pages = {one: dutch(readers.get(one, desk.people.sanne), one.format(**given)) for one in PAGES}

    # Then no text on them is an English one that has a Dutch one
    english = english_only()
    left = {
        address: found
        for address, page in pages.items()
        if (found := [text for text in texts(page) if text in english])
    }
    assert left == {}
    assert all('<html lang="nl"' in page for page in pages.values())


def test_the_test_would_notice_english() -> None:
    shown = texts("<main><p>My work</p><p>Mijn werk</p><p title='Cases'>3</p></main>")
    assert [text for text in shown if text in english_only()] == ["My work", "Cases"]


def test_a_person_chooses_a_language_over_that_of_the_browser(desk: Any, dutch: Any) -> None:
    sanne = desk.people.sanne
    assert "Mijn werk" in dutch(sanne, "/")
    sanne.language = "en"
    sanne.save()
    assert "My work" in dutch(sanne, "/")
    sanne.language = "xx"  # a language that the installation no longer has
    sanne.save()
    assert "Mijn werk" in dutch(sanne, "/")


def test_the_choice_is_made_on_the_settings_page(desk: Any, visit: Any) -> None:
    page = visit(desk.people.sanne).open("/settings/")
    answer = page.send("/settings/", language="nl", scheme="system")
    assert "Deze instellingen bewaren" in answer
    desk.people.sanne.refresh_from_db()
    assert desk.people.sanne.reads_in == "nl"


def test_acts_of_a_dutch_reader_record_nothing_in_dutch(desk: Any, engine: Any) -> None:
    # Given two cases, one opened and worked on by somebody who reads Dutch
    told = []
    for language in ("en", "nl"):
        with translation.override(language):
            case = desk.open("review")
            desk.claim(case, desk.people.milan)
        told.append([(e.type, sorted(map(str, _words(e.data)))) for e in events_of(case.pk)])

    # Then both histories say the same
    assert told[0] == told[1]


def test_words_of_a_step_are_read_in_the_language_of_the_reader() -> None:
    task = Task(title="Underwriting review", outcomes=[["approve", "Approve"], ["x", "Unheard of"]])
    with translation.override("nl"):
        assert outcome_label(task, "approve") == "Goedkeuren"
        assert outcome_label(task, "x") == "Unheard of"
    with translation.override("en"):
        assert outcome_label(task, "approve") == "Approve"


def test_days_and_amounts_follow_the_language() -> None:
    with translation.override("nl"):
        assert dates.day(date(2026, 12, 4)) == "4 dec. 2026"
        assert dates.day(date(2026, 5, 4)) == "4 mei 2026"
        assert number_format(185000, 2, force_grouping=True, use_l10n=True) == "185.000,00"
    with translation.override("en"):
        assert dates.day(date(2026, 12, 4)) == "4 Dec 2026"


def _words(data: Any) -> list[str]:
    if isinstance(data, dict):
        return [word for value in data.values() for word in _words(value)]
    if isinstance(data, list):
        return [word for value in data for word in _words(value)]
    return [data] if isinstance(data, str) and " " in data else []


def english_only() -> set[str]:
    """What is said otherwise in Dutch. Strings with placeholders are the part of other tests."""
    catalogue = messages.read(messages.catalogues()[0])
    said = {m.id: m.string for m in catalogue if isinstance(m.id, str) and "%(" not in m.id}
    dutch = set(said.values())
    return {text for text, other in said.items() if text and text != other and text not in dutch}


def texts(page: str) -> list[str]:
    shown = _Shown()
    shown.feed(page)
    return [text for text in map(str.strip, shown.found) if not OF_THE_TRIAL.fullmatch(text)]


class _Shown(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [v for name, v in attrs if name in ("aria-label", "title", "alt") and v]

    def handle_data(self, data: str) -> None:
        self.found.append(unescape(data))
