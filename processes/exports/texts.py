"""Text that a format cannot hold as it is: shown otherwise, never dropped in silence."""

from __future__ import annotations

import re
import unicodedata

# What no XML 1.0 may hold: control characters, halves of surrogate pairs, and two non-characters.
_UNSHOWABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
# At these a spreadsheet takes a text for a formula; the wide ones are the same to some of them.
FORMULA_SIGNS = "=+-@\t\r\n＝＋－＠"
EXCEL_CHARACTERS = 32_767  # in a cell


def shown(text: str, *, keep: str = "") -> str:
    """The text with a picture for each control character, ␀ for NUL, � for what is no character."""
    if not _UNSHOWABLE.search(text):
        return text
    return _UNSHOWABLE.sub(lambda found: _picture(found[0], keep), text)


def _picture(sign: str, keep: str) -> str:
    if sign in keep:
        return sign
    code = ord(sign)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def harmless(text: str) -> str:
    """The text as a cell of CSV that no spreadsheet takes for a formula: an apostrophe comes before
    what looks like one. Leading spaces do not hide it."""
    if text.lstrip(" \u00a0").startswith(tuple(FORMULA_SIGNS)):
        return f"'{text}"
    return text


def fitting(text: str, note: str) -> str:
    """The text as one cell of Excel; a longer one is cut, and says so."""
    units = len(text.encode("utf-16-le", "replace")) // 2
    if units <= EXCEL_CHARACTERS:
        return text
    kept = EXCEL_CHARACTERS - len(note)
    return text.encode("utf-16-le", "replace")[: kept * 2].decode("utf-16-le", "ignore") + note


def named(sign: str) -> str:
    """A character by its name, for a font that cannot draw it: [fox face]."""
    return f"[{unicodedata.name(sign, f'U+{ord(sign):04X}').lower()}]"
