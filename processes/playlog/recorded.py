"""Reading a recorded log: rows in order, cases with their outcome."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

COLUMNS = frozenset({"case_id", "seq", "timestamp", "activity", "lifecycle", "resource"})


class NoSuchLog(Exception):
    """The folder holds no recorded log."""


@dataclass(frozen=True, slots=True)
class Row:
    """One recorded event."""

    case_id: str
    seq: int
    at: datetime  # UTC
    activity: str
    lifecycle: str
    resource: str
    values: Mapping[str, str] = field(default_factory=dict)  # the log's own columns, those filled
    is_parents: bool = False  # of the log of parents: its ids are of another numbering

    @property
    def key(self) -> str:
        """What names this row within the source of its cases."""
        return f"{self.case_id}/{self.seq}"


@dataclass(frozen=True, slots=True)
class RecordedCase:
    """What the log says of a case as a whole."""

    case_id: str
    outcome: str
    ended_at: datetime
    attributes: dict[str, str]


def read_cases(folder: Path, *, count: int, seed: int = 1) -> dict[str, RecordedCase]:
    """`count` cases of a log, spread over all of it by a hash of their ids; 0 gives all."""
    found = _cases(folder)
    order = sorted(found, key=lambda case_id: (zlib.crc32(f"{seed}/{case_id}".encode()), case_id))
    return {case_id: found[case_id] for case_id in (order[:count] if count else order)}


def read_named(folder: Path, wanted: Collection[str]) -> dict[str, RecordedCase]:
    """The cases of these ids, as far as the log has them: it may hold a part of all."""
    found = _cases(folder)
    return {case_id: found[case_id] for case_id in sorted(set(wanted)) if case_id in found}


def read_rows(
    folder: Path, cases: Mapping[str, RecordedCase], *, are_parents: bool = False
) -> list[Row]:
    """The rows of these cases, interleaved by time; those of one case in their recorded order."""
    rows = [
        Row(
            case_id=line["case_id"],
            seq=int(line["seq"]),
            at=_moment(line["timestamp"]),
            activity=line["activity"],
            lifecycle=line["lifecycle"],
            resource=line["resource"],
            values={name: line[name] for name in line if name not in COLUMNS and line[name]},
            is_parents=are_parents,
        )
        for line in _lines(folder / "events.csv.gz")
        if line["case_id"] in cases
    ]
    return in_order(rows)


def in_order(rows: list[Row]) -> list[Row]:
    """Rows by time; at equal times parents before their children."""
    return sorted(rows, key=lambda row: (row.at, not row.is_parents, row.case_id, row.seq))


def _cases(folder: Path) -> dict[str, RecordedCase]:
    return {
        line["case_id"]: RecordedCase(
            case_id=line["case_id"],
            outcome=line["outcome"],
            ended_at=_moment(line["last"]),
            attributes=line,
        )
        for line in _lines(folder / "cases.csv.gz")
    }


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def _lines(path: Path) -> Iterator[dict[str, str]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)
    except FileNotFoundError as error:
        raise NoSuchLog(
            f"There is no {path}. Give the folder of a recorded log, with cases.csv.gz and "
            "events.csv.gz."
        ) from error
