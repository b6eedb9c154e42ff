"""In-memory tool calls and audit trail."""

from collections.abc import Sequence

from pydantic import TypeAdapter

from satchel.domain.audit import AuditEntry
from satchel.domain.calls import Call, CallResult, RunnerReport
from satchel.domain.ids import CallId, SessionId, TurnId
from satchel.domain.inputs import InputAnswer
from satchel.domain.tasks import CallTask
from satchel.ports import Page
from satchel.ports.calls import CallIds
from tests.fakes.pages import page_of

_SENT_FIELDS = {"injected", "unresolved", "server", "bytes_in", "inputs", "slot"}


class FakeCalls:
    """Implements ``ports.calls.Calls`` and ``CallClaims``. The first write of a field wins.

    The methods that write calls are parts of what ``FakeSteps`` does.
    """

    def __init__(self) -> None:
        self._calls: dict[tuple[str, str], Call] = {}
        self._dispatched: set[str] = set()
        self.claimed_by: dict[str, str] = {}
        self.stopped: set[str] = set()
        self.answers: dict[tuple[str, str], InputAnswer] = {}

    def add(self, calls: Sequence[Call]) -> None:
        for call in calls:
            self._calls.setdefault((call.turn_id, call.call_id), call.model_copy(deep=True))

    def get(self, turn_id: TurnId, call_id: CallId) -> Call | None:
        call = self._calls.get((turn_id, call_id))
        return call.model_copy(deep=True) if call else None

    def list(self, turn_id: TurnId) -> Sequence[Call]:
        calls = [call.model_copy(deep=True) for (turn, _), call in self._calls.items() if turn == turn_id]
        return sorted(calls, key=lambda call: (call.round, call.index))

    def mark_dispatched(self, call: Call) -> None:
        if call.call_id not in self._dispatched:
            self._dispatched.add(call.call_id)
            self._update(self._calls[call.turn_id, call.call_id], {name: getattr(call, name) for name in _SENT_FIELDS})

    def is_dispatched(self, call_id: str) -> bool:
        """Return True if the call was sent to its tool."""
        return call_id in self._dispatched

    def claim(self, call_id: CallId, runner: str, run: int = 0) -> bool:
        key = f"{call_id}#{run}" if run else call_id
        return self.claimed_by.setdefault(key, runner) == runner

    def is_stopped(self, call_id: CallId) -> bool:
        return call_id in self.stopped

    def read_answer(self, call_id: CallId, input_id: str) -> InputAnswer | None:
        return self.answers.get((call_id, input_id))

    def save_result(self, turn_id: TurnId, call_id: CallId, result: CallResult) -> CallResult:
        call = self._calls[turn_id, call_id]
        if call.result is None:
            self._update(call, {"result": result})
        return self._calls[turn_id, call_id].result or result

    def _update(self, call: Call, update: dict[str, object]) -> None:
        """Store the call through JSON, as the table does, so that values that JSON cannot carry fail the test."""
        text = call.model_copy(update=update).model_dump_json()
        self._calls[call.turn_id, call.call_id] = Call.model_validate_json(text)


class FakeCallTasks:
    """Implements ``ports.calls.CallTasks``."""

    def __init__(self) -> None:
        self._tasks: dict[tuple[str, str], CallTask] = {}

    def save(self, task: CallTask) -> None:
        self._tasks[task.turn_id, task.call_id] = task.model_copy()

    def get(self, turn_id: TurnId, call_id: CallId) -> CallTask | None:
        """Return the task that works on a call."""
        return self._tasks.get((turn_id, call_id))

    def list(self, turn_id: TurnId) -> Sequence[CallTask]:
        return [task for (turn, _), task in self._tasks.items() if turn == turn_id]


_ENTRY: TypeAdapter[AuditEntry] = TypeAdapter(AuditEntry)


class FakeReports:
    """Implements ``ports.calls.Reports``. ``stored`` has the reports as JSON, by call id."""

    def __init__(self) -> None:
        self.stored: dict[str, str | bytes] = {}

    def save(self, call: CallIds, report: RunnerReport) -> None:
        self.stored[call.call_id] = report.model_dump_json()

    def read(self, call: CallIds) -> RunnerReport | None:
        text = self.stored.get(call.call_id)
        return None if text is None else RunnerReport.parse(text, call.call_id)


class FakeAuditTrail:
    """Implements ``ports.calls.AuditTrail``. Stores JSON, as the table does."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], str] = {}

    def add(self, session_id: SessionId, entry: AuditEntry) -> bool:
        if (session_id, entry.audit_id) in self._entries:
            return False
        self._entries[session_id, entry.audit_id] = entry.model_dump_json()
        return True

    def list(self, session_id: SessionId, limit: int, cursor: str | None) -> Page[AuditEntry]:
        return page_of([(entry.audit_id, entry) for entry in self.entries_of(session_id)[::-1]], limit, cursor)

    def entries_of(self, session_id: SessionId) -> Sequence[AuditEntry]:
        """Return all entries of a session, oldest first."""
        texts = sorted((audit_id, text) for (session, audit_id), text in self._entries.items() if session == session_id)
        return [_ENTRY.validate_json(text) for _, text in texts]
