"""A document for paper: headings, facts, entries. Every text can be printed.

The fonts shipped draw Latin, Greek, Cyrillic, Arabic, Hebrew and the scripts of East Asia. What
they cannot draw is printed by its name in brackets, such as [fox face].
"""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import IO

from django.utils.translation import gettext as _
from fontTools.ttLib import TTFont
from fpdf import FPDF

from processes.exports.texts import named, shown

logging.getLogger("fontTools").setLevel(logging.WARNING)  # it tells of each table of a font

FONTS = Path(__file__).parent / "fonts"
MAIN, EAST = "DejaVuSans.ttf", "DroidSansFallback.ttf"
_UNSEEN = {"Cf", "Mn", "Cc"}  # they join, order or mark what stands beside them
_RIGHT_TO_LEFT = {"R", "AL"}
FIRST_JOINED = "\u0590"  # from here on letters may take other shapes beside each other


@cache
def drawable() -> tuple[frozenset[int], frozenset[int]]:
    """The characters that the main font has, and those of the one for East Asia."""
    found = []
    for name in (MAIN, EAST):
        with TTFont(FONTS / name, lazy=True) as font:
            found.append(frozenset(font.getBestCmap()))
    return found[0], found[1]


def printable(text: str) -> str:
    """The text as these fonts print it; nothing of it is left out in silence."""
    text = shown(unicodedata.normalize("NFC", text), keep="\n\t").replace("\t", "    ")
    main, east = drawable()
    if all(ord(sign) in main for sign in text):
        return text
    return "".join(_printable(sign, main, east) for sign in text)


def _printable(sign: str, main: frozenset[int], east: frozenset[int]) -> str:
    code = ord(sign)
    if code in main or code in east or sign == "\n":
        return sign
    return "" if unicodedata.category(sign) in _UNSEEN else named(sign)


class Paper(FPDF):
    """A4, with the name of the file and the number of the page below each page."""

    def __init__(self, *, title: str, foot: str, made_at: datetime) -> None:
        super().__init__(format="A4")
        self.foot = printable(foot)
        self.set_margins(20, 18, 20)
        self.set_auto_page_break(True, margin=22)
        self.add_font("main", fname=FONTS / MAIN)
        self.set_font("main", size=10)
        self.set_title(shown(title))
        self.set_creator("Longcase")
        self.set_creation_date(made_at)
        self.add_page()

    def footer(self) -> None:
        self.set_y(-15)
        self.set_font("main", size=8)
        self.set_text_color(90)
        told = _("page %(n)s of %(all)s") % {"n": self.page_no(), "all": "{nb}"}
        self.cell(0, 5, f"{self.foot} · {told}", align="L")
        self.set_text_color(0)

    def heading(self, text: str, *, size: int = 14, new_page: bool = False) -> None:
        """The head of a part, which also stands in the outline."""
        if new_page or self.get_y() > self.h - 50:
            self.add_page()
        else:
            self.ln(4)
        self.start_section(printable(text))
        self._say(text, size=size)
        self.ln(1)

    def said(self, text: str, *, size: float = 10, soft: bool = False) -> None:
        """A paragraph."""
        self._say(text, size=size, soft=soft)

    def pair(self, name: str, value: str) -> None:
        """A fact: its name over its value."""
        self._say(name, size=8, soft=True)
        self._say(value or "–", size=10)
        self.ln(1)

    def entry(self, title: str, about: str, lines: Iterable[str] = ()) -> None:
        """One thing of a list: what, by whom and when, and what it says."""
        self._say(title, size=10)
        if about:
            self._say(about, size=8, soft=True)
        for line in lines:
            if line:
                self._say(line, size=9)
        self.ln(1.5)

    def _say(self, text: str, *, size: float, soft: bool = False) -> None:
        text = printable(str(text))
        self._prepare_for(text)
        self.set_font("main", size=size)
        self.set_text_color(90 if soft else 0)
        align = "R" if _is_right_to_left(text) else "L"
        self.multi_cell(0, size * 0.5, text, align=align, new_x="LMARGIN", new_y="NEXT")
        self.set_text_color(0)

    def _prepare_for(self, text: str) -> None:
        """Joining letters and the large font of East Asia cost time, so only where they are met."""
        self.set_text_shaping(any(sign >= FIRST_JOINED for sign in text))
        if "east" not in self.fonts and not drawable()[0].issuperset(map(ord, text)):
            self.add_font("east", fname=FONTS / EAST)
            self.set_fallback_fonts(["east"], exact_match=False)

    def write_to(self, out: IO[bytes]) -> None:
        out.write(self.output())


def _is_right_to_left(text: str) -> bool:
    """Whether the first letter is of a script that is written from the right."""
    for sign in text:
        way = unicodedata.bidirectional(sign)
        if way in _RIGHT_TO_LEFT:
            return True
        if way == "L":
            return False
    return False
