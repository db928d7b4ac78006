"""What stands in one cell of a table: the type of its column, and a test of a value.

The tests are the unary tests of FEEL that a table needs: `-`, `< 5`, `[1..5]`, `(1..5]`,
`"north", "south"`, `not(…)`, `true`, `date("2026-01-01")`. Without quotes words, `yes` and `no`
and `2026-01-01` may stand as they are, as people write them in a spreadsheet.

Numbers and dates are looked at as stretches of a line. A stretch goes from one cut to another; a
cut is a value and a side: (5, 0) is just before 5, (5, 1) just after it. So `[1..5]` is
(1, 0) to (5, 1), `> 5` is (5, 1) to the end, and stretches can be cut, joined and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, InvalidOperation
from typing import Any

Value = Decimal | date | str | bool
Cut = tuple[Any, int]
Stretch = tuple[Cut | None, Cut | None]  # None: without end

_STEPS = {"whole": Decimal(1), "money": Decimal("0.01")}
TYPES = ("number", "whole", "money", "date", "text", "yes/no")
_ORDERED = ("number", "whole", "money", "date")
DIGITS = 30  # of a number, at most


class Unreadable(ValueError):
    """A cell that says nothing this column can test."""


@dataclass(frozen=True, slots=True)
class Type:
    """The type of a column: its name, whether it may be empty, and the values that may occur."""

    name: str
    optional: bool = False
    allowed: Test | None = None

    @property
    def is_ordered(self) -> bool:
        return self.name in _ORDERED

    def take(self, value: Any) -> Value | None:
        """A fact as a value of this type. Raises Unreadable saying what is wrong with it."""
        if value is None or value == "":
            if self.optional:
                return None
            raise Unreadable(f"it is empty, and must be {self.words()}")
        found = self._take(value)
        if self.allowed is not None and not self.allowed.holds(found):
            raise Unreadable(f"{shown(found)} is not {self.words()}")
        return found

    def _take(self, value: Any) -> Value:
        match self.name:
            case "yes/no" if isinstance(value, bool):
                return value
            case "text" if isinstance(value, str):
                return value
            case "date" if isinstance(value, date) and not isinstance(value, datetime):
                return value
            case "number" | "whole" | "money" if isinstance(
                value, (int, Decimal)
            ) and not isinstance(value, bool):
                return self._number(Decimal(value))
        raise Unreadable(f"{value!r} is not {self.words()}")

    def _number(self, value: Decimal) -> Decimal:
        if not value.is_finite():
            raise Unreadable(f"{value} is no number")
        step = _STEPS.get(self.name)
        if step is not None and value % step:
            places = "no decimals" if step == 1 else "at most 2 decimals"
            raise Unreadable(f"{shown(value)} must have {places}")
        return value

    def read(self, text: str) -> Value | None:
        """A literal of this type as a table or a row of a test writes it. Raises Unreadable."""
        text = text.strip()
        if text in ("", "-", "null"):
            if self.optional:
                return None
            raise Unreadable(f"it is empty, and must be {self.words()}")
        found = literal(text, self)
        if self.allowed is not None and not self.allowed.holds(found):
            raise Unreadable(f"{shown(found)} is not {self.words()}")
        return found

    def words(self) -> str:
        word = {
            "number": "a number",
            "whole": "a whole number",
            "money": "an amount",
            "date": "a date",
            "text": "a text",
            "yes/no": "yes or no",
        }[self.name]
        return f"{word}: {self.allowed.words()}" if self.allowed is not None else word

    # -- cuts of the line of an ordered type

    def tidy(self, cut: Cut | None) -> Cut | None:
        """The same cut just before a value that can occur, where values come in steps."""
        if cut is None:
            return None
        value, side = cut
        if self.name == "date":
            return (value + timedelta(days=side), 0) if value < date.max else cut
        step = _STEPS.get(self.name)
        if step is None:
            return cut
        above = (value / step).to_integral_value(ROUND_FLOOR) * step + step
        here = (value / step).to_integral_value(ROUND_CEILING) * step
        return (above if side else here, 0)

    def stretch_words(self, stretch: Stretch) -> str:
        """A stretch as people say it: "50,000.01 to 60,000", "over 5", "from 1 May 2026"."""
        low, high = stretch
        step = timedelta(days=1) if self.name == "date" else _STEPS.get(self.name)
        if high is not None and step is not None and high[1] == 0:
            high = (high[0] - step, 1)  # the last value within
        if low is not None and high is not None and low[0] == high[0]:
            return shown(low[0])
        if low is None and high is None:
            return "anything"
        start = "" if low is None else f"{'over' if low[1] else 'from'} {shown(low[0])}"
        end = "" if high is None else f"{'up to' if high[1] else 'under'} {shown(high[0])}"
        return f"{start} {end}".strip()


@dataclass(frozen=True, slots=True)
class Test:
    """What a cell demands of a value. `stretches` for numbers and dates, `values` for the rest."""

    text: str = "-"
    anything: bool = False
    stretches: tuple[Stretch, ...] = ()
    values: frozenset[Any] = frozenset()
    but: bool = False  # the values are those that do not fit
    null: bool = False  # also where the fact is missing

    def holds(self, value: Value | None) -> bool:
        if self.anything:
            return True
        if value is None:
            return self.null
        if isinstance(value, (bool, str)):
            return (value in self.values) != self.but
        return any(_within(value, stretch) for stretch in self.stretches)

    def meets(self, other: Test, kind: Type) -> bool:
        """Whether some value of this type fits both."""
        limit = kind.allowed or ANYTHING
        if kind.optional and all(one.anything or one.null for one in (self, other, limit)):
            return True
        if kind.is_ordered:
            tests = [one for one in (self, other, limit) if not one.anything]
            found: list[Stretch] = [(None, None)]
            for one in tests:
                found = list(meet(found, [tidied(s, kind) for s in one.stretches]))
            return bool(found)
        known: set[Any] = {True, False}
        if kind.name == "text":
            known = {*self.values, *other.values, *limit.values, _OTHER}
        return any(self.holds(v) and other.holds(v) and limit.holds(v) for v in known)

    def words(self) -> str:
        return "anything" if self.anything else self.text


_OTHER = "\0any other text"
ANYTHING = Test(anything=True, null=True)


def tidied(stretch: Stretch, kind: Type) -> Stretch:
    return (kind.tidy(stretch[0]), kind.tidy(stretch[1]))


def _within(value: Any, stretch: Stretch) -> bool:
    low, high = stretch
    return (low is None or low <= (value, 0)) and (high is None or (value, 0) < high)


def meet(some: Iterable[Stretch], others: list[Stretch]) -> Iterable[Stretch]:
    """What lies in a stretch of both."""
    for low, high in some:
        for start, end in others:
            first = max((c for c in (low, start) if c is not None), default=None)
            last = min((c for c in (high, end) if c is not None), default=None)
            if first is None or last is None or first < last:
                yield (first, last)


def outside(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """All that lies in none of these."""
    rest: list[Stretch] = [(None, None)]
    for low, high in stretches:
        around: list[Stretch] = [(None, low)] if low is not None else []
        around += [(high, None)] if high is not None else []
        rest = list(meet(rest, around))
    return tuple(rest)


def shown(value: Any) -> str:
    """A value as people write it."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (Decimal, int)):
        text = f"{value:,f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, date):
        return f"{value.day} {value:%b %Y}"
    return str(value)


# -- reading


_DATE = re.compile(r'(?:date\(\s*)?"?(\d{4}-\d{2}-\d{2})"?(?:\s*\))?')
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_NOT = re.compile(r"\s*not\s*\(")
_PART = re.compile(
    r"""\s*(?:
      (?P<range>(?P<open>[\[\](])\s*(?P<low>[^\[\](),]*?(?:\("[^"]*"\))?)\s*\.\.
               \s*(?P<high>[^\[\](),]*?(?:\("[^"]*"\))?)\s*(?P<close>[\[\])])) |
      (?P<compare><=|>=|!=|<|>|=)\s*(?P<than>"(?:[^"\\]|\\.)*"|date\("[^"]*"\)|[^,()\[\]]+?) |
      (?P<quoted>"(?:[^"\\]|\\.)*") |
      (?P<called>date\("[^"]*"\)) |
      (?P<bare>[^,()\[\]"<>=]+?)
    )\s*(?=,|\)|$)""",
    re.VERBOSE,
)


def literal(text: str, kind: Type) -> Value:
    """One value of this type. Raises Unreadable, naming what would work."""
    text = text.strip()
    match kind.name:
        case "text":
            return _unquoted(text)
        case "yes/no":
            known = {"true": True, "yes": True, "false": False, "no": False}
            if text.lower() in known:
                return known[text.lower()]
            raise Unreadable(f"“{text}” is neither yes nor no")
        case "date":
            found = _DATE.fullmatch(text)
            try:
                return date.fromisoformat(found[1] if found else "")
            except ValueError:
                raise Unreadable(f"“{text}” is no date; write 2026-05-01") from None
    if not _NUMBER.fullmatch(text) or len(text) > DIGITS:
        raise Unreadable(f"“{text}” is no number; write 50000 or 0.25")
    try:
        return kind._number(Decimal(text))
    except InvalidOperation:
        raise Unreadable(f"“{text}” is no number") from None


def _unquoted(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    if '"' in text:
        raise Unreadable(f"“{text}” has a quote too many or too few")
    return text


def read_test(text: str, kind: Type) -> Test:
    """What a cell demands. Raises Unreadable."""
    text = text.strip()
    if text in ("", "-"):
        return ANYTHING
    found, at = _list_of(text, 0, kind)
    if at != len(text):
        raise Unreadable(f"“{text[at:]}” cannot be read here")
    stretches, values, but, null = found
    return Test(text, False, tuple(stretches), frozenset(values), but, null)


_Found = tuple[list[Stretch], set[Any], bool, bool]


def _list_of(text: str, at: int, kind: Type) -> tuple[_Found, int]:
    stretches: list[Stretch] = []
    values: set[Any] = set()
    but = null = False
    while True:
        (more, at) = _one(text, at, kind)
        stretches += more[0]
        null = null or more[3]
        values, but = _either(values, but, more[1], more[2])
        if at >= len(text) or text[at] != ",":
            return (stretches, values, but, null), at
        at += 1


def _either(values: set[Any], but: bool, more: set[Any], more_but: bool) -> tuple[set[Any], bool]:
    """The values that fit one or the other, each given as a set or as all but a set."""
    if but and more_but:
        return values & more, True
    if but or more_but:
        return (values - more, True) if but else (more - values, True)
    return values | more, False


def _one(text: str, at: int, kind: Type) -> tuple[_Found, int]:
    if opened := _NOT.match(text, at):
        (stretches, values, but, _null), end = _list_of(text, opened.end(), kind)
        if end >= len(text) or text[end] != ")":
            raise Unreadable("not(…) is not closed")
        end += 1
        while end < len(text) and text[end] == " ":
            end += 1
        around = list(outside(stretches)) if kind.is_ordered else []
        # What is missing fits no comparison, and so not its opposite either; not(null) is apart.
        return (around, values, not but and not kind.is_ordered, False), end
    part = _PART.match(text, at)
    if part is None:
        raise Unreadable(f"“{text[at:] or text}” cannot be read here")
    end = part.end()
    if part["range"]:
        return ([_range(part, kind)], set(), False, False), end
    if part["compare"]:
        return _compared(part["compare"], part["than"], kind), end
    word = part["quoted"] or part["called"] or part["bare"].strip()
    if word == "null" and not part["quoted"]:
        if not kind.optional:
            raise Unreadable("null needs a column that may be empty: write “optional” before it")
        return ([], set(), False, True), end
    value = literal(word, kind)
    if kind.is_ordered:
        return ([((value, 0), (value, 1))], set(), False, False), end
    return ([], {value}, False, False), end


def _range(part: re.Match[str], kind: Type) -> Stretch:
    if not kind.is_ordered:
        raise Unreadable(f"{kind.words()} has no ranges; list the values with commas")
    low, high = literal(part["low"], kind), literal(part["high"], kind)
    start = (low, 0) if part["open"] == "[" else (low, 1)
    end = (high, 1) if part["close"] == "]" else (high, 0)
    if not start < end:
        raise Unreadable(f"{part['range'].strip()} holds nothing: its start is after its end")
    return (start, end)


def _compared(sign: str, than: str, kind: Type) -> _Found:
    value = literal(than, kind)
    if not kind.is_ordered:
        if sign not in ("=", "!="):
            raise Unreadable(f"{kind.words()} cannot be compared with {sign}")
        return ([], {value}, sign == "!=", False)
    before, after = (value, 0), (value, 1)
    stretches: dict[str, list[Stretch]] = {
        "<": [(None, before)],
        "<=": [(None, after)],
        ">": [(after, None)],
        ">=": [(before, None)],
        "=": [(before, after)],
        "!=": [(None, before), (after, None)],
    }
    return (stretches[sign], set(), False, False)


def read_type(text: str) -> Type:
    """The type of a column: `money > 0`, `optional date`, `text north, south`, `yes/no`."""
    words = text.strip()
    optional = words.startswith("optional ")
    words = words.removeprefix("optional ").strip()
    name = next((one for one in TYPES if words == one or words.startswith(f"{one} ")), None)
    if name is None:
        raise Unreadable(f"“{text.strip()}” is no type; there are {', '.join(TYPES)}")
    rest = words.removeprefix(name).strip()
    kind = Type(name, optional)
    return Type(name, optional, read_test(rest, kind)) if rest else kind
