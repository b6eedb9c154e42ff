"""Deleting everything of a person."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from satchel.domain.ids import UserName
from satchel.domain.users import Erasure, InterruptedTurn


class Erasures(Protocol):
    """Which erasures there are: they stay until they are finished, and are told of for a while after that."""

    def begin(self, user: UserName, now: datetime) -> Erasure:
        """Write a new one; or return the one that is not finished."""
        ...

    def get(self, user: UserName) -> Erasure | None:
        """Return the last one of this person."""
        ...

    def save_interrupted_turns(self, user: UserName, late: Sequence[InterruptedTurn]) -> None:
        """Write which turns were running."""
        ...

    def reschedule(self, user: UserName, at: datetime) -> None:
        """Say when it is due next."""
        ...

    def finish(self, user: UserName, now: datetime) -> None:
        """Write that nothing is left."""
        ...

    def list_due(self, until: datetime, limit: int) -> Sequence[UserName]:
        """Return whose erasures were to be looked at by then."""
        ...


class UserPurger(Protocol):
    """All records of a person."""

    def erase(self, user: UserName, late: Sequence[InterruptedTurn]) -> Iterator[int]:
        """Delete them step by step, each step bounded and counted in the erasure; give how many items each took.

        What hangs on a record goes before it: broken off and begun again, it forgets nothing and counts nothing twice.
        """
        ...


class ErasureStarter(Protocol):
    """Goes on with an erasure elsewhere: nobody waits for it."""

    def start(self, user: UserName) -> None:
        """Begin, or leave it to the sweep where that is not possible."""
        ...
