"""Show a picture, a page of a PDF or a frame of an animation in a size that language models take."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps

from .errors import Code, DocumentError
from .pdf import open_pdf

MAX_EDGE = 1568
"""The longest edge in pixels. Models scale larger pictures down themselves."""
MAX_BYTES = 800_000
"""Providers accept more for one picture, but Satchel sends at most 8 MiB of pictures in a request: ten always fit."""
MAX_PIXELS = 100_000_000
"""Maximum pixels of a source. A decoded pixel takes three to four bytes."""

Image.MAX_IMAGE_PIXELS = MAX_PIXELS  # above it, the library warns; above twice as many, it raises
_FORMATS = ["AVIF", "BMP", "GIF", "ICO", "JPEG", "JPEG2000", "PNG", "PPM", "TIFF", "WEBP"]
_QUALITIES = (85, 70, 50, 30)


def look_at_page(path: Path, number: int) -> dict[str, Any]:
    """Return a page of a PDF as a picture."""
    with open_pdf(path) as pdf:
        if not 1 <= number <= len(pdf):
            raise DocumentError(Code.BAD_RANGE, f"there is no page {number}: the document has {len(pdf)} pages")
        page = pdf[number - 1]
        width, height = page.get_size()
        scale = MAX_EDGE / max(width, height, 1)
        picture = page.render(scale=scale).to_pil()
        description = f"page {number} of {len(pdf)}"
    return _encoded(picture, f"PDF document, {description}", is_photo=False)


def look_at_picture(path: Path, number: int) -> dict[str, Any]:
    """Return a picture, or a frame of an animation or of a file with several pictures."""
    with _opened(path) as image:
        frames = _frames(image)
        if not 1 <= number <= frames:
            raise DocumentError(Code.BAD_RANGE, f"there is no frame {number}: the picture has {frames}")
        description = _described(image) + (f", frame {number} of {frames}" if frames > 1 else "")
        is_photo = image.format == "JPEG"
        image.draft("RGB", (MAX_EDGE, MAX_EDGE))  # lets JPEG decode a smaller picture
        image.seek(number - 1)
        return _encoded(ImageOps.exif_transpose(image), description, is_photo=is_photo)


def describe(path: Path) -> str:
    """Return the format, size and number of frames of a picture."""
    with _opened(path) as image:
        frames = _frames(image)
        return _described(image) + (f", {frames} frames" if frames > 1 else "")


@contextmanager
def _opened(path: Path) -> Iterator[Image.Image]:
    """Open a picture without decoding it. Raise DocumentError if it is too large or, then or later, damaged."""
    try:
        with Image.open(path, formats=_FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                problem = f"{image.width} x {image.height} pixels; at most {MAX_PIXELS:,} can be shown"
                raise DocumentError(Code.TOO_LARGE, f"the picture has {problem}")
            yield image
    except Image.DecompressionBombError as error:
        raise DocumentError(Code.TOO_LARGE, f"the picture is too large ({error})") from error
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise DocumentError(Code.DAMAGED, f"the picture is damaged ({error})") from error


def _described(image: Image.Image) -> str:
    return f"{image.format} picture, {image.width} x {image.height} pixels"


def _frames(image: Image.Image) -> int:
    return int(getattr(image, "n_frames", 1))


def _encoded(picture: Image.Image, description: str, *, is_photo: bool) -> dict[str, Any]:
    picture.thumbnail((MAX_EDGE, MAX_EDGE), reducing_gap=2.0)
    picture = _on_white(picture)
    data, mime = (b"", "") if is_photo else (_png(picture), "image/png")
    qualities = iter(_QUALITIES)
    while not data or len(data) > MAX_BYTES:
        data, mime = _jpeg(picture, next(qualities)), "image/jpeg"
    shown = f"{picture.width} x {picture.height}"
    return {"description": description, "shown": shown, "mime": mime, "data": data}


def _on_white(picture: Image.Image) -> Image.Image:
    """Return the picture in RGB. Transparent parts become white, as on a page."""
    if picture.mode.startswith("I;16") or picture.mode in {"I", "F"}:
        low, high = picture.getextrema()
        scale = 255 / ((high - low) or 1)  # type: ignore[operator]  # pictures with one channel have numbers
        return picture.convert("F").point(lambda value: (value - low) * scale).convert("L").convert("RGB")
    if picture.has_transparency_data:
        layer = picture.convert("RGBA")
        white = Image.new("RGBA", layer.size, "white")
        return Image.alpha_composite(white, layer).convert("RGB")
    return picture.convert("RGB")


def _png(picture: Image.Image) -> bytes:
    output = io.BytesIO()
    picture.save(output, "PNG")
    return output.getvalue()


def _jpeg(picture: Image.Image, quality: int) -> bytes:
    output = io.BytesIO()
    picture.save(output, "JPEG", quality=quality)
    return output.getvalue()
