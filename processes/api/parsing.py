"""Reading what is sent: exact numbers, a limit of size, and no characters that cannot be kept."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework import parsers, serializers
from rest_framework.exceptions import APIException, ParseError

from processes import exactjson
from processes.api import types
from processes.api.problems import QueryInvalid

PIECE = 64 * 1024
DEPTH = 40  # levels of nesting


class TooLarge(APIException):
    status_code = 413


class ExactJSON(parsers.BaseParser):
    """JSON whose decimals stay as written and whose names stand once; what history could not keep
    is refused by its place."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        text = _read(stream)
        try:
            data = exactjson.loads(text)
        except (ValueError, RecursionError) as error:
            raise ParseError(_("The body is no JSON: %(why)s") % {"why": error}) from error
        found = unkept(data)
        if found is not None:
            raise ParseError(found)
        return data


def _read(stream: Any) -> bytes:
    most = settings.LONGCASE_API_BYTES
    found = bytearray()
    while piece := stream.read(PIECE):
        found += piece
        if len(found) > most:
            raise TooLarge(
                _("A body may have %(most)s bytes. Send documents as documents.") % {"most": most}
            )
    return bytes(found)


def unkept(data: Any, at: str = "", depth: int = 0) -> str | None:
    """What in this data could not be kept, in a sentence; None when all can."""
    if depth > DEPTH:
        return _("%(at)s is nested deeper than %(most)s levels.") % {"at": at, "most": DEPTH}
    if isinstance(data, str):
        return _text(data, at or "/")
    if isinstance(data, dict):
        for name, value in data.items():
            found = _text(name, _("A name in %(at)s") % {"at": at or "/"})
            found = found or unkept(value, f"{at}/{name}", depth + 1)
            if found:
                return found
    if isinstance(data, list):
        for place, value in enumerate(data):
            if found := unkept(value, f"{at}/{place}", depth + 1):
                return found
    return None


def _text(text: str, at: str) -> str | None:
    if "\0" in text:
        return _("%(at)s contains a NUL character, which cannot be kept.") % {"at": at}
    try:
        text.encode()
    except UnicodeEncodeError:
        return _("%(at)s contains half a surrogate pair, which is no text.") % {
            "at": at.encode(errors="replace").decode()
        }
    return None


class Strict(serializers.Serializer):
    """What a body may hold; any other name is refused by name."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            extra = {name: [_("Not known here.")] for name in data if name not in self.fields}
            if extra:
                raise serializers.ValidationError(extra)
        return super().to_internal_value(data)


def body_of(request: Any, shape: type[Strict]) -> dict[str, Any]:
    """The body of a call. Raises ValidationError naming each field."""
    data = request.data
    if hasattr(data, "lists"):  # a form of parts, where all is text
        if twice := [name for name, values in data.lists() if len(values) > 1]:
            said = _("Sent more than once; one call takes one.")
            raise serializers.ValidationError({name: [said] for name in twice})
        found = shape(data=data.dict())
    else:
        found = shape(data=data)
        if wrong := types.misfits(found, data):
            raise serializers.ValidationError(wrong)
    found.is_valid(raise_exception=True)
    return dict(found.validated_data)


def query_of(request: Any, shape: type[Strict]) -> dict[str, Any]:
    """The parameters of an address. Raises QueryInvalid naming each."""
    given = request.query_params
    twice = {name: _("Given more than once.") for name in given if len(given.getlist(name)) > 1}
    wrong = {
        name: sentence
        for name, value in given.items()
        if (sentence := _text(value, name) or _text(name, _("A name")))
    }
    found = shape(data=given.dict())
    if not twice and not wrong and not found.is_valid():
        wrong = {
            name: " ".join(str(one) for one in (said if isinstance(said, list) else [said]))
            for name, said in found.errors.items()
        }
    if twice or wrong:
        said = "; ".join(f"{name!r:.60}: {one}" for name, one in {**wrong, **twice}.items())
        clean = {
            name.replace("\0", "").encode(errors="replace").decode(): one
            for name, one in {**wrong, **twice}.items()
        }
        raise QueryInvalid(_("The address does not fit. %(what)s") % {"what": said}, clean)
    return dict(found.validated_data)
