"""Load the optional portrait `CLAWA.<png|jpg|jpeg|webp|gif>` of a home, small and without metadata.

The picture is always encoded anew: that drops EXIF, comments, profiles and whatever hides behind
the end of the file, in one step. Pillow is imported only when there is a file to look at.
"""

from __future__ import annotations

import io
import os
import struct
import warnings as python_warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clawa_search.continuity.files import NotReadableError, read_regular

if TYPE_CHECKING:
    from PIL import Image as Pillow

NAMES = ("CLAWA.png", "CLAWA.jpg", "CLAWA.jpeg", "CLAWA.webp", "CLAWA.gif")
SIDE_PIXELS = 1_024
MAX_BYTES = 1_500_000

_READ_BYTES = 32 * 1024 * 1024
_MAX_PIXELS = 50_000_000  # 200 MB when decoded; a phone's camera makes 12 to 50 million
_MAX_WHOLE_PIXELS = 25_000_000
"""Of a format that is decoded whole before it is shrunk, as all are but JPEG: the living files wait
for the picture, 50 million pixels of WebP took 4 s."""
_FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
# What Pillow's decoders raise on damaged files (OSError includes UnidentifiedImageError).
_BROKEN = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    KeyError,
    IndexError,
    TypeError,
    OverflowError,
    struct.error,
)


@dataclass(frozen=True, slots=True)
class Image:
    """The portrait, ready to send.

    Attributes:
        path: the file it came from.
        mime_type: of `data`; not always that of the file.
        data: the encoded picture, at most `MAX_BYTES`.
        width: in pixels, at most `SIDE_PIXELS`.
        height: in pixels, at most `SIDE_PIXELS`.
    """

    path: str
    mime_type: str
    data: bytes
    width: int
    height: int


def load(home: str) -> tuple[Image | None, tuple[str, ...]]:
    """Return the portrait of *home* and a warning for every candidate that is not used."""
    image: Image | None = None
    warnings: list[str] = []
    for name in NAMES:
        path = os.path.join(home, name)
        try:
            found = read_regular(path, _READ_BYTES)
            if found is None:
                continue
            if image is not None:
                first = os.path.basename(image.path)
                warnings.append(f"{path}: not used: {first} comes first; keep one of them")
                continue
            image = _prepare(path, *found)
        except NotReadableError as error:
            warnings.append(f"{path}: not used: {error}")
    return image, tuple(warnings)


def _prepare(path: str, data: bytes, size_bytes: int) -> Image:
    if size_bytes > _READ_BYTES:
        raise NotReadableError(
            f"has {size_bytes:,} bytes, more than {_READ_BYTES:,}; save it smaller"
        )
    from PIL import Image as Pillow

    try:
        with python_warnings.catch_warnings():
            python_warnings.simplefilter(
                "ignore"
            )  # of oversize (checked below) and of damaged metadata
            with Pillow.open(io.BytesIO(data), formats=_FORMATS) as opened:
                return _shrink(path, opened)
    except Pillow.DecompressionBombError as error:
        raise NotReadableError(f"has more than {_MAX_PIXELS:,} pixels; save it smaller") from error
    except _BROKEN as error:
        raise NotReadableError("is not a whole PNG, JPEG, WebP or GIF picture") from error


def _shrink(path: str, opened: Pillow.Image) -> Image:
    from PIL import ImageOps

    photo = opened.format in ("JPEG", "MPO")  # an MPO is a JPEG that holds several
    most = _MAX_PIXELS if photo else _MAX_WHOLE_PIXELS
    if opened.width * opened.height > most:
        size = f"{opened.width} x {opened.height}"
        raise NotReadableError(f"has {size} pixels, more than {most:,}; save it smaller")
    if opened.mode.startswith("I"):  # 16 bits of grey, which `convert` would cut off, not scale
        opened = opened.convert("I").point(lambda grey: grey * (1 / 256)).convert("L")
    elif opened.mode in ("1", "P"):  # of these Pillow takes the nearest point, and lines go
        opened = opened.convert("RGBA" if opened.has_transparency_data else "RGB")
    opened.thumbnail((SIDE_PIXELS, SIDE_PIXELS))  # of an animation this is the first frame
    picture = ImageOps.exif_transpose(opened)
    clear = picture.has_transparency_data
    picture = picture.convert("RGBA" if clear else "RGB")
    while True:
        mime_type, data = _encode(picture, photo=photo)
        if len(data) <= MAX_BYTES:
            return Image(path, mime_type, data, picture.width, picture.height)
        if clear or photo:
            picture = picture.reduce(2)
        photo = photo or not clear


def _encode(picture: Pillow.Image, *, photo: bool) -> tuple[str, bytes]:
    clean = picture.copy()
    clean.info = {}  # encoders write what they find here: comments, profiles, EXIF
    out = io.BytesIO()
    if photo:
        clean.save(out, "JPEG", quality=90)
        return "image/jpeg", out.getvalue()
    clean.save(out, "PNG")
    return "image/png", out.getvalue()
