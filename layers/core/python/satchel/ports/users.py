"""Ports for users: their settings, and erasures. An erasure is the deletion of all data of a user."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from satchel.domain.ids import CallId, TokenId, TurnId, UserName
from satchel.domain.personal_tokens import PersonalToken
from satchel.domain.users import Erasure, InterruptedTurn, UserSettings

SettingsCheck = Callable[[UserSettings], None]
"""A function that raises an error if the stored settings may not be replaced."""


def accept_any(settings: UserSettings) -> None:
    """Accept any stored settings."""
    del settings


class Erasures(Protocol):
    """Stores records of erasures (deletions of all data of a user). A finished erasure stays readable for a while."""

    def begin(self, user: UserName, now: datetime) -> Erasure:
        """Start an erasure unless one is still deleting the user's data. Return the running erasure.

        From now on until ``mark_cleared``, writes of new data of this user raise ErasureRunning. A new erasure takes
        over the ``late`` turns of an unfinished earlier one.
        """
        ...

    def get(self, user: UserName) -> Erasure | None:
        """Return the user's latest erasure, or None."""
        ...

    def save_interrupted_turns(self, erasure: Erasure, turns: Sequence[InterruptedTurn]) -> None:
        """Save the turns that the erasure interrupted. Do nothing if the erasure is no longer deleting all data."""
        ...

    def mark_cleared(self, erasure: Erasure, now: datetime) -> None:
        """Record that all older data is deleted, and accept data of requests that begin from ``now`` on."""
        ...

    def reschedule(self, user: UserName, at: datetime) -> None:
        """Make the user's erasure due again at the time ``at``."""
        ...

    def finish(self, erasure: Erasure, now: datetime) -> None:
        """Mark a cleared erasure as finished. Do nothing if a newer erasure has started."""
        ...

    def list_due(self, until: datetime, limit: int) -> Sequence[UserName]:
        """Return up to ``limit`` users whose erasures are due by the time ``until``."""
        ...


class UserSettingsStore(Protocol):
    """Stores what users have set for all of their chats."""

    def get(self, user: UserName) -> UserSettings:
        """Return the user's settings, or the defaults."""
        ...

    def save(self, user: UserName, settings: UserSettings, now: datetime, check: SettingsCheck = accept_any) -> None:
        """Replace the user's settings, unless ``check`` raises an error for them.

        They do not change between the check and the change. Raise ErasureRunning if all data of the user is being
        deleted.
        """
        ...


class PersonalTokens(Protocol):
    """Stores the personal tokens of users, without their secrets."""

    def add(self, token: PersonalToken, limit: int) -> None:
        """Store a token. Raise TooManyTokens if the user has ``limit`` valid ones, or ErasureRunning."""
        ...

    def get(self, user: UserName, token_id: TokenId) -> PersonalToken | None:
        """Return a token, which may have expired, or None."""
        ...

    def replace(self, old: PersonalToken, new: PersonalToken) -> None:
        """Store ``new``, the token ``old`` with another secret. The secret of ``old`` stops working.

        Raise RequestRunning if the token was used, or if another request has changed or removed it meanwhile.
        """
        ...

    def list(self, user: UserName) -> Sequence[PersonalToken]:
        """Return the user's tokens, newest first. Some may have expired."""
        ...

    def remove(self, user: UserName, token_id: TokenId) -> None:
        """Delete a token, if it exists."""
        ...

    def mark_used(self, user: UserName, token_id: TokenId, at: datetime) -> None:
        """Store when the token was used, unless it was deleted meanwhile."""
        ...


class UserPurger(Protocol):
    """Deletes the records of a user in small steps. Yields the number of items that each step deleted.

    Each step updates the erasure's counts. A step does nothing if another process has already completed the erasure.
    """

    def erase(self, erasure: Erasure) -> Iterator[int]:
        """Delete all records of the user.

        Dependent records are deleted first, so that an interrupted erasure can be repeated without gaps or double
        counts.
        """
        ...

    def erase_late_writes(self, erasure: Erasure) -> Iterator[int]:
        """Delete the records that the ``late`` turns of a cleared erasure have stored since, except their files."""
        ...

    def list_call_ids(self, turn_id: TurnId) -> Sequence[CallId]:
        """Return the ids of a turn's tool calls."""
        ...


class ErasureStarter(Protocol):
    """Starts an erasure in the background."""

    def start(self, user: UserName) -> None:
        """Start the user's erasure. Errors are ignored, because a periodic job starts due erasures again."""
        ...
