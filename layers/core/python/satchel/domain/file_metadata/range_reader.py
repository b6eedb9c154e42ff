"""Read a limited number of bytes of a file in S3 or in memory."""

from collections.abc import Callable
from dataclasses import dataclass, field

HEAD_BYTES = 1 << 20
"""Bytes read from the beginning of a file to estimate the counts of the whole file."""

MAX_FETCHED_BYTES = 4 << 20
"""Maximum number of bytes fetched of one file."""

MAX_UNPACKED_BYTES = 4 << 20
"""Maximum number of bytes decompressed of one file."""


class ReadLimitExceeded(ValueError):
    """Reading the file would exceed a limit."""


@dataclass
class RangeReader:
    """Reads byte ranges of a file, ``MAX_FETCHED_BYTES`` in total.

    ``size`` is in bytes. ``fetch`` returns the bytes from the first to the last position, both included.
    """

    size: int
    fetch: Callable[[int, int], bytes]
    remaining: int = field(default=MAX_FETCHED_BYTES, init=False)

    def read(self, offset: int, count: int) -> bytes:
        """Return up to ``count`` bytes from ``offset``. Raises ReadLimitExceeded before it fetches too much."""
        last = min(offset + count, self.size) - 1
        if offset < 0 or last < offset:
            return b""
        if last - offset >= self.remaining:
            raise ReadLimitExceeded
        self.remaining -= last - offset + 1
        return self.fetch(offset, last)
