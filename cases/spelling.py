"""How words are compared when people look for something: whatever their case, accents, encoding
and punctuation, and with the errors that fingers make.

Both sides go through `folded`: what is looked for and what is looked in.
"""

from __future__ import annotations

import unicodedata

WORD_CHARACTERS = 24  # longer ones are codes, not words that somebody misspells
# Letters of their own in one language, and plain ones with a stroke to everybody else.
_PLAIN = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)


def folded(text: str) -> str:
    """The words of a text, in small letters without accents, with one space between them.

    "Yılmaz–Kovač" gives "yilmaz kovac", composed or decomposed. Scripts without accents keep all
    of their letters.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.casefold())
        text = "".join(one for one in text if not unicodedata.combining(one)).translate(_PLAIN)
    kept = [one if one.isalnum() or _is_mark(one) else " " for one in text.casefold()]
    return " ".join("".join(kept).split())


def _is_mark(letter: str) -> bool:
    """Whether it is a sign that some scripts write on a letter, such as a vowel."""
    return not letter.isascii() and unicodedata.category(letter)[0] == "M"


def line_of(text: str) -> str:
    """A text as it is kept to be looked in: its words, and those of a number also in one piece, so
    that LN2026000417 and NL91 ABNA 0417 find what they mean."""
    words = folded(text)
    if " " in words and len(words) <= 60 and any(one.isdigit() for one in words):
        return f" {words} {words.replace(' ', '')} "
    return f" {words} "


def correctable(line: str) -> list[str]:
    """The words of a folded text in which an error is forgiven: long enough, without digits."""
    return [one for one in line.split() if is_correctable(one)]


def is_correctable(word: str) -> bool:
    return 4 <= len(word) <= WORD_CHARACTERS and word.isalpha()


def errors_forgiven(word: str) -> int:
    """How many letters of a word may be wrong, missing, too many, or exchanged with the next."""
    return 1 if len(word) <= 5 else 2


def distance(one: str, other: str) -> int:
    """How many such errors lie between two words (Damerau and Levenshtein, adjacent letters)."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        here = [row]
        for column, another in enumerate(other, start=1):
            cost = min(
                last[column] + 1, here[column - 1] + 1, last[column - 1] + (letter != another)
            )
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == another:
                cost = min(cost, before[column - 2] + 1)
            here.append(cost)
        before, last = last, here
    return last[-1]
