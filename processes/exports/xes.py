"""XES (IEEE 1849): a trace for each case, an event for each event, in the recorded order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import IO, Any, ClassVar
from xml.sax.saxutils import quoteattr

from django.utils.translation import gettext_lazy as _

from audit.codec import utc_text
from audit.record import Recorded
from processes.exports.activities import Activity
from processes.exports.formats import Asked, Written, packed
from processes.exports.gathering import Gathered
from processes.exports.texts import shown
from processes.exports.values import flat, single

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1849-2016" xes.features="" xmlns="http://www.xes-standard.org/">
  <extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
  <extension name="Lifecycle" prefix="lifecycle" uri="http://www.xes-standard.org/lifecycle.xesext"/>
  <extension name="Organizational" prefix="org" uri="http://www.xes-standard.org/org.xesext"/>
  <extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
  <global scope="trace">
    <string key="concept:name" value=""/>
  </global>
  <global scope="event">
    <string key="concept:name" value=""/>
    <string key="lifecycle:transition" value="complete"/>
    <string key="org:resource" value=""/>
    <date key="time:timestamp" value="1970-01-01T00:00:00.000000Z"/>
  </global>
  <classifier name="Activity" keys="concept:name"/>
  <classifier name="Activity and lifecycle" keys="concept:name lifecycle:transition"/>
  <classifier name="Event type" keys="event_type"/>
  <string key="concept:name" value={name}/>
  <string key="lifecycle:model" value="standard"/>
  <string key="source" value="Longcase"/>
"""
_KEY = re.compile(r"[\s\x00-\x1f]+")


class Xes:
    """One XML file, as process mining tools read it."""

    name: ClassVar[str] = "xes"
    title: ClassVar[Any] = _("XES, for process mining")
    ending: ClassVar[str] = "xes"
    media_type: ClassVar[str] = "application/xml"

    def gather(self, cases: Iterable[Gathered], out: IO[bytes], asked: Asked) -> dict[str, Any]:
        for one in cases:
            out.write(b"  <trace>\n")
            for line in _trace_lines(one):
                out.write(f"    {line}\n".encode())
            for event, activity in zip(one.events, one.activities, strict=True):
                lines = "".join(f"      {line}\n" for line in _event_lines(one, event, activity))
                out.write(f"    <event>\n{lines}    </event>\n".encode())
            out.write(b"  </trace>\n")
        return {}

    def finish(self, parts: Sequence[Written], out: IO[bytes], asked: Asked) -> None:
        out.write(HEAD.format(name=quoteattr(f"Longcase {asked.number}")).encode())
        for part in parts:
            with part.open() as file:
                while piece := file.read(1 << 16):
                    out.write(piece)
        out.write(b"</log>\n")


class XesPacked(Xes):
    """The same, packed with gzip."""

    name: ClassVar[str] = "xes-gz"
    title: ClassVar[Any] = _("XES, packed (.xes.gz)")
    ending: ClassVar[str] = "xes.gz"
    media_type: ClassVar[str] = "application/gzip"

    def finish(self, parts: Sequence[Written], out: IO[bytes], asked: Asked) -> None:
        with packed(out) as file:
            super().finish(parts, file, asked)


def _trace_lines(one: Gathered) -> list[str]:
    case = one.case
    found = [
        attribute("concept:name", case.reference),
        attribute("kind", case.kind),
        attribute("title", case.title),
        attribute("step", case.step),
        attribute("opened_at", case.opened_at),
    ]
    if case.team_id:
        found.append(attribute("org:group", str(case.team)))
    if one.caseworker:
        found.append(attribute("caseworker", one.caseworker))
    if case.closed_at:
        found += [attribute("closed_at", case.closed_at), attribute("outcome", case.outcome)]
    taken = {"kind", "title", "step", "opened_at", "closed_at", "outcome", "caseworker"}
    for name, value in one.facts().items():
        if value not in (None, "", [], {}):
            found.append(attribute(f"fact_{name}" if name in taken else name, single(value)))
    return found


def _event_lines(one: Gathered, event: Recorded, activity: Activity) -> list[str]:
    found = [
        attribute("concept:name", activity.name),
        attribute("lifecycle:transition", activity.lifecycle),
        attribute("org:resource", one.staff.resource(event.actor)),
        attribute("time:timestamp", event.recorded_at),
        attribute("event_type", event.type),
        attribute("event_number", event.number),
    ]
    if activity.instance:
        found.insert(1, attribute("concept:instance", activity.instance))
    if role := event.data.get("role"):
        found.append(attribute("org:role", role))
    if event.on_behalf:
        found.append(attribute("on_behalf", one.staff.resource(event.on_behalf)))
    if event.happened_at != event.recorded_at:
        found.append(attribute("happened_at", event.happened_at))
    found += [attribute(f"data_{name}", value) for name, value in flat(event).items()]
    return found


def attribute(key: str, value: Any) -> str:
    """One XES attribute, of the type that fits its value."""
    kind, text = typed(value)
    return f"<{kind} key={_quoted(_KEY.sub('_', key))} value={_quoted(text)}/>"


def typed(value: Any) -> tuple[str, str]:
    """The XES type of a value, and its text."""
    if isinstance(value, bool):
        return "boolean", "true" if value else "false"
    if isinstance(value, int) and abs(value) < 2**63:
        return "int", str(value)
    if isinstance(value, Decimal):
        return "float", format(value, "f")
    if isinstance(value, float):
        return "float", repr(value)
    if isinstance(value, datetime):
        return "date", utc_text(value)
    if isinstance(value, date):
        return "date", f"{value.isoformat()}T00:00:00.000000Z"
    return "string", str(value)


def _quoted(text: str) -> str:
    """As a value of XML: what XML cannot hold is shown, white space is kept."""
    escaped = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
    return quoteattr(shown(text, keep="\n\r\t"), escaped)
