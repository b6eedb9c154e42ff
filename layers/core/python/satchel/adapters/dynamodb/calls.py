"""Tool calls: ``CALLS#{tid} / CALL#{call_id}``, with ``doc`` and, added later, ``sent`` and ``settled`` (the result).

Large arguments lie in the bucket.

Runners may write a turn's events (``TURN#{tid}``), so a call lies elsewhere, and the claim on it is an item of its own
that they may write: ``TURN#{tid} / CLAIM#{call_id}``.

Approvals: ``CALLS#{tid} / APPROVAL#{call_id}``, with ``doc`` and, once it is made, ``decision``.

They lie beside the calls, where no runner may write: a tool cannot approve itself.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.items import Item, LargeTexts
from satchel.adapters.dynamodb.table import Table
from satchel.domain.calls import Approval, Call, CallResult, Decision
from satchel.domain.ids import CallId, TurnId
from satchel.ports.storage import FileStore

PREFIX = "CALL#"
_SENT = {"injected", "unresolved", "server", "bytes_in"}
_MAX_BYTES = 40_000
"""Of each of two; what a call came to has up to 300,000, and an item holds no more than 400 KB."""

_BESIDE = _SENT | {"result"}


def _key(turn_id: TurnId, call_id: CallId) -> tuple[str, str]:
    return f"CALLS#{turn_id}", f"{PREFIX}{call_id}"


def _call(item: Item, texts: LargeTexts) -> Call:
    call = Call.model_validate_json(texts.read(item, "doc"))
    if "sent" in item or "sent_at" in item:
        call = Call.model_validate(call.model_dump() | json.loads(texts.read(item, "sent")))
    result = CallResult.model_validate_json(str(item["settled"])) if "settled" in item else None
    return call.model_copy(update={"result": result})


@dataclass(frozen=True)
class DynamoCalls:
    """Implements ``ports.calls.Calls``."""

    table: Table
    store: FileStore

    def add(self, calls: Sequence[Call]) -> None:
        """Write proposed calls; those that are there stay as they are."""
        for call in calls:
            pk, sk = _key(call.turn_id, call.call_id)
            name, doc = self._texts.attribute("doc", call.model_dump_json(exclude=_BESIDE), call.user, call.turn_id)
            with suppress(ConditionFailed):
                self.table.put({"pk": pk, "sk": sk, name: doc}, absent=True)

    def get(self, turn_id: TurnId, call_id: CallId) -> Call | None:
        """Return a call."""
        item = self.table.get(*_key(turn_id, call_id))
        return _call(item, self._texts) if item else None

    def list(self, turn_id: TurnId) -> Sequence[Call]:
        """Return the calls of a turn in order."""
        calls = [_call(item, self._texts) for item in self.table.query_all(f"CALLS#{turn_id}", PREFIX)]
        return sorted(calls, key=lambda call: (call.round, call.index))

    def dispatched(self, call: Call) -> None:
        """Note what the tool is given."""
        name, sent = self._texts.attribute("sent", call.model_dump_json(include=_SENT), call.user, call.turn_id)
        self._set_once(call.turn_id, call.call_id, name, sent)

    def save_result(self, turn_id: TurnId, call_id: CallId, result: CallResult) -> CallResult:
        """Write what the call came to; the first one stands and is returned."""
        if self._set_once(turn_id, call_id, "settled", result.model_dump_json()):
            return result
        call = self.get(turn_id, call_id)
        return call.result or result if call else result

    @property
    def _texts(self) -> LargeTexts:
        return LargeTexts(self.store, _MAX_BYTES)

    def _set_once(self, turn_id: TurnId, call_id: CallId, name: str, value: str) -> bool:
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


@dataclass(frozen=True)
class DynamoClaims:
    """Implements ``ports.calls.CallClaims``, with a runner's credentials."""

    table: Table

    def claim(self, turn_id: TurnId, call_id: CallId, runner: str) -> bool:
        """Take a call for one runner; a write whose answer was lost and that came twice still counts as the first."""
        pk, sk = f"TURN#{turn_id}", f"CLAIM#{call_id}"
        try:
            self.table.put({"pk": pk, "sk": sk, "claimed_by": runner}, absent=True)
        except ConditionFailed:
            item = self.table.get(pk, sk)
            return item is not None and item["claimed_by"] == runner
        return True


def _approvals_key(turn_id: TurnId, call_id: CallId) -> tuple[str, str]:
    return f"CALLS#{turn_id}", f"APPROVAL#{call_id}"


@dataclass(frozen=True)
class DynamoApprovals:
    """Implements ``ports.approvals.Approvals``."""

    table: Table

    def ask(self, approval: Approval) -> Approval:
        """Write that a call waits; asked again, the newer token counts, as it is the one that is waited for."""
        try:
            self.table.update(
                *_approvals_key(approval.turn_id, approval.call_id),
                expression="SET doc = :doc",
                condition="attribute_not_exists(decision)",
                values={"doc": approval.model_dump_json(exclude={"decision"})},
                names={},
            )
        except ConditionFailed:
            return self.get(approval.turn_id, approval.call_id) or approval
        return approval

    def get(self, turn_id: TurnId, call_id: CallId) -> Approval | None:
        """Return what was asked and said."""
        item = self.table.get(*_approvals_key(turn_id, call_id))
        if item is None:
            return None
        said = Decision.model_validate_json(str(item["decision"])) if "decision" in item else None
        return Approval.model_validate_json(str(item["doc"])).model_copy(update={"decision": said})

    def decide(self, turn_id: TurnId, call_id: CallId, decision: Decision) -> Approval | None:
        """Write the decision; the first one stands and is returned."""
        with suppress(ConditionFailed):  # nobody was asked, or it was decided before: what stands is read
            self.table.update(
                *_approvals_key(turn_id, call_id),
                expression="SET decision = :decision",
                condition="attribute_exists(doc) AND attribute_not_exists(decision)",
                values={"decision": decision.model_dump_json()},
                names={},
            )
        return self.get(turn_id, call_id)
