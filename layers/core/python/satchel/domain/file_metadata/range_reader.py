"""Read a limited number of bytes from a file in S3 or in memory."""

from collections.abc import Callable
from dataclasses import dataclass, field

HEAD_BYTES = 1 << 20
"""Number of bytes at the beginning of a file that are read. Counts of a larger file are extrapolated from them."""

MAX_FETCHED_BYTES = 4 << 20
"""Maximum number of bytes to fetch from one file, in all reads together."""

MAX_UNPACKED_BYTES = 4 << 20
"""Maximum number of bytes to decompress from one file."""


class ReadLimitExceeded(ValueError):
    """Reading more of the file would exceed ``MAX_FETCHED_BYTES`` or another limit."""


@dataclass
class RangeReader:
    """Reads byte ranges of a file, at most ``MAX_FETCHED_BYTES`` in total. ``fetch(first, last)`` includes ``last``."""

    size: int
    fetch: Callable[[int, int], bytes]
    remaining: int = field(default=MAX_FETCHED_BYTES, init=False)

    def read(self, offset: int, count: int) -> bytes:
        """Return up to ``count`` bytes from ``offset``. Raise ReadLimitExceeded if the total exceeds the limit."""
        last = min(offset + count, self.size) - 1
        if offset < 0 or last < offset:
            return b""
        if last - offset >= self.remaining:
            raise ReadLimitExceeded
        self.remaining -= last - offset + 1
        return self.fetch(offset, last)
