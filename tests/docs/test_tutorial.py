"""The tutorial, followed to the letter: every block of it is carried out."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.health import is_ready
from config.up import free_port
from tests.docs.reader import Block, blocks_of, merged, write
from tests.testing.outside import CHECKOUT, environ_of_others

TUTORIAL = CHECKOUT / "docs" / "tutorial.md"
PATIENCE_SECONDS = 180


class Reader:
    """A person with a home, a terminal in the folder of Longcase, and an editor."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.kinds = home / "kinds"
        self.exports: list[str] = []
        self.said = ""
        self.was_up = False
        self.port = free_port("127.0.0.1")
        standins = free_port("127.0.0.1")
        self.environ = environ_of_others(home, PORT=str(self.port), STANDINS_PORT=str(standins))

    def follow(self, block: Block) -> None:
        if block.language == "sh":
            self.type(block)
        elif block.language == "text":
            for line in block.text.splitlines():
                assert line in self.said, f"line {block.line}: {line!r} is not in\n{self.said}"
        else:
            write(block, self.kinds)

    def type(self, block: Block) -> None:
        if block.text.strip() == "make up":
            self.run_it()
            return
        script = "\n".join(["set -e", *self.exports, block.text])
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=CHECKOUT,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said = done.stdout
        assert done.returncode == 0, f"line {block.line}:\n{block.text}\n{done.stdout}"
        self.exports += [line for line in block.text.splitlines() if line.startswith("export ")]

    def run_it(self) -> None:
        """`make up` until its pages answer, then Ctrl-C."""
        # As make does, once the environment is there.
        script = "\n".join([*self.exports, f"exec {sys.executable} -m config.up"])
        log = self.home / "up.log"
        with log.open("wb") as out:
            up = subprocess.Popen(
                ["bash", "-c", script],
                cwd=CHECKOUT,
                env=self.environ,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        try:
            end = time.monotonic() + PATIENCE_SECONDS
            while not is_ready(port=self.port):
                assert up.poll() is None and time.monotonic() < end, log.read_text()
                time.sleep(0.2)
            self.was_up = True
        finally:
            os.killpg(up.pid, signal.SIGINT)
            up.wait(60)


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder that others may enter: root lends Postgres the user `nobody`."""
    made = Path(tempfile.mkdtemp(prefix="longcase-reader-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.long
def test_whoever_follows_the_tutorial_gets_a_kind_that_works(home: Path) -> None:
    reader = Reader(home)
    blocks = blocks_of(TUTORIAL)
    assert {block.language for block in blocks} == {"sh", "python", "django", "text"}
    for block in blocks:
        reader.follow(block)
    assert reader.was_up


# -- the reader itself


def test_a_block_replaces_adds_and_imports() -> None:
    text = (
        '"""A page."""\n\nimport ast\n\nONE = 1\n\n\nclass A:\n    a = 1\n\n    def f(self):\n'
        "        pass\n\n\ndef last():\n    pass\n"
    )
    shown = (
        "import re\n\nONE = 2\n\n\nclass A:\n    ...\n\n    b = 2\n\n    @staticmethod\n"
        "    def f():\n        return 1\n\n\ndef new():\n    pass\n"
    )
    assert merged(text, shown) == (
        '"""A page."""\n\nimport ast\nimport re\n\nONE = 2\n\n\nclass A:\n    a = 1\n\n'
        "    @staticmethod\n    def f():\n        return 1\n\n    b = 2\n\n\ndef last():\n"
        "    pass\n\n\ndef new():\n    pass\n"
    )


def test_a_block_that_names_no_file_is_a_mistake_of_the_page() -> None:
    with pytest.raises(AssertionError, match="line 7"):
        Block("python", "x = 1\n", 7).path
