"""Small picture files for tests: valid headers, and as many bytes as a test wants."""

import struct
import zlib


def png(width: int = 4, height: int = 3, size: int = 0) -> bytes:
    """Return a gray PNG picture, padded to ``size`` bytes. Pictures above 100 pixels have no rows, only the header."""
    rows = b"".join(b"\0" + b"\x80" * width for _ in range(height)) if max(width, height) <= 100 else b""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows))
    return body + bytes(max(0, size - len(body) - 12)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
