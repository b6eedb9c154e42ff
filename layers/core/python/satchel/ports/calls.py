"""TODO.

What is written down of calls and downloads.
"""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.audit import AuditEntry
from satchel.domain.calls import Call, CallResult
from satchel.domain.ids import CallId, SessionId, TurnId
from satchel.ports import Page


class CallClaims(Protocol):
    """The one thing about calls that a runner may write."""

    def claim(self, turn_id: TurnId, call_id: CallId, runner: str) -> bool:
        """Take a call for one runner; False for everyone but the first."""
        ...


class Calls(Protocol):
    """Tool calls of a turn."""

    def add(self, calls: Sequence[Call]) -> None:
        """Write proposed calls; those that are there stay as they are."""
        ...

    def get(self, turn_id: TurnId, call_id: CallId) -> Call | None:
        """Return a call."""
        ...

    def list(self, turn_id: TurnId) -> Sequence[Call]:
        """Return the calls of a turn in order."""
        ...

    def mark_dispatched(self, call: Call) -> None:
        """Note what the tool is given."""
        ...

    def save_result(self, turn_id: TurnId, call_id: CallId, result: CallResult) -> CallResult:
        """Write what the call came to; the first one stands and is returned."""
        ...


class AuditTrail(Protocol):
    """Entries of a session; they are kept for a while and never changed."""

    def add(self, session_id: SessionId, entry: AuditEntry) -> bool:
        """Write an entry; False where it was written before."""
        ...

    def list(self, session_id: SessionId, limit: int, cursor: str | None) -> Page[AuditEntry]:
        """Return entries, newest first. Raises InvalidRequest for a cursor that is none."""
        ...
