"""Tool calls in memory.

The audit trail in memory.
"""

from collections.abc import Sequence

from pydantic import TypeAdapter

from satchel.domain.audit import AuditEntry
from satchel.domain.calls import Call, CallResult
from satchel.domain.ids import CallId, SessionId, TurnId
from satchel.ports import Page
from tests.fakes.pages import page_of

_SENT = {"injected", "unresolved", "server", "bytes_in"}


class FakeCalls:
    """Implements ``ports.catalog.Calls`` and ``CallClaims``: of all that is written, the first stands."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Call] = {}
        self._sent: set[str] = set()
        self.claimed_by: dict[tuple[str, str], str] = {}

    def add(self, calls: Sequence[Call]) -> None:
        for call in calls:
            self._kept.setdefault((call.turn_id, call.call_id), call.model_copy(deep=True))

    def get(self, turn_id: TurnId, call_id: CallId) -> Call | None:
        call = self._kept.get((turn_id, call_id))
        return call.model_copy(deep=True) if call else None

    def list(self, turn_id: TurnId) -> Sequence[Call]:
        kept = [call.model_copy(deep=True) for (turn, _), call in self._kept.items() if turn == turn_id]
        return sorted(kept, key=lambda call: (call.round, call.index))

    def mark_dispatched(self, call: Call) -> None:
        kept = self._kept[call.turn_id, call.call_id]
        if call.call_id not in self._sent:
            self._sent.add(call.call_id)
            self._change(kept, {name: getattr(call, name) for name in _SENT})

    def claim(self, turn_id: TurnId, call_id: CallId, runner: str) -> bool:
        return self.claimed_by.setdefault((turn_id, call_id), runner) == runner

    def save_result(self, turn_id: TurnId, call_id: CallId, result: CallResult) -> CallResult:
        kept = self._kept[turn_id, call_id]
        if kept.result is None:
            self._change(kept, {"result": result})
        return self._kept[turn_id, call_id].result or result

    def _change(self, call: Call, update: dict[str, object]) -> None:
        """By way of JSON, as the table does: what does not survive that is noticed."""
        changed = call.model_copy(update=update).model_dump_json()
        self._kept[call.turn_id, call.call_id] = Call.model_validate_json(changed)


_ENTRY: TypeAdapter[AuditEntry] = TypeAdapter(AuditEntry)


class FakeAuditTrail:
    """Implements ``ports.audit.AuditTrail``; keeps JSON, as the table does."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], str] = {}

    def add(self, session_id: SessionId, entry: AuditEntry) -> bool:
        if (session_id, entry.audit_id) in self._kept:
            return False
        self._kept[session_id, entry.audit_id] = entry.model_dump_json()
        return True

    def list(self, session_id: SessionId, limit: int, cursor: str | None) -> Page[AuditEntry]:
        return page_of([(entry.audit_id, entry) for entry in self.entries_of(session_id)[::-1]], limit, cursor)

    def entries_of(self, session_id: SessionId) -> Sequence[AuditEntry]:
        """Return all entries of a session, oldest first."""
        mine = sorted((audit_id, text) for (session, audit_id), text in self._kept.items() if session == session_id)
        return [_ENTRY.validate_json(text) for _, text in mine]
