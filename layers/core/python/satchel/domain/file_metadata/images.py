"""Read the width and height of an image in pixels from its header, without decoding the image."""

from collections.abc import Iterator
from itertools import chain

from satchel.domain.file_metadata.range_reader import RangeReader
from satchel.domain.files import FileInfo

_HEADER_BYTES = 256 << 10  # large, because a JPEG may store a preview and a color profile before its width
_FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_MARKERS_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD9)})
_MAX_SIDE = 1 << 31


def read(reader: RangeReader) -> FileInfo:
    """Return the width and height of a PNG, GIF, JPEG, WebP or BMP image. For other formats, return empty metadata."""
    head = reader.read(0, _HEADER_BYTES)
    size = next(chain(_fixed_offset_size(head), _webp_size(head), _jpeg_size(head)), None)
    if size is None or not all(0 < side < _MAX_SIDE for side in size):
        return FileInfo()
    return FileInfo(width=size[0], height=size[1])


def _number(head: bytes, offset: int, count: int, order: str = "little") -> int:
    field = head[offset : offset + count]
    if len(field) < count:
        raise IndexError(offset)
    return int.from_bytes(field, "little" if order == "little" else "big")


def _fixed_offset_size(head: bytes) -> Iterator[tuple[int, int]]:
    if head.startswith(b"\x89PNG\r\n\x1a\n") and head[12:16] == b"IHDR":
        yield _number(head, 16, 4, "big"), _number(head, 20, 4, "big")
    if head.startswith((b"GIF87a", b"GIF89a")):
        yield _number(head, 6, 2), _number(head, 8, 2)
    if head.startswith(b"BM"):
        height = _number(head, 22, 4)  # in a BMP, a negative height means that rows are stored from top to bottom
        yield _number(head, 18, 4), height if height < _MAX_SIDE else (1 << 32) - height


def _webp_size(head: bytes) -> Iterator[tuple[int, int]]:
    if not head.startswith(b"RIFF") or head[8:12] != b"WEBP":
        return
    if head[12:16] == b"VP8X":
        yield _number(head, 24, 3) + 1, _number(head, 27, 3) + 1
    if head[12:16] == b"VP8L":
        bits = _number(head, 21, 4)
        yield (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if head[12:16] == b"VP8 ":
        yield _number(head, 26, 2) & 0x3FFF, _number(head, 28, 2) & 0x3FFF


def _jpeg_size(head: bytes) -> Iterator[tuple[int, int]]:
    """Yield the width and height from a JPEG's frame header. Skip all segments before the frame header."""
    offset = 2 if head.startswith(b"\xff\xd8") else len(head)
    while offset < len(head):
        if head[offset] != 0xFF:  # noqa: PLR2004  (0xFF starts every segment)
            return
        marker = _number(head, offset + 1, 1)
        if marker in _FRAME_MARKERS:
            yield _number(head, offset + 7, 2, "big"), _number(head, offset + 5, 2, "big")
            return
        if marker == 0xFF:  # noqa: PLR2004  (a repeated 0xFF is padding)
            offset = max(offset + 1, len(head) - len(head[offset:].lstrip(b"\xff")) - 1)
        else:
            offset += 2 if marker in _MARKERS_WITHOUT_LENGTH else 2 + max(2, _number(head, offset + 2, 2, "big"))
