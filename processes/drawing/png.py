"""A drawing as PNG, by resvg: a wheel without any library of the system, and with our own font,
so that it looks the same on a machine that has none."""

from __future__ import annotations

import atexit
import struct
import tempfile
import zlib
from functools import cache
from pathlib import Path

from django.conf import settings

FONTS = ("latin-400.woff", "latin-700.woff")
LARGEST = 8000  # px of a side


def as_png(svg: str, *, zoom: float = 2.0) -> bytes:
    """The pixels of a drawing, twice its size unless said otherwise."""
    import resvg_py  # large, and needed only here

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            zoom=zoom,
            background="#ffffff",
            font_files=[str(path) for path in _font_files()],
            font_family="Atkinson Hyperlegible Next",
            sans_serif_family="Atkinson Hyperlegible Next",
        )
    )


@cache
def _font_files() -> list[Path]:
    """Our font unpacked, once a process: renderers read no packed ones."""
    unpacked_here = tempfile.TemporaryDirectory(prefix="longcase-font-")
    atexit.register(unpacked_here.cleanup)
    folder, found = Path(unpacked_here.name), []
    for name in FONTS:
        packed = (Path(settings.BASE_DIR) / "static/vendor/font" / name).read_bytes()
        path = folder / f"{Path(name).stem}.ttf"
        path.write_bytes(unpacked(packed))
        found.append(path)
    return found


def unpacked(woff: bytes) -> bytes:
    """The font within a WOFF 1.0 file: the same tables, each perhaps deflated."""
    signature, flavour, _length, count = struct.unpack(">4s4sIH", woff[:14])
    if signature != b"wOFF":
        raise ValueError("This is no WOFF 1.0 font.")
    tables = []
    for number in range(count):
        place = 44 + 20 * number
        tag, offset, packed, length, checksum = struct.unpack(">4sIIII", woff[place : place + 20])
        data = woff[offset : offset + packed]
        tables.append((tag, checksum, data if packed == length else zlib.decompress(data)))
    power = 1 << (count.bit_length() - 1)
    head = struct.pack(
        ">4sHHHH", flavour, count, power * 16, power.bit_length() - 1, (count - power) * 16
    )
    offset = 12 + 16 * count
    directory, body = b"", b""
    for tag, checksum, data in tables:
        directory += struct.pack(">4sIII", tag, checksum, offset + len(body), len(data))
        body += data + b"\0" * (-len(data) % 4)
    return head + directory + body
