"""Counts of what a user has in use, for the user's quotas."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from satchel.domain.ids import CallId, UserName
from satchel.domain.quotas import UserActivity


class QuotaCounts(Protocol):
    """Counts a user's running tool calls, and reads the counts that ``Sessions``, ``Turns`` and ``Uploads`` update."""

    def read(self, user: UserName, now: datetime) -> UserActivity:
        """Return what the user has in use."""
        ...

    def start_call(self, user: UserName, call_id: CallId, limit: int, now: datetime) -> bool:
        """Count a tool call as running. Return False if ``limit`` calls of the user are running. Safe to repeat."""
        ...

    def end_calls(self, user: UserName, call_ids: Collection[CallId]) -> None:
        """Stop counting these tool calls. Calls that are not counted are ignored."""
        ...
