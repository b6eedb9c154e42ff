"""Detect the encoding of a text and read it as lines of UTF-8, with bounded memory."""

import codecs
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from charset_normalizer import from_bytes

LINE_BYTES = 1 << 16
"""A longer line counts as several lines, because a file can be one line of any length."""

_BLOCK = 1 << 20
_SAMPLE_BYTES = 4 << 20
_WINDOW = 1 << 15
_BINARY_SHARE = 0.02  # with a larger share of control characters, a file is not a text

_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark is a prefix of this one
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}
_CONTROLS = bytes({*range(32), 127} - {*b"\t\n\r\f\x1b"})
_CONTINUATIONS = bytes(range(0b10000000, 0b11000000))  # UTF-8: all bytes of a character but its first
_NOT_ASCII = re.compile(rb"[\x80-\xff]")


def detect_encoding(path: Path) -> str | None:
    """Return the encoding of a text file, judged by its first 4 MiB, or None if it is not a text."""
    with path.open("rb") as file:
        sample = file.read(_SAMPLE_BYTES)
    for mark, encoding in _MARKS.items():
        if sample.startswith(mark):
            return encoding
    if wide := _utf16_without_mark(sample):
        return wide
    if _has_controls(sample):
        return None
    if _is_utf8(sample, is_complete=len(sample) < _SAMPLE_BYTES):
        return "utf-8"
    return _guess(sample)


def _has_controls(sample: bytes) -> bool:
    return len(sample) - len(sample.translate(None, _CONTROLS)) > _BINARY_SHARE * len(sample)


def _is_utf8(sample: bytes, *, is_complete: bool) -> bool:
    """Return True if the bytes are UTF-8. The last character of an incomplete sample may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=is_complete)
    except UnicodeDecodeError:
        return False
    return True


def _guess(sample: bytes) -> str:
    """Return the encoding of a text that is neither ASCII nor UTF-8. Without evidence it is the Western one."""
    match = _NOT_ASCII.search(sample)
    start = max(0, match.start() - _WINDOW // 2) if match else 0
    window = sample[start : start + _WINDOW]
    best = from_bytes(window).best()
    if best is None or (best.coherence == 0 and _is_western(window)):
        return "cp1252"
    return best.encoding


def _is_western(window: bytes) -> bool:
    try:
        window.decode("cp1252")
    except UnicodeDecodeError:  # five bytes have no meaning
        return False
    return True


def _utf16_without_mark(sample: bytes) -> str | None:
    """Return UTF-16 if every second byte of a sample is zero often enough, as in Latin texts."""
    half = len(sample) // 2
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        high, low = sample[start::2], sample[1 - start :: 2]
        if half and high.count(0) > half * 0.4 and not _has_controls(low):
            return encoding
    return None


class Utf8Text:
    """A text file. Whatever its encoding is, it is read as UTF-8."""

    def __init__(self, path: Path, encoding: str) -> None:
        self.path = path
        self.encoding = encoding
        self.size = path.stat().st_size

    def lines(self, first: int = 1) -> Iterator[str]:
        """Yield the lines from line ``first`` on, each with a plain line end."""
        skipped = first - 1
        for block in self.blocks():
            if skipped and (count := count_lines(block)) <= skipped:
                skipped -= count
                continue
            for line in split_lines(block):
                if skipped:
                    skipped -= 1
                else:
                    yield decode_line(line)

    def blocks(self) -> Iterator[bytes]:
        """Yield the text in blocks of about a megabyte, each of which ends with a line."""
        rest = b""
        with self._open() as file:
            while chunk := file.read(_BLOCK):
                block = rest + chunk
                end = block.rfind(b"\n") + 1
                while len(block) - end > LINE_BYTES + 3:
                    end = _cut(block, end)
                rest = block[end:]
                if end:
                    yield block[:end]
        if rest:
            yield rest

    def _open(self) -> BinaryIO:
        file = self.path.open("rb")
        if self.encoding == "utf-8":
            return file
        if self.encoding == "utf-8-sig":
            file.seek(len(codecs.BOM_UTF8))
            return file
        return io.BufferedReader(_Transcoded(file, self.encoding), _BLOCK)


def split_lines(block: bytes) -> Iterator[bytes]:
    """Yield the lines of a block with their ends."""
    position = 0
    while position < len(block):
        end = block.find(b"\n", position, position + LINE_BYTES) + 1 or _cut(block, position)
        yield block[position:end]
        position = end


def count_lines(block: bytes) -> int:
    """Return the number of lines that ``split_lines`` yields, but faster."""
    count = position = 0
    while position < len(block):
        end = block.rfind(b"\n", position, position + LINE_BYTES) + 1
        count += block.count(b"\n", position, end) if end else 1
        position = end or _cut(block, position)
    return count


def decode_line(line: bytes) -> str:
    """Return a line as text with a plain line end."""
    text = line.decode("utf-8", "replace")
    return text[:-2] + "\n" if text.endswith("\r\n") else text


def _cut(block: bytes, start: int) -> int:
    """Return the end of a part of a long line. It never splits a character."""
    end = min(start + LINE_BYTES, len(block))
    while end < min(start + LINE_BYTES + 3, len(block)) and block[end] in _CONTINUATIONS:
        end += 1
    return end


class _Transcoded(io.RawIOBase):
    """A stream of UTF-8 that decodes another encoding."""

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # BufferedReader passes a memoryview
        while not self._rest:
            chunk = self._file.read(_BLOCK)
            text = self._decoder.decode(chunk, final=not chunk)
            self._rest = memoryview(text.encode("utf-8", "replace"))
            if not chunk and not self._rest:
                return 0
        taken = self._rest[: len(buffer)]
        buffer[: len(taken)] = taken
        self._rest = self._rest[len(taken) :]
        return len(taken)

    def close(self) -> None:
        self._file.close()
        super().close()
