"""Reads and stores what the steps of a turn need: one batch read and one transaction for each step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.audit import audit_item
from satchel.adapters.dynamodb.calls import (
    approval_key,
    call_item,
    call_key,
    parse_approval,
    parse_call,
    parse_call_task,
    sent_attribute,
    task_key,
)
from satchel.adapters.dynamodb.conditions import ConditionFailed, tries
from satchel.adapters.dynamodb.erasure_fence import erasure_key
from satchel.adapters.dynamodb.events import EventLog
from satchel.adapters.dynamodb.inputs import build_removal, input_key, parse_input
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.quotas import build_call_end, build_call_start, find_free_slot, first_slot
from satchel.adapters.dynamodb.reports import parse_report, report_key
from satchel.adapters.dynamodb.runner_events import build_close, build_move, build_stop, parse_position, relay_key
from satchel.adapters.dynamodb.sessions import parse_session, session_key
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.tool_lists import VERSION_KEY, parse_version
from satchel.adapters.dynamodb.tool_use import parse_tool_use, tool_use_key
from satchel.adapters.dynamodb.transcript import parse_reply, reply_item, reply_key, result_item
from satchel.adapters.dynamodb.turns import build_round, end_turn, parse_turn, turn_key
from satchel.adapters.dynamodb.users import parse_erasure
from satchel.domain.calls import Call
from satchel.domain.conversation import AssistantMessage
from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.ids import SessionId, TurnId, UserName, is_from_app
from satchel.domain.sessions import Turn
from satchel.domain.steps import CallStep, TurnStep
from satchel.ports.calls import CallIds
from satchel.ports.steps import (
    CallEnd,
    CallRecords,
    CallStart,
    EndedCall,
    EndedCallRecords,
    Round,
    RoundRecords,
    StartedCall,
    StartRecords,
)
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

_MAX_TRIES = 20
_REPLY_POSITION, _TURN_POSITION = 0, 1  # indexes of the writes that store a round
_CALL_POSITION = 0  # index of the write that changes the call's item
_RELAY_POSITION, _AUDIT_POSITION = 1, 2


@dataclass(frozen=True)
class DynamoSteps:
    """Read and store the records of a turn's steps. Implements ``ports.steps.Steps``."""

    table: Table
    store: FileStore
    clock: Clock
    audit_retention: timedelta

    def read_start(self, user: UserName, session_id: SessionId) -> StartRecords:
        session, erasure = session_key(user, session_id), erasure_key(user)
        items = self._read([session, erasure])
        return StartRecords(
            session=parse_session(items[session]) if session in items else None,
            erasure=parse_erasure(user, items[erasure]) if erasure in items else None,
        )

    def read_round(self, step: TurnStep) -> RoundRecords:
        turn, session = turn_key(step.session_id, step.turn_id), session_key(step.user, step.session_id)
        reply = reply_key(step.session_id, step.turn_id, step.round)
        tool_use = tool_use_key(step.user)
        items = self._read([turn, session, reply, tool_use, VERSION_KEY])
        return RoundRecords(
            turn=parse_turn(items[turn]) if turn in items else None,
            session=parse_session(items[session]) if session in items else None,
            reply=parse_reply(self.store, items[reply]) if reply in items else None,
            tools_version=parse_version(items.get(VERSION_KEY)),
            tool_use=parse_tool_use(items.get(tool_use)),
        )

    def save_round(self, turn: Turn, done: Round) -> AssistantMessage | None:
        writes = [
            self.table.build_put(reply_item(self.store, turn, done.number, done.reply), if_absent=True),
            build_round(self.table, turn, done.number, done.usage),
            *(self.table.build_put(call_item(self.store, call)) for call in done.calls),
        ]
        try:
            stored = self._write(turn.turn_id, [done.event] if done.event else [], writes)
        except ConditionFailed as error:
            if _TURN_POSITION in error.positions or _REPLY_POSITION not in error.positions:
                return None
            item = self.table.get(*reply_key(turn.session_id, turn.turn_id, done.number))
            return parse_reply(self.store, item) if item else None
        return done.reply if stored else None

    def save_answer(self, turn: Turn, done: Round, ended: Turn, event: NewEvent, tool_use: Mapping[str, int]) -> bool:
        events = [done.event, event] if done.event else [event]
        return end_turn(self.table, ended, turn.usage, events, tool_use, done.number)

    def read_call(self, step: CallStep) -> CallRecords:
        turn, call = turn_key(step.session_id, step.turn_id), call_key(step.turn_id, step.call_id)
        approval, questions = approval_key(step.turn_id, step.call_id), input_key(step.turn_id, step.call_id)
        task = task_key(step.turn_id, step.call_id)
        items = self._read([turn, call, approval, questions, task, VERSION_KEY])
        return CallRecords(
            turn=parse_turn(items[turn]) if turn in items else None,
            call=parse_call(self.store, items[call]) if call in items else None,
            approval=parse_approval(items[approval]) if approval in items else None,
            questions=parse_input(items[questions]) if questions in items else None,
            task=parse_call_task(items[task]) if task in items else None,
            tools_version=parse_version(items.get(VERSION_KEY)),
        )

    def start_call(self, call: Call, event: NewEvent, max_running: int | None) -> StartedCall:
        """Store what is sent to the tool. Of several calls that try the same free slot, only one gets it."""
        now = self.clock.now()
        slot = None if max_running is None else first_slot(call, max_running)
        for _ in tries(_MAX_TRIES):
            writes = [self._build_sent(call, slot)]
            if slot is not None:
                writes.append(build_call_start(self.table, call.user, call.call_id, slot, now))
            try:
                stored = self._write(call.turn_id, [event], writes)
            except ConditionFailed as error:
                if _CALL_POSITION in error.positions or max_running is None:
                    return StartedCall(CallStart.STARTED_BEFORE)
                slot = find_free_slot(self.table, call.user, max_running, now)
                if slot is None:
                    return StartedCall(CallStart.TOO_MANY_CALLS)
            else:
                return StartedCall(CallStart.STARTED, slot) if stored else StartedCall(CallStart.TURN_ENDED)
        return StartedCall(CallStart.TOO_MANY_CALLS)

    def _build_sent(self, call: Call, slot: int | None) -> "TransactWriteItemTypeDef":
        name, value = sent_attribute(self.store, call)
        return self.table.build_update(
            *call_key(call.turn_id, call.call_id),
            expression="SET #sent = :sent" if slot is None else "SET #sent = :sent, slot = :slot",
            condition="attribute_exists(pk) AND attribute_not_exists(sent) AND attribute_not_exists(sent_at)",
            values={"sent": value} if slot is None else {"sent": value, "slot": slot},
            names={"#sent": name},
        )

    def read_ended_call(self, call: CallIds) -> EndedCallRecords:
        stored, report = call_key(call.turn_id, call.call_id), report_key(call.call_id)
        relay, questions = relay_key(call.call_id), input_key(call.turn_id, call.call_id)
        items = self._read([stored, report, relay, questions])
        return EndedCallRecords(
            call=parse_call(self.store, items[stored]) if stored in items else None,
            report=parse_report(self.store, call, items.get(report)),
            position=parse_position(items.get(relay)),
            questions=parse_input(items[questions]) if questions in items else None,
        )

    def end_call(self, ended: EndedCall) -> CallEnd:
        call, slot, has_entry = ended.call, ended.call.slot, False
        for _ in tries(_MAX_TRIES):
            writes = self._build_end(ended, slot, has_entry=has_entry)
            try:
                if not self._write(call.turn_id, [*ended.relayed, *ended.events], writes):
                    self._write(call.turn_id, [], writes)  # the turn has ended
            except ConditionFailed as error:
                if _CALL_POSITION in error.positions:
                    return CallEnd.ENDED_BEFORE
                if _RELAY_POSITION in error.positions:
                    return CallEnd.RELAY_MOVED
                if not has_entry and _AUDIT_POSITION in error.positions:
                    has_entry = True
                else:
                    slot = None  # the slot belongs to another call, because this one exceeded its lease
            else:
                return CallEnd.ENDED_IN_AUDIT if has_entry else CallEnd.ENDED
        raise Unavailable("Other writers are changing the call; try again.")

    def _build_end(
        self, ended: EndedCall, slot: int | None, *, has_entry: bool
    ) -> Sequence["TransactWriteItemTypeDef"]:
        call, page = ended.call, ended.page
        relay = (
            build_move(self.table, page, ended.relayed, closes=True) if page else build_close(self.table, call.call_id)
        )
        entry = audit_item(call.session_id, ended.audit, self.audit_retention)
        # No model reads the result of an app's call, and the query of a conversation passes over its items.
        has_message = not is_from_app(call.turn_id)
        return [
            self.table.build_update(
                *call_key(call.turn_id, call.call_id),
                expression="SET settled = :settled",
                condition="attribute_exists(pk) AND attribute_not_exists(settled)",
                values={"settled": ended.result.model_dump_json()},
            ),
            relay,
            *([] if has_entry else [self.table.build_put(entry, if_absent=True)]),
            *([self.table.build_put(result_item(self.store, call, ended.message))] if has_message else []),
            *([] if slot is None else [build_call_end(self.table, call.user, call.call_id, slot)]),
            *([build_stop(self.table, call.call_id)] if ended.stops_runner else []),
            *([] if ended.questions is None else build_removal(self.table, ended.questions)),
        ]

    def read_end(self, step: TurnStep) -> tuple[Turn | None, AssistantMessage | None]:
        turn = turn_key(step.session_id, step.turn_id)
        reply = reply_key(step.session_id, step.turn_id, step.round - 1)
        items = self._read([turn, reply] if step.round else [turn])
        return (
            parse_turn(items[turn]) if turn in items else None,
            parse_reply(self.store, items[reply]) if reply in items else None,
        )

    def _read(self, keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Item]:
        return {(str(item["pk"]), str(item["sk"])): item for item in self.table.get_many(keys)}

    def _write(self, turn_id: TurnId, events: Sequence[NewEvent], writes: Sequence["TransactWriteItemTypeDef"]) -> bool:
        """Append events and run ``writes`` in one transaction. Return False if there are events and the turn is closed.

        Raise ConditionFailed if a condition of ``writes`` is false.
        """
        if events:
            return bool(EventLog(self.table).append_with(turn_id, events, writes, self.clock.now()))
        self.table.transact_until_done(writes)
        return True
