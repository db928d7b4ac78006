"""A case with its proof, as lines of JSON that `longcase_verify.py` checks without Longcase.

    {"bundle": "longcase case 1", "case": 417, "reference": …, "events": 46, "head": …, …}
    {"event": {"number": 1, "type": …, "data_text": …, "actor": …, …, "hash": …}}   one for each
    {"anchor": {"text": …, "signatures": […], "stamps": […]}}     each that the history moved at
    {"path": {"anchor": 12, "head": …, "index": …, "path": […], …}}  from the head to its root
    {"end": {"lines": …, "sha256": …}}                            over all bytes before this line

`data_text` is what is stored, sign for sign: what the hash covers. `docs/proof.md` has it all.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Protocol

from django.db import connection

from audit import anchors, opening
from audit.codec import utc_text
from audit.models import Anchor, AnchorSending
from audit.paths import Paths
from audit.read import events_of
from audit.record import Recorded

FORMAT = "longcase case 1"
EVENTS_AT_ONCE = 1000

# Gives, of a case's event by its number, the text of its data with what is sealed in it opened;
# None where nothing is, or where its key is gone.
Opener = Callable[[int, int, str], str | None]


class Out(Protocol):
    def write(self, content: bytes, /) -> Any: ...


def write_bundle(
    case_id: int,
    out: Out,
    opened: bool,
    *,
    about: Mapping[str, Any] | None = None,
    paths: Paths | None = None,
    opener: Opener | None = None,
    data_key: bytes | None = None,
) -> None:
    """Write a case with its proof, streaming. `about` is added to the header: `reference`, `kind`,
    `exported_at`, and `events` and `head` (hexadecimal) as the case's own row has them. With
    `opened`, the readable texts stand beside the stored ones, and the key of the case, by which
    the reader can compare the two; `opener` and `data_key` are others than the installation's. An
    export of many cases hands the same `paths` to each.
    """
    lines = bundle_lines(
        case_id, opened, about=about, paths=paths, opener=opener, data_key=data_key
    )
    for line in lines:
        out.write(line)


def bundle_lines(
    case_id: int,
    opened: bool,
    *,
    about: Mapping[str, Any] | None = None,
    paths: Paths | None = None,
    opener: Opener | None = None,
    data_key: bytes | None = None,
) -> Iterator[bytes]:
    """The lines of a bundle, each with its end."""
    seen, count = sha256(), 0
    told = dict(about or {})
    if opened and opener is None:
        opener, data_key = opening.open_text, opening.data_key(case_id)
    if opened and data_key is not None:
        told["data_key"] = base64.b64encode(data_key).decode()
    for record in _records(case_id, opener if opened else None, told, paths or Paths()):
        line = _line(record)
        seen.update(line)
        count += 1
        yield line
    yield _line({"end": {"lines": count, "sha256": seen.hexdigest()}})


def _line(record: Any) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _records(
    case_id: int, opener: Opener | None, about: Mapping[str, Any], paths: Paths
) -> Iterator[dict[str, Any]]:
    upto, head = _end_of(case_id)
    numbers = anchors.anchors_of(case_id)
    found = {one.number: one for one in Anchor.objects.filter(number__in=numbers)}
    yield {
        "bundle": FORMAT,
        "case": case_id,
        "events": upto,
        "head": head.hex(),
        "opened": opener is not None,
        "keys": sorted({anchors.key_of(one) for one in found.values()}),
        **about,
    }
    upto = max(upto, int(about.get("events", 0)))  # what is missing up to there shows
    after = 0
    while after < upto:
        for event in events_of(case_id, after, min(upto, after + EVENTS_AT_ONCE)):
            yield {"event": _told(event, opener)}
        after += EVENTS_AT_ONCE
    for number in sorted(found):
        yield {"anchor": anchor_record(found[number])}
    for number in sorted(found):
        path = paths.of(case_id, number)
        if path is not None:
            yield {"path": path}


def _end_of(case_id: int) -> tuple[int, bytes]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT number, hash FROM audit_event WHERE case_id = %s ORDER BY number DESC LIMIT 1",
            [case_id],
        )
        row = cursor.fetchone()
    return (row[0], bytes(row[1])) if row else (0, bytes(32))


def _told(event: Recorded, opener: Opener | None) -> dict[str, Any]:
    told = {
        "number": event.number,
        "type": event.type,
        "data_text": event.data_text,
        "actor": event.actor,
        "on_behalf": event.on_behalf,
        "happened_at": utc_text(event.happened_at),
        "recorded_at": utc_text(event.recorded_at),
        "hash": bytes(event.hash).hex(),
    }
    text = opener(event.case_id, event.number, event.data_text) if opener else None
    if text is not None:
        told["opened_text"] = text
    return told


def anchor_record(anchor: Anchor) -> dict[str, Any]:
    """An anchor as files have it: its text, signatures, and the stamps that came for it."""
    stamps = AnchorSending.objects.filter(anchor=anchor, outlet="stamp", state="done")
    return {
        "text": anchor.text,
        "signatures": anchor.signatures,
        "stamps": [
            {"authority": one.target, "token": base64.b64encode(bytes(one.answer)).decode()}
            for one in stamps
            if one.answer is not None
        ],
    }
