"""The reads and writes of a turn's steps, made of the other fakes."""

from collections.abc import Mapping
from dataclasses import dataclass

from satchel.domain.calls import Call
from satchel.domain.conversation import AssistantMessage
from satchel.domain.events import NewEvent
from satchel.domain.ids import SessionId, UserName
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
from satchel.ports.system import Clock
from tests.fakes.calls import FakeAuditTrail, FakeCalls, FakeCallTasks, FakeReports
from tests.fakes.quotas import FakeQuotaCounts
from tests.fakes.sessions import FakeSessions
from tests.fakes.turns import (
    FakeApprovals,
    FakeEvents,
    FakeInputs,
    FakeReportedEvents,
    FakeTranscript,
    FakeTurns,
)
from tests.fakes.users import FakeErasures


@dataclass(frozen=True)
class FakeSteps:
    """Implements ``ports.steps.Steps``."""

    clock: Clock
    sessions: FakeSessions
    turns: FakeTurns
    transcript: FakeTranscript
    events: FakeEvents
    reported_events: FakeReportedEvents
    calls: FakeCalls
    reports: FakeReports
    approvals: FakeApprovals
    inputs: FakeInputs
    tasks: FakeCallTasks
    quota_counts: FakeQuotaCounts
    audit_trail: FakeAuditTrail
    erasures: FakeErasures

    def read_start(self, user: UserName, session_id: SessionId) -> StartRecords:
        return StartRecords(self.sessions.get(user, session_id), self.erasures.get(user))

    def read_round(self, step: TurnStep) -> RoundRecords:
        return RoundRecords(
            turn=self.turns.get(step.session_id, step.turn_id),
            session=self.sessions.get(step.user, step.session_id),
            reply=self.transcript.get_reply(step.session_id, step.turn_id, step.round),
            tools_version=0,
            tool_use=dict(self.turns.tool_use[step.user]),
        )

    def save_round(self, turn: Turn, done: Round) -> AssistantMessage | None:
        current = self.turns.get(turn.session_id, turn.turn_id)
        if current is None or current.has_ended:
            return None
        stored = self.transcript.get_reply(turn.session_id, turn.turn_id, done.number)
        if stored is not None:
            return stored
        if done.event and self.events.append(turn.turn_id, done.event) is None:
            return None
        self.turns.add_usage(turn, done.usage)
        self.calls.add(done.calls)
        return self.transcript.add_reply(turn, done.number, done.reply)

    def save_answer(self, turn: Turn, done: Round, ended: Turn, event: NewEvent, tool_use: Mapping[str, int]) -> bool:
        current = self.turns.get(turn.session_id, turn.turn_id)
        if current is None or current.has_ended or current.usage != turn.usage:
            return False
        if self.transcript.get_reply(turn.session_id, turn.turn_id, done.number) is not None:
            return False
        if done.event:
            self.events.append(turn.turn_id, done.event)
        self.turns.add_usage(turn, done.usage)
        self.transcript.add_reply(turn, done.number, done.reply)
        return self.turns.end(ended, event, tool_use)

    def read_call(self, step: CallStep) -> CallRecords:
        return CallRecords(
            turn=self.turns.get(step.session_id, step.turn_id),
            call=self.calls.get(step.turn_id, step.call_id),
            approval=self.approvals.get(step.turn_id, step.call_id),
            questions=self.inputs.get(step.turn_id, step.call_id),
            task=self.tasks.get(step.turn_id, step.call_id),
            tools_version=0,
        )

    def start_call(self, call: Call, event: NewEvent, max_running: int | None) -> StartedCall:
        if self.calls.is_dispatched(call.call_id):
            return StartedCall(CallStart.STARTED_BEFORE)
        now = self.clock.now()
        if max_running is not None and not self.quota_counts.start_call(call.user, call.call_id, max_running, now):
            return StartedCall(CallStart.TOO_MANY_CALLS)
        if self.events.append(call.turn_id, event) is None:
            self.quota_counts.end_calls(call.user, [call.call_id])
            return StartedCall(CallStart.TURN_ENDED)
        slot = None if max_running is None else len(self.quota_counts.running)
        self.calls.mark_dispatched(call.model_copy(update={"slot": slot}))
        return StartedCall(CallStart.STARTED, slot)

    def read_ended_call(self, call: CallIds) -> EndedCallRecords:
        return EndedCallRecords(
            call=self.calls.get(call.turn_id, call.call_id),
            report=self.reports.read(call),
            position=self.reported_events.position(call.call_id),
            questions=self.inputs.get(call.turn_id, call.call_id),
        )

    def end_call(self, ended: EndedCall) -> CallEnd:
        call = ended.call
        stored = self.calls.get(call.turn_id, call.call_id)
        if stored is None or stored.result is not None:
            return CallEnd.ENDED_BEFORE
        if ended.page and not self.reported_events.is_current(ended.page):
            return CallEnd.RELAY_MOVED
        for event in [*ended.relayed, *ended.events]:
            self.events.append(call.turn_id, event)
        self.calls.save_result(call.turn_id, call.call_id, ended.result)
        self.transcript.add_result(call, ended.message)
        is_new = self.audit_trail.add(call.session_id, ended.audit)
        if call.slot == stored.slot:
            self.quota_counts.end_calls(call.user, [call.call_id])
        if ended.stops_runner:
            self.reported_events.stop(call.call_id)
        self.reported_events.close(call.call_id)
        if ended.questions is not None:
            self.inputs.remove_answers(ended.questions)
        return CallEnd.ENDED if is_new else CallEnd.ENDED_IN_AUDIT

    def read_end(self, step: TurnStep) -> tuple[Turn | None, AssistantMessage | None]:
        reply = self.transcript.get_reply(step.session_id, step.turn_id, step.round - 1) if step.round else None
        return self.turns.get(step.session_id, step.turn_id), reply
