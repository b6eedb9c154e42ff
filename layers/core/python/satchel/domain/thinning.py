"""Progress is for people: about four a second are enough, but never without the last one."""

import math
from typing import Generic, TypeVar

T = TypeVar("T")

SECONDS_BETWEEN = 0.25


class Thinner(Generic[T]):
    """Lets an item pass when enough time went by, else holds the newest until it is asked for."""

    def __init__(self, seconds: float = SECONDS_BETWEEN) -> None:
        self._seconds = seconds
        self._passed: float | None = None
        self._held: T | None = None

    def offer(self, item: T, now: float) -> T | None:
        """Return the item if it may pass now, None if it is held."""
        if self._passed is not None and now - self._passed < self._seconds:
            self._held = item
            return None
        self._passed, self._held = now, None
        return item

    @property
    def due_at(self) -> float:
        """Return when what is held may pass; never, where nothing is held."""
        return math.inf if self._held is None or self._passed is None else self._passed + self._seconds

    def rest(self, now: float) -> T | None:
        """Return what is held, if anything, and hold it no longer: it has passed now."""
        item, self._held = self._held, None
        if item is not None:
            self._passed = now
        return item
