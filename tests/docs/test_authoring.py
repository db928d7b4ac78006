"""docs/authoring.md: no word is missing, and its samples are such as could run."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import pytest

from processes import activities, kinds, letters, services, shapes
from processes.engine import clockwords, words
from processes.management import reference
from processes.management.commands.words import PAGE
from tests.docs.reader import Block, blocks_of
from timers import spans

SAMPLES = [block for block in blocks_of(PAGE) if block.language == "python"]
KNOWN: dict[str, Any] = {}
for module in (spans, letters, services, shapes, activities, kinds, clockwords, words):
    KNOWN |= {
        name: thing
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", "").startswith(("processes.", "timers.", "cases."))
    }


def test_the_reference_is_what_the_code_says() -> None:
    """If this fails: `manage.py words --write`, and read what it changed."""
    assert reference.text() in PAGE.read_text()


def test_no_word_is_missing() -> None:
    told = {name for _, found in reference.entries() for name, _ in found}
    for module in (words, clockwords):
        for name, thing in vars(module).items():
            is_ours = getattr(thing, "__module__", "") == module.__name__
            if is_ours and not name.startswith("_") and name != "ClockLimit":
                assert name in told, f"{module.__name__}.{name}"


@pytest.mark.parametrize("block", SAMPLES, ids=lambda block: f"line {block.line}")
def test_a_sample_asks_as_the_words_take_it(block: Block) -> None:
    """It is Python, and what it gives each word is what the word takes."""
    seen = 0
    for node in ast.walk(ast.parse(block.text)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        word = KNOWN.get(node.func.id)
        if word is None or any(isinstance(one, ast.Starred) for one in node.args):
            continue
        names = {k.arg: None for k in node.keywords if k.arg}
        inspect.signature(word).bind(*node.args, **names)
        seen += 1
    assert (
        seen
        or "@transition" in block.text
        or "@grant.step" in block.text
        or "def test" in block.text
    )


def test_the_page_has_a_sample_for_each_common_thing() -> None:
    page = "".join(block.text for block in SAMPLES)
    wanted = (
        "ask_review documents sleep deadline callback subcase send_letter start_clock activity "
        "Kind transition changed walk fake outside"
    )
    missing = [w for w in wanted.split(" ") if f"{w}(" not in page and f"{w}." not in page]
    assert not missing
