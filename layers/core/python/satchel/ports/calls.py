"""Storage of tool calls and of the audit trail."""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.audit import AuditEntry
from satchel.domain.calls import Call, CallResult
from satchel.domain.ids import CallId, SessionId, TurnId
from satchel.ports import Page


class CallClaims(Protocol):
    """Stores which runner executes a tool call. This port is the only access of runners to the records of calls."""

    def claim(self, turn_id: TurnId, call_id: CallId, runner: str) -> bool:
        """Claim a call for a runner. Return False if another runner has claimed it."""
        ...


class Calls(Protocol):
    """Stores the tool calls of turns."""

    def add(self, calls: Sequence[Call]) -> None:
        """Add calls that the model proposed. Existing calls do not change."""
        ...

    def get(self, turn_id: TurnId, call_id: CallId) -> Call | None:
        """Return the call, or None."""
        ...

    def list(self, turn_id: TurnId) -> Sequence[Call]:
        """Return the tool calls of a turn in the order in which the model proposed them."""
        ...

    def mark_dispatched(self, call: Call) -> None:
        """Save the arguments, server and input size that were sent to the tool, unless they are already stored."""
        ...

    def save_result(self, turn_id: TurnId, call_id: CallId, result: CallResult) -> CallResult:
        """Save the result unless the call already has a result. Return the stored result."""
        ...


class AuditTrail(Protocol):
    """Stores the audit entries of sessions. Entries never change, and expire after the retention time."""

    def add(self, session_id: SessionId, entry: AuditEntry) -> bool:
        """Add an entry. Return False if it exists already."""
        ...

    def list(self, session_id: SessionId, limit: int, cursor: str | None) -> Page[AuditEntry]:
        """Return the session's audit entries, newest first. Raise InvalidRequest if the cursor is invalid."""
        ...
