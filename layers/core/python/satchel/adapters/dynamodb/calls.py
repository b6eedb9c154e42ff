"""Stores tool calls, the users' approvals of calls, and claims (a claim records which runner executes a call).

| item | key | attributes |
|---|---|---|
| call | ``CALLS#{turn_id} / CALL#{call_id}`` | ``doc``; later ``sent`` (tool input) and ``settled`` (the result) |
| approval | ``CALLS#{turn_id} / APPROVAL#{call_id}`` | ``doc``; later ``decision`` |
| claim | ``RUN#{call_id} / CLAIM`` | ``claimed_by`` |

A call's ``doc`` and ``sent`` are stored in S3 if they are large. A runner (the Lambda function that executes tools) may
write only to the partition ``RUN#{call_id}`` of its own call, so it can neither approve its call nor claim another one.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.items import Item, LargeTexts
from satchel.adapters.dynamodb.runner_events import runner_partition
from satchel.adapters.dynamodb.table import Table
from satchel.domain.calls import Approval, Call, CallResult, Decision
from satchel.domain.ids import CallId, TurnId
from satchel.ports.storage import FileStore

PREFIX = "CALL#"
_SENT_FIELDS = {"injected", "unresolved", "server", "bytes_in"}
# An item is limited to 400 KB by DynamoDB. The item of a call has at most 380 KB: 40 KB each in ``doc`` and ``sent``,
# and 300 KB of result. Larger values of ``doc`` and ``sent`` are stored in S3.
_MAX_INLINE_BYTES = 40_000


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
    """Store tool calls in the table. Implements ``ports.calls.Calls``."""

    table: Table
    store: FileStore

    def add(self, calls: Sequence[Call]) -> None:
        """Store proposed calls. Calls that are already stored do not change."""
        for call in calls:
            pk, sk = _key(call.turn_id, call.call_id)
            document = call.model_dump_json(exclude=_SENT_FIELDS | {"result"})
            name, value = self._texts.to_attribute("doc", document, call.user, call.turn_id)
            self.table.insert({"pk": pk, "sk": sk, name: value})

    def get(self, turn_id: TurnId, call_id: CallId) -> Call | None:
        item = self.table.get(*_key(turn_id, call_id))
        return _call(item, self._texts) if item else None

    def list(self, turn_id: TurnId) -> Sequence[Call]:
        calls = [_call(item, self._texts) for item in self.table.query_all(f"CALLS#{turn_id}", PREFIX)]
        return sorted(calls, key=lambda call: (call.round, call.index))

    def mark_dispatched(self, call: Call) -> None:
        """Store the input of a call as it was sent to the tool, unless the input is already stored."""
        document = call.model_dump_json(include=_SENT_FIELDS)
        name, value = self._texts.to_attribute("sent", document, call.user, call.turn_id)
        self._set_once(call.turn_id, call.call_id, name, value)

    def save_result(self, turn_id: TurnId, call_id: CallId, result: CallResult) -> CallResult:
        """Store the result of a call unless one is already stored, and return the stored result."""
        if self._set_once(turn_id, call_id, "settled", result.model_dump_json()):
            return result
        call = self.get(turn_id, call_id)
        return call.result or result if call else result

    @property
    def _texts(self) -> LargeTexts:
        return LargeTexts(self.store, _MAX_INLINE_BYTES)

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
    """Store which runner (Lambda function) executes a tool call. Implements ``ports.calls.CallClaims``."""

    table: Table

    def claim(self, call_id: CallId, runner: str) -> bool:
        """Reserve a tool call for a runner. Return False if another runner has already claimed the call.

        boto3 may repeat a write whose response was lost, so a repeated claim by the same runner succeeds too.
        """
        pk, sk = runner_partition(call_id), "CLAIM"
        if self.table.insert({"pk": pk, "sk": sk, "claimed_by": runner}):
            return True
        item = self.table.get(pk, sk)
        return item is not None and item.get("claimed_by") == runner


def _approval_key(turn_id: TurnId, call_id: CallId) -> tuple[str, str]:
    return f"CALLS#{turn_id}", f"APPROVAL#{call_id}"


@dataclass(frozen=True)
class DynamoApprovals:
    """Store users' approvals of tool calls in the table. Implements ``ports.turns.Approvals``."""

    table: Table

    def request(self, approval: Approval) -> Approval:
        """Store a request for the user's approval of a call, and return it.

        If the user has already decided, store nothing and return the stored approval. A repeated request replaces the
        stored one, because it has a new task token and the state machine now waits for this token.
        """
        try:
            self.table.update(
                *_approval_key(approval.turn_id, approval.call_id),
                expression="SET doc = :doc",
                condition="attribute_not_exists(decision)",
                values={"doc": approval.model_dump_json(exclude={"decision"})},
            )
        except ConditionFailed:
            return self.get(approval.turn_id, approval.call_id) or approval
        return approval

    def get(self, turn_id: TurnId, call_id: CallId) -> Approval | None:
        item = self.table.get(*_approval_key(turn_id, call_id))
        if item is None:
            return None
        decision = Decision.model_validate_json(str(item["decision"])) if "decision" in item else None
        return Approval.model_validate_json(str(item["doc"])).model_copy(update={"decision": decision})

    def decide(self, turn_id: TurnId, call_id: CallId, decision: Decision) -> Approval | None:
        """Store the user's first decision about a call. Return the stored approval, or None if there was no request."""
        with suppress(ConditionFailed):  # raised if there is no request, or if the user has decided before
            self.table.update(
                *_approval_key(turn_id, call_id),
                expression="SET decision = :decision",
                condition="attribute_exists(doc) AND attribute_not_exists(decision)",
                values={"decision": decision.model_dump_json()},
            )
        return self.get(turn_id, call_id)
