"""Tool calls: ``TURN#{tid} / CALL#{call_id}``; beside ``doc`` what others add: sent, claimed_by, settled."""

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.adapters.dynamodb.table import ConditionFailed, Item, Table
from satchel.domain.calls import Call, CallSettled

PREFIX = "CALL#"
_SENT = {"injected", "unresolved", "dispatched_at"}
_BESIDE = _SENT | {"claimed_by", "settled"}


def _key(turn_id: str, call_id: str) -> tuple[str, str]:
    return f"TURN#{turn_id}", f"{PREFIX}{call_id}"


def _call(item: Item) -> Call:
    call = Call.model_validate_json(str(item["doc"]))
    if "sent" in item:
        sent = Call.model_validate_json(str(item["sent"]))
        call = call.model_copy(update={name: getattr(sent, name) for name in _SENT})
    settled = CallSettled.model_validate_json(str(item["settled"])) if "settled" in item else None
    return call.model_copy(update={"claimed_by": item.get("claimed_by"), "settled": settled})


@dataclass(frozen=True)
class DynamoCalls:
    """Implements ``ports.catalog.Calls`` and ``CallClaims``."""

    table: Table

    def add(self, calls: Sequence[Call]) -> None:
        """Write proposed calls; those that are there stay as they are."""
        for call in calls:
            pk, sk = _key(call.turn_id, call.call_id)
            try:
                self.table.put({"pk": pk, "sk": sk, "doc": call.model_dump_json(exclude=_BESIDE)}, absent=True)
            except ConditionFailed:
                continue

    def get(self, turn_id: str, call_id: str) -> Call | None:
        """Return a call."""
        item = self.table.get(*_key(turn_id, call_id))
        return _call(item) if item else None

    def list(self, turn_id: str) -> Sequence[Call]:
        """Return the calls of a turn in order."""
        calls = [_call(item) for item in self.table.query_all(f"TURN#{turn_id}", PREFIX)]
        return sorted(calls, key=lambda call: (call.round, call.index))

    def dispatched(self, call: Call) -> None:
        """Note what the tool is given, and when it was sent on its way."""
        self._set_once(call.turn_id, call.call_id, "sent", call.model_dump_json(exclude={"settled", "claimed_by"}))

    def claim(self, turn_id: str, call_id: str, runner: str) -> bool:
        """Take a call for one runner; False for everyone but the first."""
        return self._set_once(turn_id, call_id, "claimed_by", runner)

    def settle(self, turn_id: str, call_id: str, settled: CallSettled) -> CallSettled:
        """Write what the call came to; the first one stands and is returned."""
        if self._set_once(turn_id, call_id, "settled", settled.model_dump_json()):
            return settled
        call = self.get(turn_id, call_id)
        return call.settled or settled if call else settled

    def _set_once(self, turn_id: str, call_id: str, name: str, value: str) -> bool:
        try:
            self.table.update(
                *_key(turn_id, call_id),
                expression="SET #name = :value",
                condition="attribute_exists(pk) AND attribute_not_exists(#name)",
                values={"value": value},
                names={"#name": name},
            )
        except ConditionFailed:
            return False
        return True
