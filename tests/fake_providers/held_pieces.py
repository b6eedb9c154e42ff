"""The text of a fake model's answer, whose pieces wait for the test."""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import overload

_MAX_HOLD_SECONDS = 60.0


class HeldPieces(Sequence[str]):
    """Pieces of an answer. The fake provider sends one, or the end, each time the test lets it go on.

    Without this, an answer on a busy machine may end before the page shows its beginning.
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        self._pieces = pieces
        self._released = threading.Semaphore(0)

    def release(self, count: int = 1) -> None:
        """Let the provider send so many more pieces."""
        self._released.release(count)

    def release_all(self) -> None:
        """Let the provider send the rest and the end."""
        self.release(len(self) + 1)

    def __iter__(self) -> Iterator[str]:
        """Yield each piece when the test has released it, and end when it has released the end."""
        for piece in self._pieces:
            self._wait()
            yield piece
        self._wait()

    def _wait(self) -> None:
        if not self._released.acquire(timeout=_MAX_HOLD_SECONDS):
            raise TimeoutError("the test has not released the next piece in time")

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self._pieces)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        """Return a piece at once."""
        return self._pieces[index]


HoldPieces = Callable[[Sequence[str]], HeldPieces]
