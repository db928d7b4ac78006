"""What is personal in an event is sealed: put into a box that only the key of its case opens.

The data of an event keeps its shape, so that SQL, folds and auditors read its structure without a
key. Each personal value in it is replaced by a small tag, and all of them together lie in one box
at the front:

    {"$box":"17.5.BASE64","amount":{"$decimal":"1.00"},"name":{"$sealed":0},"step":"received"}

`audit.codec` says what the box holds, byte for byte. What is personal is said by Rules: whatever
text is not known to be structure is.
"""

from __future__ import annotations

import os
import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from json.encoder import encode_basestring as quoted
from typing import Any

from cryptography.exceptions import InvalidTag

from audit import codec, keys
from audit.erased import ERASED, Erased
from audit.keys import Destroyed, Key

__all__ = ["ERASED", "BoxBroken", "Erased", "Rules", "Sealer", "decode", "encode"]

_FRONT = '{"$box":"'
_NONCE_BYTES = 12
_TAG = re.compile(r'\{"\$sealed(?:_value|_map|_list)?":(\d+)\}')


class BoxBroken(ValueError):
    """A box does not open with the key of its case: it was changed, or moved."""


# --- What is personal -------------------------------------------------------------------------


class Rule:
    """What becomes of the value under one key."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


FREE = Rule("FREE")  # texts are sealed; numbers, dates and the like stay: the rule for all else
PLAIN = Rule("PLAIN")  # stays as it is, with all below it
WHOLE = Rule("WHOLE")  # sealed in one piece, whatever it is
CODE = Rule("CODE")  # a text stays if it looks like codes: small letters, NL, LN-2026-000123
FACTS = Rule("FACTS")  # stands for what the kind says of its facts
CHANGES = Rule("CHANGES")  # the same, of what they were and became
EACH = "*"  # as a key: what holds for each key that is not named

Below = Any  # a Rule, a frozenset of the texts that stay, a mapping of key to Below, or Items


@dataclass(frozen=True, slots=True)
class Items:
    """What holds for each item of a list, and not for the list."""

    below: Below


_CODE = re.compile(r"[A-Z]{2,3}(-\d{4}-\d{6})?|[a-z0-9_.:-]{1,60}( [a-z0-9_.:-]{1,60}){0,30}")
_ORDINARY = re.compile(r"(?!\d{5})[A-Za-z0-9_.:/-]{1,64}")


class Rules:
    """What is personal in the events of one kind of case.

    `structure` names the keys at the top of an event that are structure: by type of event, and
    under EACH those of every type. `facts` says it of facts, and `anywhere` of what goes by the
    same names in arguments, results and messages.
    """

    def __init__(
        self,
        structure: Mapping[str, Mapping[str, Below]],
        *,
        facts: Mapping[str, Below] | None = None,
        anywhere: Mapping[str, Below] | None = None,
    ) -> None:
        self.free = dict(anywhere or {})
        self._facts = dict(facts or {})
        self._structure = structure
        self._by_type: dict[str, dict[str, Below]] = {}

    def of(self, type: str) -> dict[str, Below]:
        """By key, for the data of an event of this type."""
        found = self._by_type.get(type)
        if found is None:
            given = {**self._structure.get(EACH, {}), **self._structure.get(type, {})}
            found = self._by_type[type] = {key: self._placed(one) for key, one in given.items()}
        return found

    def _placed(self, below: Below) -> Below:
        if below is FACTS:
            return self._facts
        if below is CHANGES:
            return {name: Items(one) for name, one in self._facts.items()}
        if isinstance(below, Mapping):
            return {key: self._placed(one) for key, one in below.items()}
        return below


@dataclass(slots=True)
class Sealer:
    """What a head needs so that its events are sealed."""

    rules: Rules
    key: Key | Destroyed


# --- Writing ----------------------------------------------------------------------------------


def encode(
    data: dict[str, Any], sealer: Sealer, *, type: str, number: int
) -> tuple[str, tuple[str, list[str] | None] | None]:
    """The text of an event's data, with what is personal in a box. Raises what codec.encode does.

    Also gives what `fill` makes the open data of, for whoever reads it at once. What is personal
    and comes after the key was destroyed is not kept at all.
    """
    lines: list[str] = []
    rules = sealer.rules
    try:
        told = _mapping(data, rules.of(type), rules.free, lines)
    except Exception:
        codec.encode(data)  # says where
        raise
    text = codec.to_json(told)
    content = "\n".join(lines)
    codec.check(data, text, content)
    if not lines:
        return text, None
    if isinstance(sealer.key, Destroyed):
        return f'{_FRONT}",{text[1:]}', (text, None)
    return _boxed(text, content, sealer.key, number), (text, lines)


def _boxed(text: str, content: str, key: Key, number: int) -> str:
    head = f"{key.case_id}.{number}"
    nonce = os.urandom(_NONCE_BYTES)
    sealed = nonce + key.cipher.encrypt(nonce, content.encode(), head.encode())
    box = b2a_base64(sealed, newline=False).decode()
    return f'{_FRONT}{head}.{box}",{text[1:]}'


_TEXTS = [{"$sealed": place} for place in range(64)]
_TEXT_TAGS = [f'{{"$sealed":{place}}}' for place in range(64)]


def _text(value: str, lines: list[str]) -> Any:
    place = len(lines)
    lines.append(quoted(value))
    return _TEXTS[place] if place < 64 else {"$sealed": place}


def _mapping(
    found: Mapping[Any, Any],
    rules: Mapping[str, Below],
    free: Mapping[str, Below],
    lines: list[str],
) -> dict[str, Any]:
    told: dict[str, Any] = {}
    rest = rules.get(EACH, FREE)
    for key, value in found.items():
        if type(key) is not str or key[:1] == "$":
            key = codec.escaped(key, at="data")
        rule = rules.get(key, rest)
        kind = type(value)
        if rule is FREE:
            if kind is str:
                told[key] = _text(value, lines) if value else value
            elif kind in codec.AS_IT_IS:
                told[key] = value
            else:
                told[key] = _under(value, FREE, free, lines)
        elif rule is PLAIN:
            told[key] = value if kind in codec.AS_IT_IS else codec.tagged(value, at=key)
        else:
            told[key] = _under(value, rule, free, lines)
    return told


def _under(value: Any, rule: Below, free: Mapping[str, Below], lines: list[str]) -> Any:
    """A value that a rule holds for, and the items of a list as the list."""
    if value is None or rule is PLAIN:
        return codec.tagged(value, at="data")
    if isinstance(rule, Items):
        return [_under(item, rule.below, free, lines) for item in value]
    if rule is WHOLE:
        return _whole(value, lines)
    if isinstance(value, str):
        stays = not value or (
            value in rule
            if isinstance(rule, frozenset)
            else rule is CODE and _CODE.fullmatch(value) is not None
        )
        return str.__str__(value) if stays else _text(str.__str__(value), lines)
    if isinstance(value, Mapping):
        if isinstance(rule, dict):
            return _mapping(value, rule, free, lines)
        if all(isinstance(key, str) and _ORDINARY.fullmatch(key) for key in value):
            return _mapping(value, free, free, lines)
        return _whole(value, lines)  # its keys may say something of a person, too
    if isinstance(value, (list, tuple)):
        return [_under(item, rule, free, lines) for item in value]
    return codec.tagged(value, at="data")


def _whole(value: Any, lines: list[str]) -> Any:
    if isinstance(value, str):
        tag = "$sealed"
    elif isinstance(value, Mapping):
        tag = "$sealed_map"
    elif isinstance(value, (list, tuple)):
        tag = "$sealed_list"
    else:
        tag = "$sealed_value"
    lines.append(codec.to_json(codec.tagged(value, at="data")))
    return {tag: len(lines) - 1}


# --- Reading ----------------------------------------------------------------------------------


def decode(text: str, case_id: int = 0, number: int = 0) -> dict[str, Any]:
    """The data of an event, with what is personal where its case still has its key.

    Give the event's own case and number where they are known: a box of another one is refused.
    Raises BoxBroken, keys.NoKey, masters.NoMasterKey.
    """
    if not text.startswith(_FRONT):
        return codec.decode(text)
    rest, lines = _parted(text, case_id, number)
    return fill(rest, lines)


def structure(text: str) -> dict[str, Any]:
    """The data of an event without what is personal, in whose places stands anything. It asks for
    no key and opens nothing."""
    if text.startswith(_FRONT):
        text = "{" + text[text.find('"', len(_FRONT)) + 2 :]
        bare = text.replace('{"$sealed', "")
        if '"$' not in bare:  # all else is plain JSON, and quickly read
            return codec.read_plain(text)  # type: ignore[no-any-return]
    return codec.decode(text)


def parted(text: str, case_id: int, number: int) -> tuple[str, list[str] | None]:
    """The data without its box, and the lines that were in it; None for those that are erased, and
    where there was no box. `boxed` puts them together again, for another case."""
    return _parted(text, case_id, number) if text.startswith(_FRONT) else (text, None)


def boxed(text: str, lines: Sequence[str], key: Key, number: int) -> str:
    """Data with tags, and its lines in a box that this key opens."""
    return _boxed(text, "\n".join(lines), key, number)


def fill(text: str, lines: list[str] | None) -> dict[str, Any]:
    """Data whose personal values are given; None for those that are erased."""
    return codec.decode(text if lines is None else _filled(text, lines))


def opened_text(case_id: int, number: int, text: str) -> str | None:
    """The data with its personal values in place, as it would be written in plain; None where
    nothing is sealed, or where it is erased."""
    if not text.startswith(_FRONT):
        return None
    rest, lines = _parted(text, case_id, number)
    return None if lines is None else _filled(rest, lines)


def _parted(text: str, case_id: int, number: int) -> tuple[str, list[str] | None]:
    end = text.find('"', len(_FRONT))
    box, rest = text[len(_FRONT) : end], "{" + text[end + 2 :]
    return rest, _opened(box, case_id, number) if box else None


def _filled(text: str, lines: list[str]) -> str:
    # Most values are texts; and none of them holds the tag of another, for its quotes.
    for tag, line in zip(_TEXT_TAGS, lines, strict=False):
        text = text.replace(tag, line)
    if '{"$sealed' not in text:
        return text
    try:
        return _TAG.sub(lambda tag: lines[int(tag[1])], text)
    except IndexError:
        raise BoxBroken("The box holds fewer values than the event has tags.") from None


def case_of(text: str) -> int | None:
    """The case whose key opens the box of this data; None where there is nothing to open."""
    if not text.startswith(_FRONT):
        return None
    named = text[len(_FRONT) : text.find(".", len(_FRONT))]
    return int(named) if named.isdigit() else None


def erased_at(text: str, case_id: int) -> datetime | None:
    """When the personal values of this data, of an event of this case, were erased; None where it
    has any still, or never had."""
    if not text.startswith(_FRONT):
        return None
    key = keys.opened(case_id)
    return key.at if isinstance(key, Destroyed) else None


def _opened(box: str, case_id: int, number: int) -> list[str] | None:
    head, _, spelling = box.rpartition(".")
    if head != f"{case_id}.{number}":
        case_id = _named(head, case_id, number)
    key = keys.opened(case_id)
    if isinstance(key, Destroyed):
        return None
    try:
        content = _decrypted(key, head, spelling)
    except (InvalidTag, ValueError):
        keys.forget([case_id])  # the one at hand may be of before a restored backup
        try:
            key = keys.opened(case_id)
            if isinstance(key, Destroyed):
                return None
            content = _decrypted(key, head, spelling)
        except (InvalidTag, ValueError, keys.NoKey):
            raise BoxBroken(
                f"The box of event {head} (case.number) does not open: it was changed, or its key "
                "was."
            ) from None
    return content.decode().split("\n")


def _decrypted(key: Key, head: str, spelling: str) -> bytes:
    sealed = a2b_base64(spelling)
    return key.cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], head.encode())


def _named(head: str, case_id: int, number: int) -> int:
    """The case that a box names, where it is not simply that of its event."""
    try:
        named, numbered = map(int, head.split("."))
    except ValueError:
        raise BoxBroken("An event has a box that nobody wrote so.") from None
    if (case_id and named != case_id) or (number and numbered != number):
        raise BoxBroken(
            f"Event {number} of case {case_id} has the box of event {numbered} of case {named}."
        )
    return named
