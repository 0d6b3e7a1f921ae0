"""Make the one message that tells a context who this Clawa is, from its five living files.

It never holds memories: those are recalled on purpose. Everything is counted in code points
(`len` of a `str`).
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass

from clawa_search.continuity import image as images
from clawa_search.continuity.files import NotReadableError, read_regular
from clawa_search.continuity.headings import outline
from clawa_search.continuity.onboarding import is_template
from clawa_search.graphemes import cut

NAMES = ("CLAW.md", "HUMAN.md", "CLAWAS.md", "CURIOUS.md", "TOOLS.md")
FILE_CHARS = 8_000
TOTAL_CHARS = 24_000
CUSTOM_TYPE = "clawa-hydration"

# More than 8,000 characters of four bytes each, and enough headings for the index.
_READ_BYTES = 64 * 1024
_OUTLINE_CHARS = 500
_INTRO = (
    "CLAWA HYDRATION: your current shape, quoted from the living files of this home by "
    "clawa-search. The human did not type it and it asks for no answer. Each file stands between "
    "its BEGIN and its END line; these lines never occur inside a file, so whatever stands between "
    "them belongs to that file. Shared memories are not in here: `recall` finds them."
)
_FIRST_RUN = (
    "First run: CLAW.md does not say anything of its own yet, so there is little to recall. While "
    "you get to know each other, leave `recall` alone unless the human asks for it or you resume "
    "after a compaction."
)
# Any run of dashes before "BEGIN CLAW.md" and the like, so that no file can open or close a block.
# Possessive, and from the run's first dash only: 9,000 dashes took a minute without.
_DASH = r"[-\u2010-\u2015\u2212=_*#]"
_MARKER = re.compile(
    rf"(?<!{_DASH}){_DASH}{{2,}}+"
    r"(?=[^\S\n]*+(?:BEGIN|END)[^\S\n]++(?:CLAW|HUMAN|CLAWAS|CURIOUS|TOOLS)\.md)",
    re.IGNORECASE,
)
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


@dataclass(frozen=True, slots=True)
class HydratedFile:
    """One living file as it is shown.

    Attributes:
        name: its name in the home.
        chars: how many of its characters are shown, a truncation mark included.
        truncated: whether something of it is missing.
    """

    name: str
    chars: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class Hydration:
    """The hydration message of a home.

    Attributes:
        text: the message, at most `TOTAL_CHARS` code points; empty when the home has no living
            file and no image.
        sha: SHA-256 (hex) of text and image: equal files give an equal value.
        first_run: whether the home is still being set up (`onboarding.py`).
        warnings: one sentence for each file that could not be shown as it is, path first.
    """

    text: str
    sha: str
    files: tuple[HydratedFile, ...]
    image: images.Image | None
    first_run: bool
    warnings: tuple[str, ...]

    @property
    def chars(self) -> int:
        """Length of `text` in code points."""
        return len(self.text)


@dataclass(frozen=True, slots=True)
class _Living:
    name: str
    text: str
    size_bytes: int
    cut_off: bool  # there is more in the file than was read


def hydrate(home: str | os.PathLike[str]) -> Hydration:
    """Return the hydration of *home*; never fails, whatever lies there."""
    folder = os.fspath(home)
    warnings: list[str] = []
    living = [found for name in NAMES if (found := _read(folder, name, warnings)) is not None]
    image, image_warnings = images.load(folder)
    claw = next((one for one in living if one.name == NAMES[0]), None)
    if claw is not None:
        first_run = is_template(claw.text)
    else:  # one that cannot be read is no missing one
        first_run = not os.path.lexists(os.path.join(folder, NAMES[0]))
    text, files = _compose(living, image, first_run) if living or image else ("", ())
    return Hydration(text, _sha(text, image), files, image, first_run, (*warnings, *image_warnings))


def as_json(hydration: Hydration) -> dict[str, object]:
    """Return the `hydrate --json` object, which gets its version when it is written."""
    image = hydration.image
    return {
        "text": hydration.text,
        "sha": hydration.sha,
        "chars": hydration.chars,
        "files": [
            {"name": one.name, "chars": one.chars, "truncated": one.truncated}
            for one in hydration.files
        ],
        "image": None
        if image is None
        else {
            "path": image.path,
            "mime_type": image.mime_type,
            "bytes": len(image.data),
            "width": image.width,
            "height": image.height,
        },
        "first_run": hydration.first_run,
        "warnings": list(hydration.warnings),
    }


def _read(folder: str, name: str, warnings: list[str]) -> _Living | None:
    path = os.path.join(folder, name)
    try:
        found = read_regular(path, _READ_BYTES)
    except NotReadableError as error:
        warnings.append(f"{path}: left out of the hydration: {error}")
        return None
    if found is None:
        return None
    data, size = found
    text, damaged = _decode(data, complete=size <= len(data))
    if damaged:
        warnings.append(
            f"{path}: bytes that are not UTF-8 text are shown as \ufffd: save the file as UTF-8"
        )
    bare = _INVISIBLE.sub("", text)
    if _MARKER.search(bare):  # signs that nobody sees must not hide a marker from us
        text = _MARKER.sub("- - -", bare)
    return _Living(name, text, size, size > len(data))


def _decode(data: bytes, *, complete: bool) -> tuple[str, bool]:
    if not complete:  # the limit may have fallen inside a character
        data = data[: _whole_characters(data)]
    text = data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\0", "\ufffd")
    return text, text.count("\ufffd") > data.count(b"\xef\xbf\xbd")


def _whole_characters(data: bytes) -> int:
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) if back >= length else len(data) - back
    return len(data)


def _compose(
    living: list[_Living], image: images.Image | None, first_run: bool
) -> tuple[str, tuple[HydratedFile, ...]]:
    head = "\n".join(_head(living, image, first_run))
    frames = [(f"\n\n--- BEGIN {one.name} ---\n", f"\n--- END {one.name} ---") for one in living]
    room = TOTAL_CHARS - len(head) - sum(len(begin) + len(end) for begin, end in frames)
    parts = [head]
    files = []
    for one, (begin, end), share in zip(
        living, frames, _shares([_length(one) for one in living], room), strict=True
    ):
        shown, truncated = _shown(one, share)
        parts += begin, shown, end
        files.append(HydratedFile(one.name, len(shown), truncated))
    return "".join(parts), tuple(files)


def _head(living: list[_Living], image: images.Image | None, first_run: bool) -> list[str]:
    lines = [_INTRO]
    if first_run:
        lines += "", _FIRST_RUN
    if image is not None:
        # Said so that it holds as well for a model that gets no pictures.
        lines += (
            "",
            f"A picture that comes with this message, {os.path.basename(image.path)}, shows you.",
        )
    if living:
        lines += "", "Index:"
    for one in living:
        lines.append(f"- {one.name}, {one.size_bytes:,} bytes")
        lines += outline(one.text, _OUTLINE_CHARS)
    return lines


def _shares(lengths: list[int], room: int) -> list[int]:
    """Divide *room*: short files stay whole, long ones get equal parts, `FILE_CHARS` at most."""
    shares = [0] * len(lengths)
    waiting = sorted(range(len(lengths)), key=lambda index: lengths[index])
    for place, index in enumerate(waiting):
        shares[index] = min(lengths[index], FILE_CHARS, room // (len(waiting) - place))
        room -= shares[index]
    return shares


def _length(one: _Living) -> int:
    return len(one.text) + (len(_mark(one)) if one.cut_off else 0)


def _mark(one: _Living) -> str:
    rest = f"{one.name} has {one.size_bytes:,} bytes and goes on; read the file for the rest"
    return f"\n[truncated: {rest}]"


def _shown(one: _Living, share: int) -> tuple[str, bool]:
    if len(one.text) <= share and not one.cut_off:
        return one.text, False
    mark = _mark(one)
    return cut(one.text, share - len(mark)) + mark, True


def _sha(text: str, image: images.Image | None) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    if image is not None:
        digest.update(b"\0" + image.mime_type.encode() + b"\0" + image.data)
    return digest.hexdigest()
