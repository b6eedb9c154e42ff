"""Storage of tool calls and of the audit trail."""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.audit import AuditEntry
from satchel.domain.calls import Call, CallResult
from satchel.domain.ids import CallId, SessionId, TurnId
from satchel.ports import Page


class CallClaims(Protocol):
    """The claims of calls. Runners can write nothing else of a call."""

    def claim(self, turn_id: TurnId, call_id: CallId, runner: str) -> bool:
        """Claim a call for a runner. Return False if another runner has claimed it."""
        ...


class Calls(Protocol):
    """The tool calls of turns."""

    def add(self, calls: Sequence[Call]) -> None:
        """Add proposed calls. Existing calls do not change."""
        ...

    def get(self, turn_id: TurnId, call_id: CallId) -> Call | None:
        """Return the call, or None."""
        ...

    def list(self, turn_id: TurnId) -> Sequence[Call]:
        """Return the calls of a turn in order."""
        ...

    def mark_dispatched(self, call: Call) -> None:
        """Save the tool's arguments, server and input size. Repeated calls change nothing."""
        ...

    def save_result(self, turn_id: TurnId, call_id: CallId, result: CallResult) -> CallResult:
        """Save the result unless the call has one, and return the stored result."""
        ...


class AuditTrail(Protocol):
    """The audit entries of sessions. Entries never change, and expire after the retention time."""

    def add(self, session_id: SessionId, entry: AuditEntry) -> bool:
        """Add an entry. Return False if it exists already."""
        ...

    def list(self, session_id: SessionId, limit: int, cursor: str | None) -> Page[AuditEntry]:
        """Return entries, newest first. Raise InvalidRequest if the cursor is invalid."""
        ...
