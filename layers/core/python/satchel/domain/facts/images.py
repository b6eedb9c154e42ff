"""Width and height of a picture in pixels, out of its header; the picture itself is never decoded."""

from collections.abc import Iterator
from itertools import chain

from satchel.domain.facts.peek import Peek
from satchel.domain.files import FileInfo

_HEADER = 256 << 10  # before its size a JPEG may carry a preview and a colour profile
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
_MOST = 1 << 31


def read(peek: Peek) -> FileInfo:
    """Return width and height of PNG, GIF, JPEG, WebP and BMP; nothing of others."""
    head = peek.at(0, _HEADER)
    found = next(chain(_fixed(head), _webp(head), _jpeg(head)), None)
    if found is None or not all(0 < side < _MOST for side in found):
        return FileInfo()
    return FileInfo(width=found[0], height=found[1])


def _number(head: bytes, at: int, count: int, order: str = "little") -> int:
    part = head[at : at + count]
    if len(part) < count:
        raise IndexError(at)
    return int.from_bytes(part, "little" if order == "little" else "big")


def _fixed(head: bytes) -> Iterator[tuple[int, int]]:
    if head.startswith(b"\x89PNG\r\n\x1a\n") and head[12:16] == b"IHDR":
        yield _number(head, 16, 4, "big"), _number(head, 20, 4, "big")
    if head.startswith((b"GIF87a", b"GIF89a")):
        yield _number(head, 6, 2), _number(head, 8, 2)
    if head.startswith(b"BM"):
        height = _number(head, 22, 4)  # a negative one means that the first line is the topmost
        yield _number(head, 18, 4), height if height < _MOST else (1 << 32) - height


def _webp(head: bytes) -> Iterator[tuple[int, int]]:
    if not head.startswith(b"RIFF") or head[8:12] != b"WEBP":
        return
    if head[12:16] == b"VP8X":
        yield _number(head, 24, 3) + 1, _number(head, 27, 3) + 1
    if head[12:16] == b"VP8L":
        bits = _number(head, 21, 4)
        yield (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if head[12:16] == b"VP8 ":
        yield _number(head, 26, 2) & 0x3FFF, _number(head, 28, 2) & 0x3FFF


def _jpeg(head: bytes) -> Iterator[tuple[int, int]]:
    """Go from segment to segment up to the frame."""
    at = 2 if head.startswith(b"\xff\xd8") else len(head)
    while at < len(head):
        if head[at] != 0xFF:  # noqa: PLR2004  (every segment begins so)
            return
        marker = _number(head, at + 1, 1)
        if marker in _FRAMES:
            yield _number(head, at + 7, 2, "big"), _number(head, at + 5, 2, "big")
            return
        if marker == 0xFF:  # noqa: PLR2004  (fill)
            at = max(at + 1, len(head) - len(head[at:].lstrip(b"\xff")) - 1)
        else:
            at += 2 if marker in _ALONE else 2 + max(2, _number(head, at + 2, 2, "big"))
