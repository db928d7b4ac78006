"""Draw one page of a file as a picture: a process of its own, so that a hostile file can end only
this one. Reads the file from its input, writes the picture to its output; imports nothing of ours.

    python preview_child.py application/pdf 1 < file > picture
"""

from __future__ import annotations

import io
import resource
import sys

SECONDS = 15
MEMORY_BYTES = 1024 * 1024 * 1024
WIDTH = 1100  # pixels of a page
SIDE = 1600  # the longest side of a picture
MOST_PIXELS = 100_000_000


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # it writes to its output alone
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def draw_pdf(content: bytes, number: int) -> bytes:
    import pypdfium2

    pdf = pypdfium2.PdfDocument(content)
    page = pdf[number - 1]
    width, height = page.get_size()
    if not width or not height:
        raise ValueError("a page without a size")
    scale = min(WIDTH / width, 4 * WIDTH / height)
    picture = page.render(scale=scale).to_pil()
    return _written(picture, "PNG")


def draw_picture(content: bytes, form: str) -> bytes:
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    with Image.open(io.BytesIO(content), formats=[form]) as found:
        found.draft("RGB", (SIDE, SIDE))
        picture = ImageOps.exif_transpose(found)
    picture.thumbnail((SIDE, SIDE))
    return _written(picture.convert("RGBA" if "A" in picture.getbands() else "RGB"), "PNG")


def _written(picture: object, form: str) -> bytes:
    out = io.BytesIO()
    picture.save(out, form)  # type: ignore[attr-defined]
    return out.getvalue()


def main() -> None:
    limit()
    media_type, number = sys.argv[1], int(sys.argv[2])
    content = sys.stdin.buffer.read()
    if media_type == "application/pdf":
        drawn = draw_pdf(content, number)
    else:
        drawn = draw_picture(content, media_type)
    sys.stdout.buffer.write(drawn)


if __name__ == "__main__":
    main()
