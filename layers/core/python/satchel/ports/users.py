"""Ports for erasures. An erasure is the deletion of all data of a user."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from satchel.domain.ids import UserName
from satchel.domain.users import Erasure, InterruptedTurn


class Erasures(Protocol):
    """Stores records of erasures (deletions of all data of a user). A finished erasure stays readable for a while."""

    def begin(self, user: UserName, now: datetime) -> Erasure:
        """Return the user's unfinished erasure, or a new one if there is none."""
        ...

    def get(self, user: UserName) -> Erasure | None:
        """Return the user's latest erasure, or None."""
        ...

    def save_interrupted_turns(self, user: UserName, turns: Sequence[InterruptedTurn]) -> None:
        """Save the turns that the erasure interrupted."""
        ...

    def reschedule(self, user: UserName, at: datetime) -> None:
        """Make the user's erasure due again at the time ``at``."""
        ...

    def finish(self, user: UserName, now: datetime) -> None:
        """Mark the erasure as finished."""
        ...

    def list_due(self, until: datetime, limit: int) -> Sequence[UserName]:
        """Return up to ``limit`` users whose erasures are due by the time ``until``."""
        ...


class UserPurger(Protocol):
    """Deletes the records of a user."""

    def erase(self, user: UserName, interrupted: Sequence[InterruptedTurn]) -> Iterator[int]:
        """Delete the user's records in small steps. Yield the number of items that each step deleted.

        Each step updates the erasure's counts. Dependent records are deleted first, so that an interrupted erasure can
        be repeated without gaps or double counts.
        """
        ...


class ErasureStarter(Protocol):
    """Starts an erasure in the background."""

    def start(self, user: UserName) -> None:
        """Start the user's erasure. Errors are ignored, because a periodic job starts due erasures again."""
        ...
