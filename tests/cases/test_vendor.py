"""What the pages take from others is what the manifest says, and the policy header holds."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENDOR = ROOT / "static" / "vendor"


def test_vendored_files_are_those_of_the_manifest() -> None:
    manifest = json.loads((VENDOR / "manifest.json").read_text())
    for path, digest in manifest["sha256"].items():
        assert hashlib.sha256((VENDOR / path).read_bytes()).hexdigest() == digest, path
    wanted = json.loads((VENDOR / "package.json").read_text())["dependencies"]
    assert manifest["packages"] == wanted
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())


def test_nothing_else_lies_beside_them() -> None:
    known = set(json.loads((VENDOR / "manifest.json").read_text())["sha256"])
    known |= {"manifest.json", "package.json", "update.py"}
    found = {
        str(path.relative_to(VENDOR))
        for path in VENDOR.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert found == known


def test_the_stylesheet_stays_small() -> None:
    css = (ROOT / "static/css/longcase.css").read_bytes()
    assert len(gzip.compress(css)) <= 12 * 1024


def test_templates_hold_no_inline_style_or_script() -> None:
    wrong = re.compile(r"\sstyle=|\son[a-z]+=|hx-on|<script(?![^>]*src=)|<style|js:", re.IGNORECASE)
    for path in (ROOT / "templates").rglob("*.html"):
        assert not wrong.search(path.read_text()), path


def test_every_icon_that_is_named_is_drawn() -> None:
    drawn = set(re.findall(r'<symbol id="([a-z]+)"', (VENDOR / "icons/icons.svg").read_text()))
    named = set()
    for path in (ROOT / "templates").rglob("*.html"):
        named |= set(re.findall(r'{% icon "([a-z]+)" %}', path.read_text()))
    for path in [
        ROOT / "cases/tags.py",
        ROOT / "cases/standing.py",
        ROOT / "cases/templatetags/longcase.py",
    ]:
        named |= set(re.findall(r'Tag\([^()]*\([^()]*\)[^()]*"([a-z]+)"\)', path.read_text()))
    assert named and named <= drawn
