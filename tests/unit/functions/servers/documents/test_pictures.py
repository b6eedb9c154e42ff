import io
from pathlib import Path

import pytest
from PIL import Image

from functions.servers.documents.document_reader import pictures
from functions.servers.documents.document_reader.errors import DocumentError
from functions.servers.documents.document_reader.pictures import MAX_BYTES, MAX_EDGE, look_at_page, look_at_picture
from tests.documents.pdf import write_pdf


def decoded(result: dict[str, object]) -> Image.Image:
    data = result["data"]
    assert isinstance(data, bytes)
    assert len(data) <= MAX_BYTES
    return Image.open(io.BytesIO(data))


def test_large_picture_is_downscaled_to_the_longest_edge(tmp_path: Path) -> None:
    Image.new("RGB", (4000, 1000), "red").save(tmp_path / "wide.png")

    result = look_at_picture(tmp_path / "wide.png", 1)

    assert decoded(result).size == (MAX_EDGE, 392)
    assert result["mime"] == "image/png"
    assert result["description"] == "PNG picture, 4000 x 1000 pixels"


def test_small_picture_is_not_enlarged(tmp_path: Path) -> None:
    Image.new("RGB", (30, 20), "red").save(tmp_path / "small.png")

    assert decoded(look_at_picture(tmp_path / "small.png", 1)).size == (30, 20)


def test_same_picture_gives_the_same_bytes(tmp_path: Path) -> None:
    Image.linear_gradient("L").save(tmp_path / "a.png")

    first, second = (look_at_picture(tmp_path / "a.png", 1) for _ in range(2))

    assert first == second


def test_picture_that_compresses_badly_becomes_a_jpeg_within_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MAX_BYTES", 25_000)
    Image.effect_noise((200, 200), 100).save(tmp_path / "noise.png")

    result = look_at_picture(tmp_path / "noise.png", 1)

    assert len(result["data"]) <= 25_000
    assert decoded(result).format == "JPEG"
    assert result["mime"] == "image/jpeg"


def test_photo_is_turned_as_its_camera_says(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (60, 20)).save(tmp_path / "photo.jpg", exif=exif)

    assert decoded(look_at_picture(tmp_path / "photo.jpg", 1)).size == (20, 60)


def test_transparent_parts_become_white(tmp_path: Path) -> None:
    Image.new("RGBA", (5, 5), (0, 0, 0, 0)).save(tmp_path / "clear.png")

    assert decoded(look_at_picture(tmp_path / "clear.png", 1)).getpixel((2, 2)) == (255, 255, 255)


def test_sixteen_bit_picture_uses_the_whole_range_of_gray(tmp_path: Path) -> None:
    picture = Image.new("I;16", (2, 1))
    picture.putpixel((0, 0), 1000)
    picture.putpixel((1, 0), 3000)
    picture.save(tmp_path / "scan.tiff")

    shown = decoded(look_at_picture(tmp_path / "scan.tiff", 1))

    assert [shown.getpixel((0, 0)), shown.getpixel((1, 0))] == [(0, 0, 0), (255, 255, 255)]


@pytest.mark.parametrize("name", ["pages.tiff", "pages.gif", "pages.webp"])
def test_frame_is_selected_by_its_number(tmp_path: Path, name: str) -> None:
    frames = [Image.new("RGB", (8, 8), color) for color in ("red", "lime", "blue")]
    frames[0].save(tmp_path / name, save_all=True, append_images=frames[1:], lossless=True)

    result = look_at_picture(tmp_path / name, 2)

    assert decoded(result).getpixel((4, 4)) == (0, 255, 0)
    assert "frame 2 of 3" in str(result["description"])
    with pytest.raises(DocumentError, match="E_BAD_RANGE: there is no frame 4: the picture has 3"):
        look_at_picture(tmp_path / name, 4)


def test_page_of_a_pdf_fills_the_longest_edge(tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", ["one", "two"])

    result = look_at_page(tmp_path / "a.pdf", 2)

    assert max(decoded(result).size) == MAX_EDGE
    assert result["description"] == "PDF document, page 2 of 2"
    with pytest.raises(DocumentError, match="E_BAD_RANGE: there is no page 3: the document has 2 pages"):
        look_at_page(tmp_path / "a.pdf", 3)


def test_picture_with_too_many_pixels_is_refused_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MAX_PIXELS", 1_000_000)
    Image.new("1", (1001, 1000)).save(tmp_path / "bomb.png")

    with pytest.raises(DocumentError, match="E_TOO_LARGE: the picture has 1001 x 1000 pixels"):
        look_at_picture(tmp_path / "bomb.png", 1)


def test_picture_beyond_the_limit_of_the_library_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.new("1", (100, 100)).save(tmp_path / "bomb.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)

    with pytest.raises(DocumentError, match="E_TOO_LARGE"):
        look_at_picture(tmp_path / "bomb.png", 1)


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.gif", "a.tiff", "a.webp", "a.bmp"])
def test_truncated_picture_is_damaged(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    Image.effect_noise((100, 100), 50).convert("RGB").save(path)
    path.write_bytes(path.read_bytes()[:300])

    with pytest.raises(DocumentError, match="E_DAMAGED"):
        look_at_picture(path, 1)
