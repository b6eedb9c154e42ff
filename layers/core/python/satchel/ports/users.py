"""The erasure of all data of a user."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from satchel.domain.ids import UserName
from satchel.domain.users import Erasure, InterruptedTurn


class Erasures(Protocol):
    """Records of erasures. A finished erasure stays readable for a while."""

    def begin(self, user: UserName, now: datetime) -> Erasure:
        """Return the user's unfinished erasure, or start a new one."""
        ...

    def get(self, user: UserName) -> Erasure | None:
        """Return the user's latest erasure, or None."""
        ...

    def save_interrupted_turns(self, user: UserName, turns: Sequence[InterruptedTurn]) -> None:
        """Save the turns that the erasure interrupted."""
        ...

    def reschedule(self, user: UserName, at: datetime) -> None:
        """Make the erasure due again at this time."""
        ...

    def finish(self, user: UserName, now: datetime) -> None:
        """Mark the erasure as finished."""
        ...

    def list_due(self, until: datetime, limit: int) -> Sequence[UserName]:
        """Return the users whose erasures are due at this time."""
        ...


class UserPurger(Protocol):
    """Deletes the records of a user."""

    def erase(self, user: UserName, interrupted: Sequence[InterruptedTurn]) -> Iterator[int]:
        """Delete the user's records in limited steps, and yield the number of items of each step.

        Each step updates the erasure's counts. Dependent records are deleted first, so that a broken-off erasure can be
        repeated without gaps or double counts.
        """
        ...


class ErasureStarter(Protocol):
    """Starts an erasure in the background."""

    def start(self, user: UserName) -> None:
        """Start the erasure. Errors are ignored, because the sweep repeats it."""
        ...
