"""Where exports lie in storage: parts while one is made, then the file."""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import IO, Any
from uuid import uuid4

from django.core.files import File
from django.core.files.storage import default_storage

from cases.models import Export, ExportPart
from processes.exports.formats import packed


def folder_of(export: Export) -> str:
    return f"exports/{export.pk}"


class StoredPart:
    """A part in storage, as formats read it."""

    def __init__(self, part: ExportPart) -> None:
        self.path = part.path
        self._notes: dict[str, Any] | None = None

    @property
    def notes(self) -> dict[str, Any]:
        if self._notes is None:
            with default_storage.open(f"{self.path}.json") as file:
                self._notes = json.loads(file.read())
        return self._notes

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        with default_storage.open(self.path) as file, gzip.open(file) as content:
            yield content  # type: ignore[misc]


class NewPart:
    """A part that is being written; `keep` stores it with its notes."""

    def __enter__(self) -> NewPart:
        self.raw = tempfile.TemporaryFile(prefix="longcase-export-")
        self.plain = tempfile.TemporaryFile(prefix="longcase-export-")
        return self

    def __exit__(self, *error: Any) -> None:
        self.raw.close()
        self.plain.close()

    def keep(self, export: Export, notes: dict[str, Any]) -> str:
        self.plain.seek(0)
        with packed(self.raw) as file:
            shutil.copyfileobj(self.plain, file, 1 << 20)
        self.raw.seek(0)
        # Of a name of its own: another worker may be writing the same part.
        path = default_storage.save(f"{folder_of(export)}/{uuid4().hex}.part", File(self.raw))
        with tempfile.TemporaryFile() as told:
            told.write(json.dumps(notes).encode())
            told.seek(0)
            default_storage.save(f"{path}.json", File(told))
        return path


class Summed:
    """A file that counts and digests what is written into it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def told(self) -> tuple[int, str]:
        """Size and SHA-256 of all of it; the next read is from its beginning."""
        digest, size = sha256(), 0
        self.file.seek(0)
        while piece := self.file.read(1 << 20):
            digest.update(piece)
            size += len(piece)
        self.file.seek(0)
        return size, digest.hexdigest()


def keep_file(export: Export, file: IO[bytes]) -> str:
    """Store the finished file; its path."""
    return default_storage.save(f"{folder_of(export)}/{uuid4().hex}.file", File(file))


def clear(export: Export, *, keep: str = "") -> None:
    """Remove what lies in storage of an export, except one file."""
    folder = folder_of(export)
    with suppress(FileNotFoundError):
        for name in default_storage.listdir(folder)[1]:
            if f"{folder}/{name}" != keep:
                with suppress(FileNotFoundError):
                    default_storage.delete(f"{folder}/{name}")
    ExportPart.objects.filter(export=export).delete()
