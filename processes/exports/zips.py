"""Formats that have a file for each case: one case is that file, several are a ZIP of them."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from processes.exports.formats import Asked, Written
from processes.exports.gathering import Gathered

LONG_AGO = (1980, 1, 1, 0, 0, 0)  # of files in a ZIP: the same export has the same bytes


class OneEach(ABC):
    """Writes a file for each case."""

    ending: str

    @abstractmethod
    def write(self, one: Gathered, out: IO[bytes], asked: Asked) -> None:
        """The file of one case."""

    def gather(self, cases: Iterable[Gathered], out: IO[bytes], asked: Asked) -> dict[str, Any]:
        with zipfile.ZipFile(out, "w") as file:
            for one in cases:
                with file.open(
                    _entry(f"{one.case.reference}.{self.ending}"), "w", force_zip64=True
                ) as case:
                    self.write(one, case, asked)  # type: ignore[arg-type]
        return {}

    def finish(self, parts: Sequence[Written], out: IO[bytes], asked: Asked) -> None:
        if asked.count == 1:
            for part in parts:
                self._copy_one(part, out)
            return
        with zipfile.ZipFile(out, "w") as whole:
            for part in parts:
                with unpacked(part) as found:
                    for name in found.namelist():
                        with (
                            found.open(name) as one,
                            whole.open(_entry(name), "w", force_zip64=True) as to,
                        ):
                            shutil.copyfileobj(one, to, 1 << 20)

    def _copy_one(self, part: Written, out: IO[bytes]) -> None:
        with unpacked(part) as found:
            for name in found.namelist():
                with found.open(name) as one:
                    shutil.copyfileobj(one, out, 1 << 20)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, LONG_AGO)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


@contextmanager
def unpacked(part: Written) -> Iterator[zipfile.ZipFile]:
    """A part that is a ZIP, on a disk of our own, where it can be read from anywhere."""
    with tempfile.TemporaryFile(prefix="longcase-export-") as file:
        with part.open() as source:
            shutil.copyfileobj(source, file, 1 << 20)
        file.seek(0)
        with zipfile.ZipFile(file) as found:
            yield found
