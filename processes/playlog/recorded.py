"""Reading a recorded log: rows in order, cases with their outcome."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path


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


@dataclass(frozen=True, slots=True)
class RecordedCase:
    """What the log says of a case as a whole."""

    case_id: str
    outcome: str
    ended_at: datetime
    attributes: dict[str, str]


def read_cases(folder: Path, *, count: int, seed: int = 1) -> dict[str, RecordedCase]:
    """`count` cases of a log, spread over all of it by a hash of their ids; 0 gives all."""
    found = {
        line["case_id"]: RecordedCase(
            case_id=line["case_id"],
            outcome=line["outcome"],
            ended_at=_moment(line["last"]),
            attributes=line,
        )
        for line in _lines(folder / "cases.csv.gz")
    }
    order = sorted(found, key=lambda case_id: (zlib.crc32(f"{seed}/{case_id}".encode()), case_id))
    return {case_id: found[case_id] for case_id in (order[:count] if count else order)}


def read_rows(folder: Path, cases: dict[str, RecordedCase]) -> list[Row]:
    """The rows of these cases, interleaved by time; those of one case in their recorded order."""
    rows = [
        Row(
            case_id=line["case_id"],
            seq=int(line["seq"]),
            at=_moment(line["timestamp"]),
            activity=line["activity"],
            lifecycle=line["lifecycle"],
            resource=line["resource"],
        )
        for line in _lines(folder / "events.csv.gz")
        if line["case_id"] in cases
    ]
    return sorted(rows, key=lambda row: (row.at, row.case_id, row.seq))


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
