"""Anchors that were written elsewhere: their files, and what the database should still say of them.

For each anchor there are two files: `anchor-000012-2027-01-15.json`, the signed text with its
signatures, and beside it `….heads.gz`, a line for each case whose history moved.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Collection, Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from audit import against, signing
from audit.against import FINDINGS, Fault, Held
from audit.models import Anchor
from audit.verify import Finding

_NAME = re.compile(r"anchor-(\d+)[^/]*\.json")
AT_ONCE = 2000  # heads that are compared in one query


class Kept(NamedTuple):
    """An anchor as a file has it."""

    number: int
    text: str
    signatures: list[dict[str, str]]
    heads: Path | None

    @property
    def said(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text)
        return found


def file_name(anchor: Anchor) -> str:
    """The name of an anchor's file, without its ending."""
    return f"anchor-{anchor.number:06d}-{anchor.day.isoformat()}"


def read(folder: Path) -> list[Kept]:
    """The anchors in a folder, by number. Raises ValueError for a file that holds none."""
    found = []
    for path in sorted(folder.iterdir()):
        if not _NAME.fullmatch(path.name):
            continue
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            text = record["text"]
            number = json.loads(text)["number"]
            heads = path.with_name(path.name.removesuffix(".json") + ".heads.gz")
            found.append(
                Kept(number, text, record["signatures"], heads if heads.exists() else None)
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} holds no anchor: {error}") from error
    if not found:
        raise ValueError(f"{folder} holds no anchors (files such as anchor-000001-….json).")
    return sorted(found)


def check(folder: Path, *, keys: Collection[str]) -> Iterator[Fault | Finding]:
    """What the database says otherwise than the anchors in a folder."""
    kept = read(folder)
    ours = {one.number: one.text for one in Anchor.objects.all()}
    yield from _check_chain(kept, keys)
    days = {one.number: one.said["day"] for one in kept}
    different = [one for one in kept if ours.get(one.number) != one.text]
    missing = [one for one in different if one.number not in ours]
    if missing:
        last = max(ours) if ours else 0
        words = (
            f"It was written elsewhere, and the database has anchors up to {last} alone: an older "
            "state of the database was put back, or anchors were removed."
        )
        yield Fault(missing[0].number, words)
    for one in different:
        if one.number in ours:
            yield Fault(one.number, "The database has another one than was written elsewhere.")
    # What both have alike is compared with the heads in the database, which are signed for.
    wrong: dict[int, None] = {}
    for one in different:
        if one.heads is None:
            yield Fault(one.number, "Its heads are not in the folder, so no case can be named.")
            continue
        for held in _batches(one):
            wrong.update(dict.fromkeys(against.wrong_among(held)))
    if wrong:
        named = sorted(wrong)[:FINDINGS]
        among = set(named)
        ends = [h for one in kept if one.heads for h in _heads(one) if h.case_id in among]
        yield from against.findings_of(named, ends, days=days)


def _check_chain(kept: list[Kept], keys: Collection[str]) -> Iterator[Fault]:
    before: Kept | None = None
    for one in kept:
        signatures = {s["key"]: s["signature"] for s in one.signatures}
        key = one.said["key"]
        if not signing.is_signed(one.text.encode(), public=key, signature=signatures.get(key, "")):
            yield Fault(one.number, "The one in the folder is not signed as it says.")
        if before is not None and one.number != before.number + 1:
            yield Fault(before.number + 1, "It is not in the folder; a later one is.")
        elif (
            before is not None
            and one.said["previous"] != sha256(before.text.encode()).digest().hex()
        ):
            yield Fault(one.number, "In the folder it does not follow from the one before it.")
        before = one
    if before is not None and keys and before.said["key"] not in keys:
        yield Fault(before.number, "The one in the folder is signed by no key of ours.")


def _heads(one: Kept) -> Iterator[Held]:
    assert one.heads is not None
    with gzip.open(one.heads, "rt", encoding="ascii") as file:
        for line in file:
            _word, case_id, number, hash = json.loads(line)
            yield Held(case_id, number, bytes.fromhex(hash), one.number)


def _batches(one: Kept) -> Iterator[list[Held]]:
    heads = _heads(one)
    while batch := list(islice(heads, AT_ONCE)):
        yield batch


def write(anchor: Anchor, folder: Path, record: dict[str, Any], heads: Iterator[str]) -> None:
    """Write an anchor's two files. Raises FileExistsError where another one of its number is."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{file_name(anchor)}.json"
    for other in folder.glob(f"anchor-{anchor.number:06d}-*.json"):
        if json.loads(other.read_text(encoding="utf-8"))["text"] != anchor.text:
            raise FileExistsError(f"{other} is another anchor {anchor.number} than the database's.")
    beside = folder / f"{file_name(anchor)}.heads.gz"
    half = beside.with_suffix(".half")
    with half.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        for text in heads:
            file.write(text.encode() + b"\n")
    half.replace(beside)
    half = path.with_suffix(".half")
    half.write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")
    half.replace(path)
