"""Read the number of pages of a PDF from the root of its page tree, searched in the first and last megabyte.

A linearized file has the number in its first bytes. In other files, the root is a separate object or part of a
compressed object stream. An edited file keeps its old objects, so use the last root. pypdf would find the root in more
files, but follows every reference and decodes every stream, which can take minutes for a hostile file.
"""

import re
import zlib
from collections.abc import Iterator

from satchel.domain.file_metadata.range_reader import HEAD_BYTES, MAX_UNPACKED_BYTES, RangeReader
from satchel.domain.files import FileInfo

_LINEARIZED = re.compile(rb"/N\s+(\d{1,7})\b")
_PAGES = re.compile(rb"/Type\s*/Pages\b")
_COUNT = re.compile(rb"/Count\s+(\d{1,7})\b")
_FIRST = re.compile(rb"/First\s+(\d{1,7})\b")
_PREAMBLE_BYTES = 1024
_MAX_OBJECTS = 10_000


def read(reader: RangeReader) -> FileInfo:
    """Return the number of pages, or empty metadata if the page tree's root is not found."""
    head = reader.read(0, HEAD_BYTES)
    if b"%PDF-" not in head[:_PREAMBLE_BYTES]:
        raise ValueError("the file does not start like a PDF")
    if b"/Linearized" in head[:_PREAMBLE_BYTES] and (match := _LINEARIZED.search(head[:_PREAMBLE_BYTES])):
        return FileInfo(pages=int(match[1]))
    tail_start = max(len(head), reader.size - HEAD_BYTES)
    counts = [*_page_counts(head), *_page_counts(reader.read(tail_start, reader.size - tail_start))]
    return FileInfo(pages=counts[-1]) if counts else FileInfo()


def _page_counts(window: bytes) -> Iterator[int]:
    """Yield the page count from each root of a page tree in these bytes."""
    remaining = MAX_UNPACKED_BYTES
    for piece in window.split(b"endobj"):
        _, _, body = piece.rpartition(b" obj")
        dictionary, _, stream = body.partition(b"stream")
        if b"/ObjStm" in dictionary and remaining > 0:
            unpacked = (
                zlib.decompressobj().decompress(stream.lstrip(b"\r\n"), remaining) if _is_flate(dictionary) else b""
            )
            remaining -= len(unpacked)
            for inner in _split_objects(dictionary, unpacked):
                yield from _root_count(inner)
        else:
            yield from _root_count(dictionary)


def _root_count(dictionary: bytes) -> Iterator[int]:
    if _PAGES.search(dictionary) and b"/Parent" not in dictionary and (count := _COUNT.search(dictionary)):
        yield int(count[1])


def _is_flate(dictionary: bytes) -> bool:
    return b"/FlateDecode" in dictionary and b"/DecodeParms" not in dictionary


def _split_objects(dictionary: bytes, unpacked: bytes) -> Iterator[bytes]:
    """Split an unpacked object stream into objects. It starts with the objects' numbers and offsets from ``/First``."""
    match = _FIRST.search(dictionary)
    if match is None:
        return
    first = int(match[1])
    values = unpacked[:first].split()[1 : 2 * _MAX_OBJECTS : 2]
    # Use a set, because a repeated offset would yield an empty object.
    offsets = sorted({first + int(offset) for offset in values if offset.isdigit()})
    for begin, end in zip(offsets, [*offsets[1:], len(unpacked)], strict=True):
        yield unpacked[begin:end]
