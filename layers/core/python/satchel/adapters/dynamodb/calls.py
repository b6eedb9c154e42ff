"""Stores tool calls, the users' approvals of calls, tasks of servers, and claims (which runner executes a call).

| item | key | attributes |
|---|---|---|
| call | ``CALLS#{turn_id} / CALL#{call_id}`` | ``doc``; later ``sent`` (tool input), ``slot``, ``settled`` (result) |
| approval | ``CALLS#{turn_id} / APPROVAL#{call_id}`` | ``doc``; later ``decision`` |
| task | ``CALLS#{turn_id} / TASK#{call_id}`` | ``doc`` |
| claim | ``RUN#{call_id} / CLAIM``, ``CLAIM#{n}`` after ``n`` answers of the user and polls | ``claimed_by`` |

A call's ``doc`` and ``sent`` are stored in S3 if they are large. A runner (the Lambda function that executes tools) may
write only to the partition ``RUN#{call_id}`` of its own call, so it can neither approve its call nor claim another one.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from satchel.adapters.dynamodb.conditions import ConditionFailed
from satchel.adapters.dynamodb.inputs import read_answer
from satchel.adapters.dynamodb.items import Item, LargeTexts, runner_partition
from satchel.adapters.dynamodb.runner_events import STOP
from satchel.adapters.dynamodb.table import Table
from satchel.domain.calls import Approval, Call, CallResult, Decision
from satchel.domain.errors import Unavailable
from satchel.domain.ids import CallId, TurnId
from satchel.domain.inputs import InputAnswer
from satchel.domain.tasks import CallTask
from satchel.ports.storage import FileStore

PREFIX = "CALL#"
_TASK_PREFIX = "TASK#"
APPROVAL_PREFIX = "APPROVAL#"
_SENT_FIELDS = {"injected", "unresolved", "server", "bytes_in", "inputs"}
# An item is limited to 400 KB by DynamoDB. The item of a call has at most 380 KB: 40 KB each in ``doc`` and ``sent``,
# and 300 KB of result. Larger values of ``doc`` and ``sent`` are stored in S3.
_MAX_INLINE_BYTES = 40_000


def call_key(turn_id: TurnId, call_id: CallId) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of a call's item."""
    return f"CALLS#{turn_id}", f"{PREFIX}{call_id}"


def call_item(store: FileStore, call: Call) -> Item:
    """Return the item of a proposed call. A large text is stored in S3 first."""
    pk, sk = call_key(call.turn_id, call.call_id)
    document = call.model_dump_json(exclude=_SENT_FIELDS | {"result", "slot"})
    name, value = _texts(store).to_attribute("doc", document, call.user, call.turn_id)
    return {"pk": pk, "sk": sk, name: value}


def sent_attribute(store: FileStore, call: Call) -> tuple[str, str]:
    """Return the attribute with the input of a call as it is sent to the tool. A large text is stored in S3 first."""
    return _texts(store).to_attribute("sent", call.model_dump_json(include=_SENT_FIELDS), call.user, call.turn_id)


def parse_call(store: FileStore, item: Item) -> Call:
    """Return the call that an item stores."""
    texts = _texts(store)
    call = Call.model_validate_json(texts.read(item, "doc"))
    if "sent" in item or "sent_at" in item:
        call = Call.model_validate(call.model_dump() | json.loads(texts.read(item, "sent")))
    result = CallResult.model_validate_json(str(item["settled"])) if "settled" in item else None
    slot = item.get("slot")
    return call.model_copy(update={"result": result, "slot": slot if isinstance(slot, int) else None})


def _texts(store: FileStore) -> LargeTexts:
    return LargeTexts(store, _MAX_INLINE_BYTES)


@dataclass(frozen=True)
class DynamoCalls:
    """Read the tool calls of turns, which ``DynamoSteps`` stores. Implements ``ports.calls.Calls``."""

    table: Table
    store: FileStore

    def get(self, turn_id: TurnId, call_id: CallId) -> Call | None:
        item = self.table.get(*call_key(turn_id, call_id))
        return parse_call(self.store, item) if item else None

    def list(self, turn_id: TurnId) -> Sequence[Call]:
        calls = [parse_call(self.store, item) for item in self.table.query_all(f"CALLS#{turn_id}", PREFIX)]
        return sorted(calls, key=lambda call: (call.round, call.index))


@dataclass(frozen=True)
class DynamoClaims:
    """Store which runner (Lambda function) executes a tool call. Implements ``ports.calls.CallClaims``.

    The marker of a stopped call is written by ``DynamoReportedEvents.stop``, the user's answers by ``DynamoInputs``.
    """

    table: Table

    def claim(self, call_id: CallId, runner: str, run: int = 0) -> bool:
        """Reserve a tool call for a runner. Return False if another runner has already claimed the call.

        boto3 may repeat a write whose response was lost, so a repeated claim by the same runner succeeds too.
        """
        pk, sk = runner_partition(call_id), _claim_sort_key(run)
        if self.table.insert({"pk": pk, "sk": sk, "claimed_by": runner}):
            return True
        item = self.table.get(pk, sk)
        return item is not None and item.get("claimed_by") == runner

    def is_claimed(self, call_id: CallId, run: int = 0) -> bool:
        """Return True if a runner executes or has executed the call in this run."""
        return self.table.get(runner_partition(call_id), _claim_sort_key(run)) is not None

    def is_stopped(self, call_id: CallId) -> bool:
        try:
            return self.table.get(runner_partition(call_id), STOP) is not None
        except (ClientError, BotoCoreError) as error:
            raise Unavailable("The runner could not read whether the call is stopped.") from error

    def read_answer(self, call_id: CallId, input_id: str) -> InputAnswer | None:
        try:
            return read_answer(self.table, call_id, input_id)
        except (ClientError, BotoCoreError) as error:
            raise Unavailable("The runner could not read whether the user has answered.") from error


def _claim_sort_key(run: int) -> str:
    return f"CLAIM#{run}" if run else "CLAIM"


def task_key(turn_id: TurnId, call_id: CallId) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of the task that works on a call."""
    return f"CALLS#{turn_id}", f"{_TASK_PREFIX}{call_id}"


def parse_call_task(item: Item) -> CallTask:
    """Return the task that an item stores."""
    return CallTask.model_validate_json(str(item["doc"]))


@dataclass(frozen=True)
class DynamoCallTasks:
    """Store the tasks of servers in the table. Implements ``ports.calls.CallTasks``."""

    table: Table

    def save(self, task: CallTask) -> None:
        pk, sk = task_key(task.turn_id, task.call_id)
        self.table.put({"pk": pk, "sk": sk, "doc": task.model_dump_json()})

    def list(self, turn_id: TurnId) -> Sequence[CallTask]:
        return [parse_call_task(item) for item in self.table.query_all(f"CALLS#{turn_id}", _TASK_PREFIX)]


def approval_key(turn_id: TurnId, call_id: CallId) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of the approval of a call."""
    return f"CALLS#{turn_id}", f"{APPROVAL_PREFIX}{call_id}"


def parse_approval(item: Item) -> Approval:
    """Return the approval that an item stores."""
    decision = Decision.model_validate_json(str(item["decision"])) if "decision" in item else None
    return Approval.model_validate_json(str(item["doc"])).model_copy(update={"decision": decision})


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
                *approval_key(approval.turn_id, approval.call_id),
                expression="SET doc = :doc",
                condition="attribute_not_exists(decision)",
                values={"doc": approval.model_dump_json(exclude={"decision"})},
            )
        except ConditionFailed:
            return self.get(approval.turn_id, approval.call_id) or approval
        return approval

    def get(self, turn_id: TurnId, call_id: CallId) -> Approval | None:
        item = self.table.get(*approval_key(turn_id, call_id))
        return parse_approval(item) if item else None

    def list(self, turn_id: TurnId) -> Sequence[Approval]:
        return [parse_approval(item) for item in self.table.query_all(f"CALLS#{turn_id}", APPROVAL_PREFIX)]

    def decide(self, turn_id: TurnId, call_id: CallId, decision: Decision) -> Approval | None:
        """Store the user's first decision about a call. Return the stored approval, or None if there was no request."""
        with suppress(ConditionFailed):  # raised if there is no request, or if the user has decided before
            self.table.update(
                *approval_key(turn_id, call_id),
                expression="SET decision = :decision",
                condition="attribute_exists(doc) AND attribute_not_exists(decision)",
                values={"decision": decision.model_dump_json()},
            )
        return self.get(turn_id, call_id)
