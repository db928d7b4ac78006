"""Event data as text: the one spelling that is stored, hashed and read back.

JSON with sorted keys, no spaces and no ASCII escapes. What JSON cannot say travels in a
tagged object of one key:

    {"$decimal":"1.00"}  {"$date":"2027-03-28"}  {"$datetime":"2027-03-28T01:00:00.000000Z"}
    {"$uuid":"6f0c…"}    {"$seconds":"86400.5"}  (a timedelta)

A key of the caller's own that starts with "$" is written with a second one, so what is decoded
is always what was encoded, with two exceptions: tuples come back as lists, and moments in UTC.

What is personal is sealed (audit/sealing.py). Such data begins with its box:

    {"$box":"CASE.NUMBER.BASE64", …

and has, where values were taken out, tags with their places in the box:

    {"$sealed":0}  a text          {"$sealed_map":2}   a mapping
    {"$sealed_value":1}  a number, date, truth…   {"$sealed_list":3}  a list

BASE64 is of 12 bytes of nonce, the ciphertext, and 16 bytes of tag: AES-256-GCM with the key of
the case, over the values, each a JSON text as above on a line of its own, in UTF-8; authenticated
with the ASCII bytes of `CASE.NUMBER`, the case and the number of the event. An empty box, "",
holds nothing: it was recorded after the key was destroyed. Put the lines in place of the tags and
take the box out, and it is the data as encode() would write it.
"""

import json
import math
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings

from audit.erased import ERASED

EVENT_BYTES = 256 * 1024  # unless settings.LONGCASE_EVENT_BYTES says otherwise

AS_IT_IS = frozenset({str, int, bool, type(None)})
# What json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False,
# allow_nan=False) makes anew for each text.
_chunks = c_make_encoder(
    None, json.JSONEncoder().default, encode_basestring, None, ":", ",", True, False, False
)


class PayloadTooLarge(ValueError):
    """The data of one event is larger than the installation allows."""


def to_json(value: Any) -> str:
    """JSON with sorted keys, of what JSON can say."""
    return "".join(_chunks(value, 0))


def encode(data: Any) -> str:
    """Canonical JSON of the data of one event.

    Raises TypeError (a value without a spelling) and ValueError (a number that is not finite, a
    NUL character, half a surrogate pair, a moment without a time zone), each naming the place,
    and PayloadTooLarge.
    """
    text = to_json(data if _is_plain(data) else tagged(data, at="data"))
    check(data, text)
    return text


def check(data: Any, *texts: str) -> None:
    """Whether the database can keep what `data` was written as. Raises as encode() does."""
    # Postgres keeps neither of these in text or JSON; the rare suspect gets the slow look.
    size = 0
    for text in texts:
        if "\\u0000" in text or not (text.isascii() or _is_unicode(text)):
            _refuse_unstorable(data, at="data")
        size += len(text)
    limit = getattr(settings, "LONGCASE_EVENT_BYTES", EVENT_BYTES)
    if size * 4 > limit:  # UTF-8 takes at most four bytes a character
        _check_size(sum(len(text.encode()) for text in texts), limit)


def decode(text: str) -> dict[str, Any]:
    """The data that encode() was given. Raises ValueError for text that encode() never wrote."""
    if '"$' not in text:
        if text[-1:].isspace():
            raise ValueError("White space follows; this is not the data of one event.")
        try:
            return read_plain(text)  # type: ignore[no-any-return]
        except ValueError as error:
            raise ValueError(f"This is not the data of an event: {error}") from None
    # Without the look for spaces around it, which a canonical text has not.
    try:
        found, end = _read_tagged(text, 0)
    except StopIteration as stop:
        raise ValueError(f"This is not the data of an event, from {stop.value} on.") from None
    if end != len(text):
        raise ValueError(f"More text follows at {end}; this is not the data of one event.")
    return found


def utc_text(moment: datetime) -> str:
    """The one spelling of a moment: UTC, microseconds, `2027-03-28T01:00:00.000000Z`."""
    global _spelled
    last, spelling = _spelled
    if moment is last:  # the events of a commit share theirs
        return spelling
    spelling = _utc_text(moment)
    _spelled = (moment, spelling)
    return spelling


_spelled: tuple[object, str] = (object(), "")


def _utc_text(moment: datetime) -> str:
    if moment.tzinfo is not UTC:
        if moment.tzinfo is None:
            raise ValueError(f"{moment!r} has no time zone; moments in history are aware.")
        moment = moment.astimezone(UTC)
    # The offset is always +00:00 here, and cutting it is cheaper than formatting without it.
    return moment.isoformat(timespec="microseconds")[:-6] + "Z"


def _is_plain(data: Any) -> bool:
    """Whether JSON's own encoder says it all; true of most events."""
    if type(data) is not dict:
        return False
    for key, value in data.items():
        if type(value) not in AS_IT_IS or type(key) is not str or key[:1] == "$":
            return False
    return True


def tagged(value: Any, *, at: str) -> Any:
    kind = type(value)
    if kind in AS_IT_IS:
        return value
    if isinstance(value, Mapping):
        return {escaped(key, at=at): tagged(item, at=f"{at}.{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [tagged(item, at=f"{at}[{place}]") for place, item in enumerate(value)]
    if isinstance(value, str):
        return str.__str__(value)  # TextChoices and the like: the word, not the member
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{at} is {value!r}; only finite numbers can be recorded.")
        return float(value)
    if isinstance(value, int):
        return int(value)
    for known, tag, spell in _SPELLINGS:
        if isinstance(value, known):
            try:
                return {tag: spell(value)}
            except (ValueError, OverflowError) as error:
                raise ValueError(f"{at} cannot be recorded: {error}") from error
    raise TypeError(
        f"{at} is a {kind.__module__}.{kind.__qualname__}, which history has no spelling for. "
        "Record text, numbers, dates, moments, spans, Decimal, UUID, or lists and mappings of them."
    )


def escaped(key: object, *, at: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{at} has the key {key!r}; keys in history are text.")
    return f"${key}" if key.startswith("$") else str.__str__(key)


def _decimal_text(value: Decimal) -> str:
    if not value.is_finite():
        raise ValueError(f"{value} is not a finite number")
    return str(value)


def _seconds_text(span: timedelta) -> str:
    micros = span // timedelta(microseconds=1)
    sign, micros = ("-", -micros) if micros < 0 else ("", micros)
    whole, rest = divmod(micros, 1_000_000)
    return f"{sign}{whole}.{rest:06}".rstrip("0").rstrip(".") if rest else f"{sign}{whole}"


def _seconds_span(text: str) -> timedelta:
    return timedelta(microseconds=int(Decimal(text) * 1_000_000))


# A datetime is also a date, so it stands first.
_SPELLINGS: tuple[tuple[type, str, Callable[[Any], str]], ...] = (
    (Decimal, "$decimal", _decimal_text),
    (datetime, "$datetime", utc_text),
    (date, "$date", date.isoformat),
    (UUID, "$uuid", str),
    (timedelta, "$seconds", _seconds_text),
)
_READINGS: dict[str, Callable[[Any], Any]] = {
    "$decimal": Decimal,
    "$datetime": datetime.fromisoformat,
    "$date": date.fromisoformat,
    "$uuid": UUID,
    "$seconds": _seconds_span,
    # Nobody put the values in place of these: they are erased.
    "$sealed": lambda _: ERASED,
    "$sealed_value": lambda _: None,
    "$sealed_map": lambda _: {},
    "$sealed_list": lambda _: [],
}


def _untagged(found: dict[str, Any]) -> Any:
    if len(found) == 1:
        ((key, value),) = found.items()
        if key in _READINGS:
            return _READINGS[key](value)
    for key in found:
        if key.startswith("$"):
            return {_unescaped(key): value for key, value in found.items()}
    return found


def _unescaped(key: str) -> str:
    if not key.startswith("$"):
        return key
    if not key.startswith("$$"):
        raise ValueError(f"History has no tag {key!r}; was this written by a newer Longcase?")
    return key[1:]


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_unstorable(value: Any, *, at: str) -> None:
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError(f"{at} contains a NUL character, which history cannot keep.")
        if not _is_unicode(value):
            raise ValueError(f"{at} contains half a surrogate pair, which is not Unicode text.")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _refuse_unstorable(key, at=f"a key of {at}")
            _refuse_unstorable(item, at=f"{at}.{key}")
    elif isinstance(value, (list, tuple)):
        for place, item in enumerate(value):
            _refuse_unstorable(item, at=f"{at}[{place}]")


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise PayloadTooLarge(
            f"The data of one event takes {size:,} bytes; {limit:,} are allowed "
            "(LONGCASE_EVENT_BYTES). Keep large content as a document and record its digest."
        )


# As exact as json with numbers of any length, in a third of the time; most events are read so.
read_plain: Callable[[str], Any] = msgspec.json.Decoder().decode
_read_tagged = json.JSONDecoder(object_hook=_untagged).scan_once  # type: ignore[attr-defined]
