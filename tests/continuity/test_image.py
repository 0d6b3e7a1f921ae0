"""Laws of the portrait: bounded, clean, recognised by content."""

import io
import os
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as Pillow
from PIL import PngImagePlugin

from clawa_search.continuity import image as images
from clawa_search.continuity.hydration import as_json, hydrate

ENDING = {"PNG": "png", "JPEG": "jpg", "WEBP": "webp", "GIF": "gif"}


def encoded(
    form: str, size: tuple[int, int] = (40, 20), mode: str = "RGB", **more: object
) -> bytes:
    out = io.BytesIO()
    Pillow.new(mode, size, "red" if mode in ("RGB", "RGBA") else 1).save(out, form, **more)
    return out.getvalue()


def noise(mode: str, side: int) -> Pillow.Image:
    return Pillow.frombytes(mode, (side, side), os.urandom(side * side * len(mode)))


def opened(found: images.Image) -> Pillow.Image:
    picture = Pillow.open(io.BytesIO(found.data))
    picture.load()
    return picture


@pytest.mark.parametrize("form", ENDING)
def test_each_format_is_taken_by_its_content_whatever_its_name(tmp_path, form):
    (tmp_path / "CLAWA.gif").write_bytes(encoded(form))
    found, warnings = images.load(str(tmp_path))
    assert found is not None
    assert (found.width, found.height) == (40, 20)
    assert found.mime_type == ("image/jpeg" if form == "JPEG" else "image/png")
    assert opened(found).size == (40, 20)
    assert warnings == ()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"text",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        encoded("BMP"),
        encoded("PNG")[:60],
        encoded("TIFF"),
    ],
    ids=["empty", "text", "svg", "bmp", "torn", "tiff"],
)
def test_what_is_no_whole_picture_of_these_formats_gives_a_warning(tmp_path, data):
    (tmp_path / "CLAWA.png").write_bytes(data)
    found, warnings = images.load(str(tmp_path))
    assert found is None
    assert warnings == (
        f"{tmp_path}/CLAWA.png: not used: is not a whole PNG, JPEG, WebP or GIF picture",
    )


@pytest.mark.parametrize(("mode", "form"), [("RGBA", "PNG"), ("RGB", "PNG"), ("RGB", "JPEG")])
def test_a_large_picture_is_shrunk_to_both_limits(tmp_path, mode, form):
    noise(mode, 1_500).save(tmp_path / "CLAWA.png", form)
    found, _ = images.load(str(tmp_path))
    assert found is not None
    assert len(found.data) <= images.MAX_BYTES
    assert opened(found).size == (found.width, found.height)
    assert 512 <= max(found.width, found.height) <= images.SIDE_PIXELS


def test_exif_is_dropped_after_the_orientation_was_applied(tmp_path):
    exif = Pillow.Exif()
    exif[0x0112] = 6  # the camera was held upright
    exif[0x010F] = "SecretCameraMaker"
    exif.get_ifd(0x8825)[1] = "N"
    (tmp_path / "CLAWA.jpg").write_bytes(encoded("JPEG", exif=exif, comment=b"SecretComment"))
    found, _ = images.load(str(tmp_path))
    assert found is not None
    assert (found.width, found.height) == (20, 40)
    assert not opened(found).getexif()
    assert b"Secret" not in found.data
    assert b"Exif" not in found.data


def test_text_chunks_and_what_hides_behind_the_end_are_dropped(tmp_path):
    about = PngImagePlugin.PngInfo()
    about.add_text("Author", "SecretName")
    (tmp_path / "CLAWA.png").write_bytes(encoded("PNG", pnginfo=about) + b"SecretTail")
    found, _ = images.load(str(tmp_path))
    assert found is not None
    assert b"Secret" not in found.data


@pytest.mark.parametrize("form", ["GIF", "PNG", "WEBP"])
def test_of_an_animation_the_first_frame_is_shown(tmp_path, form):
    frames = [Pillow.new("RGB", (8, 8), colour) for colour in ("red", "blue", "lime")]
    options = {"lossless": True} if form == "WEBP" else {}
    frames[0].save(
        tmp_path / "CLAWA.gif",
        form,
        save_all=True,
        append_images=frames[1:],
        duration=50,
        **options,
    )
    found, _ = images.load(str(tmp_path))
    assert found is not None
    still = opened(found)
    assert getattr(still, "n_frames", 1) == 1
    assert still.convert("RGB").getpixel((3, 3)) == (255, 0, 0)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_every_colour_mode_becomes_one_that_models_read(tmp_path, mode):
    Pillow.new(mode, (9, 7)).save(tmp_path / "CLAWA.png", "PNG")
    found, _ = images.load(str(tmp_path))
    assert found is not None
    assert opened(found).mode in ("RGB", "RGBA")


def test_transparency_is_kept(tmp_path):
    Pillow.new("RGBA", (4, 4), (0, 255, 0, 0)).save(tmp_path / "CLAWA.webp", "WEBP", lossless=True)
    found, _ = images.load(str(tmp_path))
    assert found is not None
    assert opened(found).getchannel("A").getextrema() == (0, 0)


def bomb(width: int, height: int) -> bytes:
    """Return a valid PNG head that announces a picture of that size."""
    data = bytearray(encoded("PNG"))
    data[16:24] = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    data[29:33] = zlib.crc32(bytes(data[12:29])).to_bytes(4, "big")
    return bytes(data)


@pytest.mark.parametrize("side", [8_000, 12_000, 60_000])
def test_a_decompression_bomb_is_refused_before_it_is_decoded(tmp_path, side):
    (tmp_path / "CLAWA.png").write_bytes(bomb(side, side))
    found, warnings = images.load(str(tmp_path))
    assert found is None
    assert "more than " in warnings[0]


@pytest.mark.parametrize(("form", "fits"), [("PNG", False), ("WEBP", False), ("JPEG", True)])
def test_a_large_picture_is_taken_where_it_need_not_be_decoded_whole(tmp_path, form, fits):
    Pillow.new("RGB", (6_000, 5_000)).save(tmp_path / "CLAWA.png", form, quality=1)
    found, warnings = images.load(str(tmp_path))
    assert (found is not None, warnings == ()) == (fits, fits)
    assert fits or "6000 x 5000 pixels, more than 25,000,000; save it smaller" in warnings[0]


def test_a_large_picture_of_sixteen_bits_of_grey_is_scaled(tmp_path):
    Pillow.new("I;16", (4_096, 16), 0x8080).save(tmp_path / "CLAWA.png")
    found, warnings = images.load(str(tmp_path))
    assert warnings == ()
    assert found is not None
    assert opened(found).convert("L").getextrema() == (0x80, 0x80)


def test_a_file_too_large_to_read_is_refused(tmp_path):
    with (tmp_path / "CLAWA.png").open("wb") as file:
        file.write(encoded("PNG"))
        file.truncate(1 << 33)
    found, warnings = images.load(str(tmp_path))
    assert found is None
    assert "8,589,934,592 bytes" in warnings[0]


def test_of_several_the_first_usable_is_taken_and_the_rest_named(tmp_path):
    (tmp_path / "CLAWA.png").write_bytes(b"broken")
    (tmp_path / "CLAWA.jpg").write_bytes(encoded("JPEG"))
    (tmp_path / "CLAWA.gif").write_bytes(encoded("GIF"))
    os.mkfifo(tmp_path / "CLAWA.webp")
    found, warnings = images.load(str(tmp_path))
    assert found is not None
    assert found.path == str(tmp_path / "CLAWA.jpg")
    assert [Path(warning.split(":")[0]).name for warning in warnings] == [
        "CLAWA.png",
        "CLAWA.webp",
        "CLAWA.gif",
    ]


def test_the_picture_is_part_of_the_sha_and_of_the_json(tmp_path):
    empty = hydrate(tmp_path)
    (tmp_path / "CLAWA.png").write_bytes(encoded("PNG"))
    first, again = hydrate(tmp_path), hydrate(tmp_path)
    assert first.image is not None
    assert first.image == again.image
    assert first.sha == again.sha != empty.sha
    assert as_json(first)["image"] == {
        "path": str(tmp_path / "CLAWA.png"),
        "mime_type": "image/png",
        "bytes": len(first.image.data),
        "width": 40,
        "height": 20,
    }
    (tmp_path / "CLAWA.png").write_bytes(encoded("PNG", (41, 20)))
    assert hydrate(tmp_path).sha != first.sha


SEEDS = [encoded(form) for form in ENDING] + [encoded("GIF", mode="P"), encoded("PNG", mode="P")]


@settings(max_examples=200)
@given(
    st.sampled_from(SEEDS),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6),
    st.integers(0),
)
def test_a_damaged_picture_gives_a_picture_or_a_warning_never_an_error(
    tmp_path, seed, changes, length
):
    data = bytearray(seed)
    for at, byte in changes:
        data[at % len(data)] = byte
    (tmp_path / "CLAWA.png").write_bytes(data[: len(data) - length % len(data) // 4])
    found, warnings = images.load(str(tmp_path))
    assert (found is None) == (len(warnings) == 1)


def test_sixteen_bits_of_grey_are_scaled(tmp_path):
    grey = Pillow.new("I;16", (4, 1))
    for x, value in enumerate((0, 16384, 32768, 65535)):
        grey.putpixel((x, 0), value)
    grey.save(tmp_path / "CLAWA.png")
    found, warnings = images.load(str(tmp_path))
    assert found is not None
    assert warnings == ()
    shown = opened(found).convert("L")
    assert [shown.getpixel((x, 0)) for x in range(4)] == [0, 64, 128, 255]
