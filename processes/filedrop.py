"""A folder into which another system lays files: each drop is a JSON file, with the files it names.

The other system writes its files first, then the JSON under another name, and renames it to end in
`.json`. Here the drop is read, taken in one commit, and its files moved to `done`, or to `failed`
with a `.why.txt` beside them. Killed anywhere, the next run does the rest: what was taken is not
taken again, for the drop has a key.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from cases.errors import Invalid
from processes import exactjson
from processes.inbound import File, Incoming, Taken


class Folder:
    """The drops of one folder, in the order of their names."""

    def __init__(self, folder: Path, *, source: str = "filedrop") -> None:
        self.folder, self.source = folder, source
        for name in ("done", "failed"):
            (folder / name).mkdir(exist_ok=True)

    def drops(self) -> list[Path]:
        return sorted(one for one in self.folder.glob("*.json") if one.is_file())

    def __iter__(self) -> Iterator[tuple[Any, Incoming]]:
        for drop in self.drops():
            yield drop, self.read(drop)

    def read(self, drop: Path) -> Incoming:
        """What a drop says. Raises Invalid."""
        try:
            said = exactjson.loads(drop.read_bytes())
        except (ValueError, RecursionError) as error:
            raise Invalid(_("The drop is no JSON: %(why)s") % {"why": error}) from error
        if not isinstance(said, dict) or not isinstance(said.get("data", {}), dict):
            raise Invalid(_("A drop is an object, and so is its data."))
        return Incoming(
            source=self.source,
            key=str(said.get("key") or drop.stem),
            name=str(said.get("name") or "files"),
            to=[str(said.get("to", ""))],
            data=said.get("data", {}),
            files=[self._file(one) for one in said.get("files", [])],
            is_strict=True,
        )

    def _file(self, said: Any) -> File:
        named = said.get("file") if isinstance(said, dict) else None
        if not isinstance(named, str) or Path(named).name != named or named.startswith("."):
            raise Invalid(_("Each of the files is an object whose file is a name in this folder."))
        found = next(
            (p for p in (self.folder / named, self.folder / "done" / named) if p.is_file()), None
        )
        if found is None or found.is_symlink():
            raise Invalid(_("There is no file “%(name)s” beside the drop.") % {"name": named})
        if found.stat().st_size > settings.LONGCASE_UPLOAD_BYTES:
            raise Invalid(_("“%(name)s” is larger than a document may be.") % {"name": named})
        return File(named, found.read_bytes(), str(said.get("name", "")))

    def done(self, thing: Any, taken: Taken) -> None:
        self._move(thing, "done")

    def failed(self, drop: Path, why: str) -> None:
        (self.folder / "failed" / f"{drop.name}.why.txt").write_text(why + "\n")
        self._move(drop, "failed")

    def _move(self, drop: Path, where: str) -> None:
        """The files first and the drop last: it is there until all is done."""
        try:
            said = json.loads(drop.read_bytes())
            names = [one["file"] for one in said.get("files", [])]
        except (ValueError, RecursionError, AttributeError, TypeError, KeyError):
            names = []
        for name in [*names, drop.name]:
            path = self.folder / str(name)
            if path.parent == self.folder and path.is_file():
                path.rename(self.folder / where / path.name)
