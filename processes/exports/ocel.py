"""OCEL 2.0, as JSON and as SQLite (https://www.ocel-standard.org/specification/)."""

from __future__ import annotations

import json
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, ClassVar

from django.utils.translation import gettext_lazy as _

from audit.codec import utc_text
from processes.exports import objects
from processes.exports.formats import Asked, Written, lines_of
from processes.exports.gathering import Gathered
from processes.exports.objects import Told

Types = dict[str, dict[str, dict[str, str]]]  # object or event → type → attribute → its type
PIECE = 5_000  # rows of SQLite at once


class _Ocel:
    """A part holds a line for each object and for each event; both files are made of these."""

    def gather(self, cases: Iterable[Gathered], out: IO[bytes], asked: Asked) -> dict[str, Any]:
        found: dict[str, dict[str, dict[str, set[str]]]] = {"o": {}, "e": {}}
        shared: dict[str, Any] = {}
        for one in cases:
            told = Told(one, members=asked.members)
            for thing in told.objects():
                out.write(_line(_of_object(thing), found))
            for event in told.events:
                out.write(_line(_of_event(event), found))
            shared |= {key: _of_object(thing) for key, thing in told.shared.items()}
        for line in shared.values():
            _learn(line, found)
        types = {
            sort: {
                name: {attribute: sorted(types) for attribute, types in attributes.items()}
                for name, attributes in known.items()
            }
            for sort, known in found.items()
        }
        return {"types": types, "shared": shared}


def _of_object(thing: objects.Object) -> dict[str, Any]:
    told = [[name, _moment(at), *_kept(value)] for name, at, value in thing.attributes]
    return {"o": thing.id, "type": thing.type, "a": told, "r": thing.relations}


def _of_event(event: objects.Happening) -> dict[str, Any]:
    told = [[name, *_kept(value)] for name, value in event.attributes]
    at = _moment(event.at)
    return {"e": event.id, "type": event.type, "at": at, "a": told, "r": event.relations}


def _line(told: dict[str, Any], found: dict[str, dict[str, dict[str, set[str]]]]) -> bytes:
    _learn(told, found)
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _learn(told: dict[str, Any], found: dict[str, dict[str, dict[str, set[str]]]]) -> None:
    """Remember which attributes a type has, and of which types their values are."""
    known = found["o" if "o" in told else "e"].setdefault(told["type"], {})
    for one in told["a"]:
        types = known.setdefault(one[0], set())
        if one[-1] is not None:
            types.add(one[-2])


def _kept(value: Any) -> tuple[str, Any]:
    """The type of a value, and the value as JSON keeps it exactly."""
    if isinstance(value, Decimal):
        return objects.FLOAT, format(value, "f")
    if isinstance(value, datetime):
        return objects.TIME, _moment(value)
    if isinstance(value, date):
        return objects.TIME, f"{value.isoformat()}T00:00:00Z"
    type_ = objects.type_of(value)
    return type_, str(value) if type_ in (
        objects.FLOAT,
        objects.STRING,
    ) and value is not None else value


def _moment(at: datetime) -> str:
    return utc_text(at.astimezone(UTC))


def _merged(parts: Sequence[Written]) -> tuple[Types, list[dict[str, Any]]]:
    """The types of all parts, each attribute with one type, and the objects that cases share."""
    found: dict[str, dict[str, dict[str, set[str]]]] = {"o": {}, "e": {}}
    shared: dict[str, dict[str, Any]] = {}
    for part in parts:
        for sort, known in part.notes["types"].items():
            for name, attributes in known.items():
                own = found[sort].setdefault(name, {})
                for attribute, types in attributes.items():
                    own.setdefault(attribute, set()).update(types)
        shared |= part.notes["shared"]
    merged = {
        sort: {
            name: {one: objects.common_type(types) for one, types in sorted(attributes.items())}
            for name, attributes in sorted(known.items())
        }
        for sort, known in found.items()
    }
    return merged, list(shared.values())


def _told(parts: Sequence[Written], sort: str) -> Iterator[dict[str, Any]]:
    start = f'{{"{sort}":'.encode()
    return (json.loads(line) for line in lines_of(parts) if line.startswith(start))


class OcelJson(_Ocel):
    """One JSON document."""

    name: ClassVar[str] = "ocel-json"
    title: ClassVar[Any] = _("OCEL 2.0 as JSON, for object-centric process mining")
    ending: ClassVar[str] = "ocel.json"
    media_type: ClassVar[str] = "application/json"

    def finish(self, parts: Sequence[Written], out: IO[bytes], asked: Asked) -> None:
        types, shared = _merged(parts)

        def list_(name: str, lines: Iterable[str], *, last: bool = False) -> None:
            out.write(f'"{name}":['.encode())
            for place, line in enumerate(lines):
                out.write(f"{',' if place else ''}\n{line}".encode())
            out.write(b"]\n}\n" if last else b"],\n")

        out.write(b"{\n")
        list_("objectTypes", _type_lines(types["o"]))
        list_("eventTypes", _type_lines(types["e"]))
        list_("objects", self._objects(parts, shared, types["o"]))
        list_("events", self._events(parts, types["e"]), last=True)

    def _objects(
        self, parts: Sequence[Written], shared: list[dict[str, Any]], types: Any
    ) -> Iterator[str]:
        for told in (*shared, *_told(parts, "o")):
            attributes = ",".join(
                f'{{"name":{_text(name)},"time":"{at}",'
                f'"value":{_value(value, types[told["type"]][name])}}}'
                for name, at, _kind, value in told["a"]
                if value is not None or types[told["type"]][name] == objects.STRING
            )
            yield (
                f'{{"id":{_text(told["o"])},"type":{_text(told["type"])},'
                f'"attributes":[{attributes}],"relationships":{_relations(told["r"])}}}'
            )

    def _events(self, parts: Sequence[Written], types: Any) -> Iterator[str]:
        for told in _told(parts, "e"):
            attributes = ",".join(
                f'{{"name":{_text(name)},"value":{_value(value, types[told["type"]][name])}}}'
                for name, _kind, value in told["a"]
            )
            yield (
                f'{{"id":{_text(told["e"])},"type":{_text(told["type"])},"time":"{told["at"]}",'
                f'"attributes":[{attributes}],"relationships":{_relations(told["r"])}}}'
            )


def _type_lines(types: dict[str, dict[str, str]]) -> Iterator[str]:
    for name, attributes in types.items():
        told = [{"name": one, "type": type_} for one, type_ in attributes.items()]
        yield json.dumps({"name": name, "attributes": told}, ensure_ascii=False)


def _relations(relations: list[list[str]]) -> str:
    told = [{"objectId": id_, "qualifier": how} for id_, how in relations]
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _value(value: Any, type_: str) -> str:
    """A value as JSON, of the type that all values of its attribute have."""
    if type_ == objects.STRING:
        return _text(_as_text(value))
    if type_ == objects.FLOAT:
        return str(value)  # kept as its digits
    return json.dumps(value)


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


class OcelSqlite(_Ocel):
    """One SQLite database."""

    name: ClassVar[str] = "ocel-sqlite"
    title: ClassVar[Any] = _("OCEL 2.0 as SQLite")
    ending: ClassVar[str] = "ocel.sqlite"
    media_type: ClassVar[str] = "application/vnd.sqlite3"

    def finish(self, parts: Sequence[Written], out: IO[bytes], asked: Asked) -> None:
        types, shared = _merged(parts)
        with tempfile.TemporaryDirectory(prefix="longcase-export-") as folder:
            path = Path(folder) / "log.sqlite"
            base = sqlite3.connect(path)
            try:
                base.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
                writer = _Sqlite(base, types)
                writer.make_tables()
                for told in (*shared, *_told(parts, "o")):
                    writer.add_object(told)
                for told in _told(parts, "e"):
                    writer.add_event(told)
                writer.flush()
                base.commit()
            finally:
                base.close()
            with path.open("rb") as file:
                while piece := file.read(1 << 20):
                    out.write(piece)


_SQL = {"string": "TEXT", "time": "TIMESTAMP", "integer": "INTEGER", "float": "REAL"}
_SQL |= {"boolean": "BOOLEAN"}
_TABLES = """
CREATE TABLE event_map_type (ocel_type TEXT PRIMARY KEY, ocel_type_map TEXT);
CREATE TABLE object_map_type (ocel_type TEXT PRIMARY KEY, ocel_type_map TEXT);
CREATE TABLE event (ocel_id TEXT PRIMARY KEY, ocel_type TEXT,
    FOREIGN KEY (ocel_type) REFERENCES event_map_type (ocel_type));
CREATE TABLE object (ocel_id TEXT PRIMARY KEY, ocel_type TEXT,
    FOREIGN KEY (ocel_type) REFERENCES object_map_type (ocel_type));
CREATE TABLE event_object (ocel_event_id TEXT, ocel_object_id TEXT, ocel_qualifier TEXT,
    PRIMARY KEY (ocel_event_id, ocel_object_id, ocel_qualifier),
    FOREIGN KEY (ocel_event_id) REFERENCES event (ocel_id),
    FOREIGN KEY (ocel_object_id) REFERENCES object (ocel_id));
CREATE TABLE object_object (ocel_source_id TEXT, ocel_target_id TEXT, ocel_qualifier TEXT,
    PRIMARY KEY (ocel_source_id, ocel_target_id, ocel_qualifier),
    FOREIGN KEY (ocel_source_id) REFERENCES object (ocel_id),
    FOREIGN KEY (ocel_target_id) REFERENCES object (ocel_id));
"""


class _Sqlite:
    """Writes rows a few thousand at a time."""

    def __init__(self, base: sqlite3.Connection, types: Types) -> None:
        self.base = base
        self.types = types
        self.rows: dict[str, list[Sequence[Any]]] = {}
        self.count = 0
        self.maps = {
            sort: dict(zip(known, _table_names(known), strict=True))
            for sort, known in types.items()
        }
        self.columns = {
            (sort, name): _column_names(attributes)
            for sort, known in types.items()
            for name, attributes in known.items()
        }

    def make_tables(self) -> None:
        self.base.executescript(_TABLES)
        for sort, table in (("e", "event"), ("o", "object")):
            for name, attributes in self.types[sort].items():
                columns = "".join(
                    f", {_name(self.columns[sort, name][one])} {_SQL[type_]}"
                    for one, type_ in attributes.items()
                )
                more = "" if sort == "e" else ", ocel_changed_field TEXT"
                key = " PRIMARY KEY" if sort == "e" else ""
                self.base.execute(
                    f"CREATE TABLE {_name(f'{table}_{self.maps[sort][name]}')} "
                    f"(ocel_id TEXT{key}, ocel_time TIMESTAMP{more}{columns}, "
                    f"FOREIGN KEY (ocel_id) REFERENCES {table} (ocel_id))"
                )
                self.base.execute(
                    f"INSERT INTO {table}_map_type VALUES (?, ?)", (name, self.maps[sort][name])
                )

    def add_object(self, told: dict[str, Any]) -> None:
        type_, types = told["type"], self.types["o"][told["type"]]
        self._add("object", (told["o"], type_))
        first = {name: value for name, at, _k, value in told["a"] if at == _moment(objects.EPOCH)}
        self._add_values("o", type_, (told["o"], _sql_moment(objects.EPOCH), None), first)
        for name, at, _kind, value in told["a"]:
            if at != _moment(objects.EPOCH):
                changed = self.columns["o", type_][name]
                at = _sql_moment(datetime.fromisoformat(at))
                self._add_values("o", type_, (told["o"], at, changed), {name: value})
        for target, how in told["r"]:
            self._add("object_object", (told["o"], target, how))
        assert first.keys() <= types.keys()

    def add_event(self, told: dict[str, Any]) -> None:
        self._add("event", (told["e"], told["type"]))
        at = _sql_moment(datetime.fromisoformat(told["at"]))
        values = {name: value for name, _kind, value in told["a"]}
        self._add_values("e", told["type"], (told["e"], at), values)
        for target, how in told["r"]:
            self._add("event_object", (told["e"], target, how))

    def _add_values(
        self, sort: str, name: str, head: Sequence[Any], values: dict[str, Any]
    ) -> None:
        types = self.types[sort][name]
        table = ("event_" if sort == "e" else "object_") + self.maps[sort][name]
        self._add(table, (*head, *(_sql(values.get(one), type_) for one, type_ in types.items())))

    def _add(self, table: str, row: Sequence[Any]) -> None:
        self.rows.setdefault(table, []).append(row)
        self.count += 1
        if self.count >= PIECE:
            self.flush()

    def flush(self) -> None:
        for table, rows in self.rows.items():
            marks = ",".join("?" * len(rows[0]))
            self.base.executemany(f"INSERT OR IGNORE INTO {_name(table)} VALUES ({marks})", rows)
        self.rows, self.count = {}, 0


def _sql(value: Any, type_: str) -> Any:
    if value is None:
        return None
    if type_ == objects.STRING:
        return _as_text(value)
    if type_ == objects.FLOAT:
        return float(value)
    if type_ == objects.TIME:
        return _sql_moment(datetime.fromisoformat(value))
    return int(value)


def _sql_moment(at: datetime) -> str:
    at = at.astimezone(UTC).replace(tzinfo=None)
    return at.isoformat(sep=" ", timespec="microseconds")


def _table_names(types: Iterable[str]) -> list[str]:
    """A name of a table for each type: letters, digits and lines, each once."""
    found: list[str] = []
    for name in types:
        plain = re.sub(r"\W", "_", name, flags=re.ASCII)
        while plain.lower() in {one.lower() for one in found}:
            plain += "_"
        found.append(plain)
    return found


def _column_names(attributes: Iterable[str]) -> dict[str, str]:
    """A column for each attribute: SQLite knows no capitals, and ours stand first."""
    taken = {"ocel_id", "ocel_time", "ocel_changed_field"}
    found = {}
    for name in attributes:
        column = name
        while column.lower() in taken:
            column += "_"
        taken.add(column.lower())
        found[name] = column
    return found


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
