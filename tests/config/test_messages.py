"""The words in other languages are whole: nothing untranslated, doubtful, missing or unmarked."""

from __future__ import annotations

import ast
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from django.conf import settings
from django.template.base import Lexer, TokenType
from django.utils import translation

from config import messages

CATALOGUES = messages.catalogues()
# Said in every language as it is.
NAMES = re.compile(r"\b(Longcase|OpenAPI|SHA-256|INC-|service:)")
ATTRIBUTES = ("alt", "aria-label", "placeholder", "title")


@pytest.fixture(scope="module")
def extracted() -> Catalog:
    return messages.extracted()


def test_there_is_a_catalogue_for_each_language_but_the_one_the_code_is_written_in() -> None:
    assert [path.parent.parent.name for path in CATALOGUES] == sorted(
        code for code, _name in settings.LANGUAGES if code != "en"
    )


@pytest.mark.parametrize("path", CATALOGUES, ids=str)
def test_every_string_is_translated_with_its_placeholders(path: Path) -> None:
    assert list(messages.faults_of(messages.read(path))) == []


@pytest.mark.parametrize("path", CATALOGUES, ids=str)
def test_the_catalogue_has_the_strings_of_the_code_and_no_others(
    path: Path, extracted: Catalog
) -> None:
    kept, used = (
        {(message.id, message.context) for message in catalogue if message.id}
        for catalogue in (messages.read(path), extracted)
    )
    assert sorted(map(str, used - kept)) == [], "run `make messages`, then translate these"
    assert sorted(map(str, kept - used)) == [], "run `make messages`: these are used no longer"


@pytest.mark.parametrize("path", CATALOGUES, ids=str)
def test_what_is_compiled_is_what_is_written(path: Path) -> None:
    compiled = path.with_suffix(".mo").read_bytes()
    assert compiled == messages.as_mo(messages.read(path)), "run `make messages`"


def test_django_finds_the_compiled_words() -> None:
    with translation.override("nl"):
        assert translation.gettext("My work") == "Mijn werk"
        assert translation.ngettext("%(n)s day", "%(n)s days", 1) == "%(n)s dag"


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("", "not translated"),
        ("%(n)s dagen voor %(wie)s", "other placeholders"),
        ("%(n)s dagen", "other placeholders"),
        (" %(n)s dagen voor %(who)s", "blank at the start"),
    ],
)
def test_a_fault_of_a_translation_is_named(said: str, fault: str) -> None:
    catalogue = Catalog(locale="nl")
    catalogue.add("%(n)s days for %(who)s", said)
    (found,) = messages.faults_of(catalogue)
    assert found.startswith(fault)


def test_a_doubtful_translation_is_named() -> None:
    catalogue = Catalog(locale="nl")
    catalogue.add("Cases", "Zaken", flags=["fuzzy"])
    (found,) = messages.faults_of(catalogue)
    assert found.startswith("doubtful")


def test_no_string_is_marked_inside_another_where_it_is_not_found() -> None:
    found = [
        f"{path.relative_to(messages.ROOT)}:{call.lineno}"
        for path in messages.sources()
        if path.suffix == ".py"
        for joined in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(joined, ast.JoinedStr)
        for call in ast.walk(joined)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in messages.KEYWORDS
    ]
    assert found == [], "extraction does not look into f-strings"


def test_no_template_shows_words_that_are_not_marked() -> None:
    found = {
        path.relative_to(messages.ROOT).as_posix(): words
        for path in messages.templates()
        if path.suffix == ".html" and (words := unmarked(path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("<p>{% translate 'Cases' %}</p>", []),
        ("<p>{% blocktranslate %}Cases <b>{{ n }}</b>{% endblocktranslate %}</p>", []),
        ("<p>{{ n }} Cases</p>", ["Cases"]),
        ('<a title="Open it" href="/cases/">{{ n }}</a>', ["Open it"]),
        ("{# Needs: n. #}{% comment %}Words{% endcomment %}<p>{{ n }} · {{ m }}</p>", []),
    ],
)
def test_words_that_are_not_marked_are_found(template: str, words: list[str]) -> None:
    assert unmarked(template) == words


def unmarked(template: str) -> list[str]:
    """The words of a template that people would see in the language of the code alone."""
    page = Shown()
    page.feed(_without_tags(template))
    page.close()
    # Partials that are attributes of a tag alone show nothing.
    shown = [NAMES.sub("", text).strip(" \n…") for text in page.texts if '="' not in text]
    return [text for text in shown if re.search(r"[^\W\d_]{2,}", text)]


def _without_tags(template: str) -> str:
    """The text of a template; what is filled in or marked for translation is left out."""
    kept, skips_to = [], ""
    for token in Lexer(template).tokenize():
        word = token.contents.split(maxsplit=1)[0] if token.contents.strip() else ""
        if skips_to:
            skips_to = "" if token.token_type == TokenType.BLOCK and word == skips_to else skips_to
        elif token.token_type == TokenType.TEXT:
            kept.append(token.contents)
        elif token.token_type == TokenType.BLOCK and word in ("blocktranslate", "comment"):
            skips_to = f"end{word}"
        elif token.token_type != TokenType.COMMENT:
            kept.append("…")
    return "".join(kept)


class Shown(HTMLParser):
    """Gathers what a page shows: its text, and the attributes that are read out."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.hidden = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden = tag if tag in ("script", "style", "code", "kbd") else self.hidden
        self.texts += [value for name, value in attrs if name in ATTRIBUTES and value]

    def handle_endtag(self, tag: str) -> None:
        self.hidden = "" if tag == self.hidden else self.hidden

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.texts.append(data)
