"""Tool calls in memory."""

from collections.abc import Sequence

from satchel.domain.calls import Call, CallResult
from satchel.domain.ids import CallId, TurnId

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

    def dispatched(self, call: Call) -> None:
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
