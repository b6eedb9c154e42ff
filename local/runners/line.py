"""The line before the environments where there are as many as there may be: who comes first enters first."""

import time
from collections.abc import Callable, Collection
from itertools import takewhile
from typing import Protocol

from local.runners.context import InvocationError

_LOOK_SECONDS = 5.0  # between two looks after one invocation: hundreds may be waiting

Key = tuple[str, str]
"""Function and tenant."""


class Attendant(Protocol):
    """Looks after an invocation that waits, in the place of the environment that it does not have yet."""

    def still_wanted(self) -> bool:
        """Say that it waits; asked every few seconds. Tell whether anybody waits for its end."""
        ...

    def refused(self, reason: str) -> None:
        """Say that it waited in vain."""
        ...


class Unattended:
    """Implements ``Attendant`` for an invocation whose caller just waits."""

    def still_wanted(self) -> bool:
        """Whoever called is still there."""
        return True

    def refused(self, reason: str) -> None:
        """The caller is told by the error."""


Attend = Callable[[object], Attendant]
"""Finds the attendant of an invocation by its event."""


class GoneError(InvocationError):
    """Nobody waits for the invocation any more."""


class Waiting:
    """One invocation in line, for up to ``patience`` seconds."""

    def __init__(self, key: Key, attendant: Attendant, patience: float) -> None:
        self.key = key
        self._attendant = attendant
        self._next_look = time.monotonic()
        self._gives_up = self._next_look + patience

    @property
    def seconds_left(self) -> float:
        """Return after how many seconds there is something to ``look`` after."""
        return max(0.0, min(self._next_look, self._gives_up) - time.monotonic())

    def look(self, refusal: str) -> None:
        """Ask the attendant. Raises InvocationError: GoneError, or one with ``refusal`` when it waited too long."""
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + _LOOK_SECONDS
            if not self._attendant.still_wanted():
                raise GoneError("Gone", "Nobody waits for this invocation any more.")
        if now >= self._gives_up:
            self._attendant.refused(refusal)
            raise InvocationError("TooManyRequestsException", refusal)


class Line:
    """Those who wait, in the order in which they came. Its owner's lock guards it."""

    def __init__(self) -> None:
        self._waiting: list[Waiting] = []

    def wanted(self, there: Collection[Key]) -> int:
        """Return how many environments are waited for beside those that are there: a tenant's invocations share one."""
        return len({each.key for each in self._waiting} - set(there))

    def ahead_of(self, key: Key, one: Waiting | None) -> int:
        """Return how many other environments are to be started first; None: it does not stand in line yet."""
        before = takewhile(lambda each: each is not one, self._waiting)
        return len({each.key for each in before} - {key})

    def join(self, one: Waiting) -> None:
        """Stand behind the others."""
        self._waiting.append(one)

    def leave(self, one: Waiting) -> None:
        """Step out, from whatever place."""
        self._waiting.remove(one)
