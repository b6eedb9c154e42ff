"""A look at a few bytes of a file, wherever it lies."""

from collections.abc import Callable
from dataclasses import dataclass, field

HEAD = 1 << 20
"""How much is read of a file whose beginning tells how the rest will be (bytes)."""

MOST_FETCHED = 4 << 20
"""How much is fetched of one file at all (bytes)."""

MOST_UNPACKED = 4 << 20
"""How much of what is packed in a file is unpacked (bytes)."""


class TooMuch(ValueError):
    """The file would have more of it read than is good."""


@dataclass
class Peek:
    """``size`` in bytes; ``fetch`` returns the bytes from the first to the last, both included."""

    size: int
    fetch: Callable[[int, int], bytes]
    left: int = field(default=MOST_FETCHED, init=False)

    def at(self, first: int, count: int) -> bytes:
        """Return up to ``count`` bytes from ``first`` on. Raises TooMuch before anything is fetched for it."""
        last = min(first + count, self.size) - 1
        if first < 0 or last < first:
            return b""
        if last - first >= self.left:
            raise TooMuch
        self.left -= last - first + 1
        return self.fetch(first, last)
