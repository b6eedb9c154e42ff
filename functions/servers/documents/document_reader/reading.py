"""Read a part of a document that fits into one answer, and say where the rest continues."""

import codecs
from dataclasses import dataclass
from pathlib import Path

from .document import Document
from .errors import Code, DocumentError
from .range import Range
from .utf8 import detect_encoding

MAX_CHARS = 16_000
"""Maximum characters of one answer. Satchel cuts results at 24,000 characters."""

_MAX_BYTES_SHOWN = 4_096  # as hexadecimal numbers, each byte takes about four characters
_DUMP_WIDTH = 16
_ENCODINGS_WITHOUT_MARK = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_BIG_ENDIAN = {"utf-16": codecs.BOM_UTF16_BE, "utf-32": codecs.BOM_UTF32_BE}


@dataclass(frozen=True)
class Part:
    """The text of the units ``first`` to ``last``. The rest begins at unit ``next``, after ``offset`` characters.

    ``next`` is None at the end of the document.
    """

    text: str
    first: int
    last: int
    next: int | None
    offset: int


def read_part(document: Document, requested: Range, offset: int = 0, max_chars: int = MAX_CHARS) -> Part:
    """Return the beginning of a range of a document that fits into an answer. Skip ``offset`` characters.

    A unit is divided only if it alone is too long. Raise DocumentError if the document has no such unit.
    """
    texts: list[str] = []
    room = max_chars
    number = requested.first - 1
    for number, text in enumerate(document.texts(requested.first), start=requested.first):
        if requested.last is not None and number > requested.last:
            return Part("".join(texts), requested.first, requested.last, number, 0)
        skipped = offset if number == requested.first else 0
        if len(text) - skipped > room:
            if texts:
                return Part("".join(texts), requested.first, number - 1, number, 0)
            cut = text[skipped : skipped + room]
            return Part(cut, number, number, number, skipped + room)
        texts.append(text[skipped:])
        room -= len(text) - skipped
    if not texts:
        raise _out_of_range(document, requested)
    return Part("".join(texts), requested.first, number, None, 0)


def _out_of_range(document: Document, requested: Range) -> DocumentError:
    has = "it is empty" if not document.count else f"it has {document.count:,} {document.unit}s"
    if document.count is None:
        has = f"it has fewer {document.unit}s"
    return DocumentError(Code.BAD_RANGE, f"the document has no {document.unit} {requested.first:,}: {has}")


@dataclass(frozen=True)
class ByteRange:
    """The text of the bytes ``first`` to ``last``. The rest begins at the byte ``next``, which is None at the end."""

    text: str
    first: int
    last: int
    next: int | None
    encoding: str | None


def read_bytes(path: Path, requested: Range, max_chars: int = MAX_CHARS) -> ByteRange:
    """Return a range of bytes as text, or as hexadecimal numbers if the file is not a text.

    A character whose bytes are cut at the end belongs to the next range.
    """
    size = path.stat().st_size
    if requested.first >= size:
        raise DocumentError(Code.BAD_RANGE, f"the file has no byte {requested.first:,}: it has {size:,} bytes")
    encoding = detect_encoding(path)
    most = max_chars if encoding else min(max_chars, _MAX_BYTES_SHOWN)
    end = min(size, requested.first + most, size if requested.last is None else requested.last + 1)
    with path.open("rb") as file:
        mark = file.read(4)
        file.seek(requested.first)
        data = file.read(end - requested.first)
    if encoding is None:
        return ByteRange(_dump(data, requested.first), requested.first, end - 1, end if end < size else None, None)
    if encoding in _BIG_ENDIAN and mark.startswith(_BIG_ENDIAN[encoding]):
        decoder = codecs.getincrementaldecoder(f"{encoding}-be")("replace")
    else:
        decoder = codecs.getincrementaldecoder(_ENCODINGS_WITHOUT_MARK.get(encoding, encoding))("replace")
    text = decoder.decode(data, final=end == size)
    cut = len(decoder.getstate()[0])
    if cut == len(data):
        text, cut = data.decode("latin-1"), 0  # less than one character: show the bytes, so that reading continues
    end -= cut
    return ByteRange(text, requested.first, end - 1, end if end < size else None, encoding)


def _dump(data: bytes, start: int) -> str:
    lines = []
    for offset in range(0, len(data), _DUMP_WIDTH):
        row = data[offset : offset + _DUMP_WIDTH]
        shown = "".join(chr(byte) if chr(byte).isascii() and chr(byte).isprintable() else "." for byte in row)
        lines.append(f"{start + offset:08x}  {row.hex(' '):<{3 * _DUMP_WIDTH}} {shown}\n")
    return "".join(lines)
