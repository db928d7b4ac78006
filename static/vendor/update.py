"""Fetch the vendored files at the versions of package.json, and write manifest.json.

    python static/vendor/update.py

Needs npm, for its registry client alone. The files are committed, so that an installation needs
neither npm nor a network; a test compares them with the manifest.
"""

import hashlib
import json
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FONT = "@fontsource-variable/atkinson-hyperlegible-next"
STATIC_FONT = "@fontsource/atkinson-hyperlegible-next"  # for drawings as PNG; no browser loads it
FILES = {
    "htmx.org": {
        "dist/htmx.min.js": "htmx/htmx.min.js",
        "LICENSE": "htmx/LICENSE",
    },
    FONT: {
        "files/atkinson-hyperlegible-next-latin-wght-normal.woff2": "font/latin.woff2",
        "files/atkinson-hyperlegible-next-latin-ext-wght-normal.woff2": "font/latin-ext.woff2",
        "LICENSE": "font/LICENSE",
    },
    STATIC_FONT: {
        "files/atkinson-hyperlegible-next-latin-400-normal.woff": "font/latin-400.woff",
        "files/atkinson-hyperlegible-next-latin-700-normal.woff": "font/latin-700.woff",
    },
    "lucide-static": {"LICENSE": "icons/LICENSE"},
}
# Our name for each icon says what it means on a page; the drawing is Lucide's.
ICONS = {
    "add": "plus",
    "answer": "mail-check",
    "bad": "triangle-alert",
    "clock": "clock",
    "closed": "archive",
    "done": "check",
    "find": "search",
    "file": "file-text",
    "forward": "arrow-right",
    "info": "info",
    "more": "chevron-down",
    "person": "user-round",
    "refused": "x",
    "review": "clipboard-check",
    "stopped": "octagon-alert",
    "wait": "hourglass",
}


def main() -> None:
    versions = json.loads((HERE / "package.json").read_text())["dependencies"]
    with tempfile.TemporaryDirectory() as folder:
        for name, files in FILES.items():
            with tarfile.open(pack(name, versions[name], into=Path(folder))) as package:
                for inside, outside in files.items():
                    write(HERE / outside, read(package, inside))
                if name == "lucide-static":
                    write(HERE / "icons/icons.svg", sprite(package))
    (HERE / "manifest.json").write_text(json.dumps(manifest(versions), indent=2) + "\n")


def pack(name: str, version: str, *, into: Path) -> Path:
    """Download one package, as npm serves it."""
    answer = subprocess.run(
        ["npm", "pack", "--silent", "--json", f"{name}@{version}"],
        cwd=into,
        check=True,
        capture_output=True,
        text=True,
    )
    found = json.loads(answer.stdout)
    first = found[0] if isinstance(found, list) else next(iter(found.values()))
    return into / first["filename"].replace("@", "").replace("/", "-")


def read(package: tarfile.TarFile, path: str) -> bytes:
    member = package.extractfile(f"package/{path}")
    assert member is not None, path
    return member.read()


def sprite(package: tarfile.TarFile) -> bytes:
    """One SVG with a symbol an icon, drawn in the colour of the text around it."""
    symbols = []
    for ours, theirs in sorted(ICONS.items()):
        drawing = read(package, f"icons/{theirs}.svg").decode()
        body = re.search(r"<svg[^>]*>(.*)</svg>", drawing, re.DOTALL)
        assert body is not None, theirs
        lines = " ".join(body[1].split())
        symbols.append(f'<symbol id="{ours}" viewBox="0 0 24 24">{lines}</symbol>')
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" fill="none" stroke="currentColor" '
        'stroke-width="2" stroke-linecap="round" stroke-linejoin="round">'
    )
    return "\n".join([head, *symbols, "</svg>", ""]).encode()


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def manifest(versions: dict[str, str]) -> dict[str, object]:
    """The packages, and the digest of every file that came of them."""
    files = [*(path for one in FILES.values() for path in one.values()), "icons/icons.svg"]
    return {
        "packages": versions,
        "sha256": {
            path: hashlib.sha256((HERE / path).read_bytes()).hexdigest() for path in sorted(files)
        },
    }


if __name__ == "__main__":
    main()
