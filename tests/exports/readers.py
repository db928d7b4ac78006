"""Small readers of exported files, written from the standards and from nothing of ours."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

XES = "{http://www.xes-standard.org/}"
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
XES_TYPES = {"string", "date", "int", "float", "boolean", "id", "list", "container"}
# Lifecycle extension, standard model.
LIFECYCLE = {"schedule", "assign", "withdraw", "reassign", "start", "suspend", "resume"}
LIFECYCLE |= {"pi_abort", "ate_abort", "complete", "autoskip", "manualskip", "unknown"}
OCEL_TYPES = {"string", "time", "integer", "float", "boolean"}


def xes(content: bytes) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Traces with their events, held against the rules of IEEE 1849."""
    root = ElementTree.fromstring(content)
    assert root.tag == f"{XES}log" and root.get("xes.version")
    prefixes = {one.get("prefix") for one in root.iter(f"{XES}extension")}
    assert prefixes == {"concept", "lifecycle", "org", "time"}
    return [
        (
            _attributes(trace, prefixes),
            [_attributes(one, prefixes) for one in trace.iter(f"{XES}event")],
        )
        for trace in root.iter(f"{XES}trace")
    ]


def _attributes(element: Any, prefixes: set[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in element:
        kind = one.tag.removeprefix(XES)
        if kind in ("event", "trace"):
            continue
        assert kind in XES_TYPES, kind
        key, text = one.get("key"), one.get("value")
        assert key not in found, f"{key} twice"
        prefix, colon, _rest = key.partition(":")
        assert not colon or prefix in prefixes, key
        found[key] = _xes_value(kind, text)
    if "lifecycle:transition" in found:
        assert found["lifecycle:transition"] in LIFECYCLE
    return found


def _xes_value(kind: str, text: str) -> Any:
    match kind:
        case "int":
            return int(text)
        case "float":
            return float(text)
        case "boolean":
            assert text in ("true", "false")
            return text == "true"
        case "date":
            return datetime.fromisoformat(text)
    return text


def ocel_json(content: bytes) -> dict[str, Any]:
    """An OCEL 2.0 document, held against its rules: types are declared, ids are unique, relations
    lead to objects that are there."""
    log = json.loads(content)
    assert set(log) == {"objectTypes", "eventTypes", "objects", "events"}
    declared = {}
    for sort in ("objectTypes", "eventTypes"):
        for one in log[sort]:
            assert set(one) == {"name", "attributes"}
            declared[sort, one["name"]] = {a["name"]: a["type"] for a in one["attributes"]}
            assert set(declared[sort, one["name"]].values()) <= OCEL_TYPES
    ids = [one["id"] for one in log["objects"]]
    assert len(ids) == len(set(ids))
    known = set(ids)
    for one in log["objects"]:
        assert set(one) == {"id", "type", "attributes", "relationships"}
        for attribute in one["attributes"]:
            assert datetime.fromisoformat(attribute["time"]).tzinfo
            _fits(attribute["value"], declared["objectTypes", one["type"]][attribute["name"]])
    events = [one["id"] for one in log["events"]]
    assert len(events) == len(set(events))
    for one in log["events"]:
        assert set(one) == {"id", "type", "time", "attributes", "relationships"}
        assert datetime.fromisoformat(one["time"]).tzinfo and one["relationships"]
        for attribute in one["attributes"]:
            _fits(attribute["value"], declared["eventTypes", one["type"]][attribute["name"]])
    for one in (*log["objects"], *log["events"]):
        for relation in one["relationships"]:
            assert set(relation) == {"objectId", "qualifier"} and relation["qualifier"]
            assert relation["objectId"] in known
    return dict(log)


def _fits(value: Any, type_: str) -> None:
    match type_:
        case "string":
            assert isinstance(value, str)
        case "time":
            assert datetime.fromisoformat(value).tzinfo
        case "integer":
            assert isinstance(value, int) and not isinstance(value, bool)
        case "float":
            assert isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            assert isinstance(value, bool)


def ocel_sqlite(path: Path) -> sqlite3.Connection:
    """An OCEL 2.0 database, held against the constraints of its relational schema."""
    base = sqlite3.connect(path)
    base.row_factory = sqlite3.Row

    def rows(sql: str) -> list[tuple[Any, ...]]:
        return [tuple(one) for one in base.execute(sql)]

    assert not rows("PRAGMA foreign_key_check")
    tables = {name for (name,) in rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    common = {"event", "object", "event_object", "object_object"}
    assert common | {"event_map_type", "object_map_type"} <= tables
    for sort in ("event", "object"):
        maps = dict(rows(f"SELECT ocel_type, ocel_type_map FROM {sort}_map_type"))
        assert {f"{sort}_{one}" for one in maps.values()} == {
            name for name in tables - common if name.startswith(f"{sort}_") and "_map_" not in name
        }
        for type_, name in maps.items():
            of_type = rows(f"SELECT ocel_id FROM {sort} WHERE ocel_type = '{type_}'")
            own = rows(f'SELECT DISTINCT ocel_id FROM "{sort}_{name}"')
            assert sorted(of_type) == sorted(own)
    return base


def workbook(path: Path) -> dict[str, list[dict[str, Any]]]:
    """By sheet: its rows, each cell with its column, its value and how it is stored."""
    with zipfile.ZipFile(path) as file:
        book = ElementTree.fromstring(file.read("xl/workbook.xml"))
        names = [one.get("name") for one in book.iter(f"{SHEET}sheet")]
        found = {}
        for place, name in enumerate(names, 1):
            sheet = ElementTree.fromstring(file.read(f"xl/worksheets/sheet{place}.xml"))
            assert not list(sheet.iter(f"{SHEET}f")), "a formula"
            found[str(name)] = [
                {_column(one): _cell(one) for one in row} for row in sheet.iter(f"{SHEET}row")
            ]
    return found


def _column(cell: Any) -> str:
    return "".join(sign for sign in cell.get("r") if sign.isalpha())


def _cell(cell: Any) -> Any:
    if cell.get("t") == "inlineStr":
        return "".join(one.text or "" for one in cell.iter(f"{SHEET}t"))
    value = cell.find(f"{SHEET}v")
    if value is None:
        return None
    return bool(int(value.text)) if cell.get("t") == "b" else float(value.text)
