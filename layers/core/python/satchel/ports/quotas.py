"""Counts of what a user has in use, for the user's quotas."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from satchel.domain.ids import CallId, UserName
from satchel.domain.quotas import UserActivity


class QuotaCounts(Protocol):
    """Reads the counts that ``Sessions``, ``Turns``, ``Uploads`` and ``Steps`` update."""

    def read(self, user: UserName, now: datetime) -> UserActivity:
        """Return what the user has in use."""
        ...

    def end_calls(self, user: UserName, call_ids: Collection[CallId]) -> None:
        """Stop counting these tool calls. Calls that are not counted are ignored."""
        ...
