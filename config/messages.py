"""`make messages`: the catalogues of words in other languages, brought up to the code.

Each string marked for translation, in code and templates, has its entry in
`locale/*/LC_MESSAGES/django.po`; words that are no longer used go out. The compiled `.mo` beside it
is kept with it, so that running Longcase needs neither gettext nor Babel (decision 0023).
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from babel.messages import extract
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("audit", "timers", "cases", "processes", "config")
LOCALE = ROOT / "locale"
KINDS = [path.parent for path in sorted((ROOT / "processes").glob("*/apps.py"))]
# What the words of Django add to those of gettext.
KEYWORDS = {
    **extract.DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
# What a step's code says to people through the words of authoring: recorded as it stands there, and
# translated when it is read (`cases.words.of_steps`).
OF_STEPS = {"title", "outcomes", "asks", "met", "then", "otherwise", "on"}
_PLACEHOLDER = re.compile(r"%\((\w+)\)[-#0 +]*[\d.]*[a-z]|%%|%[sdrf]|\{\w*\}")


def main() -> int:
    template = extracted()
    for path in catalogues():
        catalogue = brought_up(read(path), template)
        path.write_bytes(as_po(catalogue))
        path.with_suffix(".mo").write_bytes(as_mo(catalogue))
        faults = list(faults_of(catalogue))
        print(f"{path.relative_to(ROOT)}: {len(catalogue)} entries, {len(faults)} to mend.")
        for fault in faults:
            print(f"  {fault}")
    return 0


def catalogues() -> list[Path]:
    return sorted(LOCALE.glob("*/LC_MESSAGES/django.po"))


def read(path: Path) -> Catalog:
    language = path.parent.parent.name
    with path.open("rb") as file:
        return read_po(file, locale=language, domain="django", abort_invalid=True)


def extracted() -> Catalog:
    """Every string that code and templates mark for translation, with the files that use it."""
    found = Catalog(project="Longcase", charset="utf-8")
    for path in sources():
        for message, context in strings_of(path):
            place = [(path.relative_to(ROOT).as_posix(), 1)]
            found.add(message, locations=place, context=context)
    return found


def sources() -> Iterator[Path]:
    """Code and templates of the product; not its tests."""
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path
    yield from templates()


def templates() -> list[Path]:
    """Pages, partials, letters and mails, of the base and of each kind."""
    folders = [ROOT / "templates", *sorted((ROOT / "processes").rglob("templates"))]
    return [p for f in folders for p in sorted(f.rglob("*")) if p.suffix in (".html", ".txt")]


def strings_of(path: Path) -> Iterator[tuple[str | tuple[str, ...], str | None]]:
    """The marked strings of one file, as (message, context)."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py" and any(path.is_relative_to(kind) for kind in KINDS):
        yield from ((words, None) for words in _of_steps(text))
    if path.suffix != ".py":
        text = _as_code(text)
    found = extract.extract("python", io.BytesIO(text.encode()), keywords=KEYWORDS)
    for _line, message, _comments, context in found:
        if message and message != ("",):
            yield message, context


def _of_steps(code: str) -> Iterator[str]:
    """The words that steps and activities of a kind give to people, in their plain strings."""
    for call in ast.walk(ast.parse(code)):
        if not isinstance(call, ast.Call):
            continue
        for given in call.keywords:
            if given.arg in OF_STEPS and not any(_is_more(one) for one in ast.walk(given.value)):
                for one in ast.walk(given.value):
                    # Names of the code are small and have no blanks.
                    if isinstance(one, ast.Constant) and isinstance(one.value, str):
                        text = one.value
                        if text[:1].isupper() or " " in text:
                            yield text


def _is_more(node: ast.AST) -> bool:
    """Whether these are no plain strings: marked already, or put together when they are needed."""
    return isinstance(node, ast.Call | ast.JoinedStr)


def _as_code(template: str) -> str:
    """A template as calls of gettext. What is not marked is blotted out; without its indentation
    it can be read as code."""
    # Imported here: it needs no settings, but Django is slow to load for those who only compile.
    from django.utils.translation.template import templatize

    return "\n".join(line.lstrip() for line in templatize(template).splitlines())


def brought_up(old: Catalog, template: Catalog) -> Catalog:
    """The catalogue with exactly the strings of the template: what is new is empty, nothing is
    guessed."""
    new = Catalog(locale=old.locale, domain="django", project="Longcase", charset="utf-8")
    new.fuzzy = False
    for message in sorted(_entries(template), key=_place):
        known = old.get(message.id, message.context)
        said = known.string if known is not None else None
        new.add(message.id, said, message.locations, message.flags, context=message.context)
    return new


def _place(message: Message) -> tuple[str, str]:
    return min(message.locations)[0], str(message.id)


def _entries(catalogue: Catalog) -> Iterator[Message]:
    return (message for message in catalogue if message.id)


def as_po(catalogue: Catalog) -> bytes:
    """Without line numbers and times, so that a change of the code changes only its own entries."""
    out = io.BytesIO()
    write_po(out, catalogue, width=100, include_lineno=False, omit_header=True)
    plural = f"Plural-Forms: {catalogue.plural_forms}"
    head = (
        f"# Longcase in another language: {catalogue.locale}. docs/glossary.md has the words.\n"
        'msgid ""\nmsgstr ""\n'
        f'"Language: {catalogue.locale}\\n"\n'
        '"MIME-Version: 1.0\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n'
        '"Content-Transfer-Encoding: 8bit\\n"\n'
        f'"{plural}\\n"\n\n'
    )
    return head.encode() + out.getvalue()


def as_mo(catalogue: Catalog) -> bytes:
    """The same bytes for the same words: without times, and whichever Babel writes it."""
    plain = _Plain(locale=catalogue.locale, domain="django", fuzzy=False)
    for message in _entries(catalogue):
        plain.add(message.id, message.string, flags=message.flags, context=message.context)
    out = io.BytesIO()
    write_mo(out, plain)
    return out.getvalue()


class _Plain(Catalog):
    """A catalogue whose header says what reading it takes, and nothing else."""

    def _get_mime_headers(self) -> list[tuple[str, str]]:
        return [
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Plural-Forms", self.plural_forms),
        ]

    mime_headers = property(_get_mime_headers)


def faults_of(catalogue: Catalog) -> Iterator[str]:
    """What is not translated, marked as doubtful, or has other placeholders than the English."""
    for message in _entries(catalogue):
        english, said = _forms(message.id), _forms(message.string)
        if not all(said):
            yield f"not translated: {english[0]!r}"
        elif message.fuzzy:
            yield f"doubtful (fuzzy): {english[0]!r}"
        elif any(places(text) not in [places(one) for one in english] for text in said):
            yield f"other placeholders: {english[0]!r} → {said!r}"
        elif {text[:1].isspace() for text in english} != {text[:1].isspace() for text in said}:
            yield f"blank at the start: {english[0]!r} → {said!r}"


def _forms(string: str | Sequence[str] | None) -> list[str]:
    """The forms of a string: one, or one for each number."""
    return [string or ""] if isinstance(string, str | None) else list(string)


def places(text: str) -> list[str]:
    """The placeholders of a string, in a fixed order."""
    return sorted(found.group(0) for found in _PLACEHOLDER.finditer(text))


if __name__ == "__main__":
    sys.exit(main())
