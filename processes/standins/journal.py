"""What the stand-ins did, in a file that survives them: one JSON object a line, only appended.

{"at": …, "kind": "effect", "service": "bank", "what": "booked", "key": "17.9.1", "answer": {…}}

An effect happens once a key; a later call with the same key gets the first answer again and is
only counted as a call.
"""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from timers import clock


class OtherContent(Exception):
    """The key was used before, for something else."""


class Journal:
    """Effects by key. Without a path it keeps them in memory alone."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.lock = threading.RLock()
        self.effects: dict[tuple[str, str, str], dict[str, Any]] = {}
        self.calls: Counter[str] = Counter()
        self._file: BinaryIO | None = None
        if path is not None:
            self._load(path)

    def once(
        self,
        service: str,
        what: str,
        key: str,
        asked: dict[str, Any],
        make: Callable[[], dict[str, Any]],
    ) -> dict[str, Any]:
        """The answer to this key: the kept one, or the one made now. Durable on return.

        Raises OtherContent when the key came before with something else in `asked`.
        """
        digest = sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]
        with self.lock:
            known = self.effects.get((service, what, key))
            if known is None:
                known = self._write(
                    {
                        "at": clock.now().isoformat(timespec="milliseconds"),
                        "kind": "effect",
                        "service": service,
                        "what": what,
                        "key": key,
                        "asked": digest,
                        "answer": make(),
                    }
                )
            elif known["asked"] != digest:
                raise OtherContent(f"The key {key} was used before, for something else.")
            return known["answer"]

    def called(self, service: str) -> None:
        with self.lock:
            self.calls[service] += 1

    def of(self, service: str, what: str) -> list[dict[str, Any]]:
        """The answers of all effects of one sort, in their order."""
        with self.lock:
            found = [e for (s, w, _), e in self.effects.items() if (s, w) == (service, what)]
        return [effect["answer"] for effect in found]

    def _write(self, effect: dict[str, Any]) -> dict[str, Any]:
        if self._file is not None:
            self._file.write(json.dumps(effect).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        self.effects[(effect["service"], effect["what"], effect["key"])] = effect
        return effect

    def _load(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes() if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        for line in whole.splitlines():
            effect = json.loads(line)
            self.effects[(effect["service"], effect["what"], effect["key"])] = effect
        self._file = path.open("ab")
        if len(whole) < len(content):  # killed while writing: that effect never answered anybody
            self._file.truncate(len(whole))
