"""Pages of a PDF: what the root of its page tree counts, found in its first and last megabyte.

A linearised file says the number in its beginning. Else the root is an object of its own, or packed with others into a
stream; the latest is meant, since a changed file keeps what it was before. pypdf would find it in more files, but
follows a file wherever it leads and decodes what it finds there, minutes long if the file is made for it.
"""

import re
import zlib
from collections.abc import Iterator

from satchel.domain.facts.peek import HEAD, MOST_UNPACKED, Peek
from satchel.domain.files import FileInfo

_LINEARISED = re.compile(rb"/N\s+(\d{1,7})\b")
_PAGES = re.compile(rb"/Type\s*/Pages\b")
_COUNT = re.compile(rb"/Count\s+(\d{1,7})\b")
_FIRST = re.compile(rb"/First\s+(\d{1,7})\b")
_BEGINNING = 1024
_MOST_OBJECTS = 10_000


def read(peek: Peek) -> FileInfo:
    """Return the pages; nothing where the root is not found."""
    head = peek.at(0, HEAD)
    if b"%PDF-" not in head[:_BEGINNING]:
        raise ValueError("it does not begin as a PDF")
    if b"/Linearized" in head[:_BEGINNING] and (told := _LINEARISED.search(head[:_BEGINNING])):
        return FileInfo(pages=int(told[1]))
    rest = max(len(head), peek.size - HEAD)
    roots = [*_roots(head), *_roots(peek.at(rest, peek.size - rest))]
    return FileInfo(pages=roots[-1]) if roots else FileInfo()


def _roots(window: bytes) -> Iterator[int]:
    """Give what each root of a page tree in these bytes counts."""
    left = MOST_UNPACKED
    for piece in window.split(b"endobj"):
        _, _, said = piece.rpartition(b" obj")
        dictionary, _, stream = said.partition(b"stream")
        if b"/ObjStm" in dictionary and left > 0:
            unpacked = zlib.decompressobj().decompress(stream.lstrip(b"\r\n"), left) if _flate(dictionary) else b""
            left -= len(unpacked)
            for packed in _packed(dictionary, unpacked):
                yield from _root(packed)
        else:
            yield from _root(dictionary)


def _root(said: bytes) -> Iterator[int]:
    if _PAGES.search(said) and b"/Parent" not in said and (count := _COUNT.search(said)):
        yield int(count[1])


def _flate(dictionary: bytes) -> bool:
    return b"/FlateDecode" in dictionary and b"/DecodeParms" not in dictionary


def _packed(dictionary: bytes, unpacked: bytes) -> Iterator[bytes]:
    """Give the objects of a stream: it begins with pairs of an object's number and its place behind ``/First``."""
    told = _FIRST.search(dictionary)
    if told is None:
        return
    first = int(told[1])
    numbers = unpacked[:first].split()[1 : 2 * _MOST_OBJECTS : 2]
    places = sorted({first + int(place) for place in numbers if place.isdigit()})  # no byte belongs to two of them
    for begin, end in zip(places, [*places[1:], len(unpacked)], strict=True):
        yield unpacked[begin:end]
