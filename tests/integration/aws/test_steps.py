"""The transactions of a turn's steps: each stores everything once, also if several processes run the same step."""

import pytest

from satchel.adapters.dynamodb.audit import DynamoAuditTrail
from satchel.adapters.dynamodb.calls import DynamoCalls
from satchel.adapters.dynamodb.conditions import WriteConflict
from satchel.adapters.dynamodb.events import DynamoEvents
from satchel.adapters.dynamodb.quotas import DynamoQuotaCounts
from satchel.adapters.dynamodb.runner_events import DynamoEventReporter, DynamoReportedEvents
from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.steps import DynamoSteps
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.tool_lists import DynamoToolLists
from satchel.adapters.dynamodb.transcript import DynamoTranscript
from satchel.adapters.dynamodb.turns import DynamoTurns
from satchel.adapters.s3_files import S3Files
from satchel.domain.audit import unfinished_call_entry
from satchel.domain.calls import Call, CallResult
from satchel.domain.conversation import AssistantMessage, TokenUsage, ToolMessage, UserMessage
from satchel.domain.events import NewEvent
from satchel.domain.sessions import Session, Turn, TurnStatus
from satchel.domain.steps import CallStep, TurnStep
from satchel.domain.tools import StoredToolList
from satchel.domain.turn_messages import messages_of
from satchel.ports.steps import CallEnd, CallStart
from satchel.services.turns.turn_events import list_events
from tests.fakes.system import FakeClock
from tests.integration.aws.factories import START, make_call, make_turn, run_concurrently
from tests.integration.aws.stored_steps import (
    AUDIT_RETENTION,
    END,
    TOOL_START,
    add_calls,
    end_call,
    make_round,
    make_steps,
    start_call,
)

TEXT = NewEvent(type="token_stream", payload={"text": "Hi"})
LOG = NewEvent(type="tool_log", payload={"level": "info", "message": "hello"})
HELLO = AssistantMessage(text="Hi")
TOKENS = TokenUsage(input_tokens=7, output_tokens=2)


@pytest.fixture
def steps(table: Table, store: S3Files) -> DynamoSteps:
    return make_steps(table, store)


@pytest.fixture
def turn(table: Table, session: Session) -> Turn:
    return DynamoTurns(table).begin(make_turn(session), None)


@pytest.fixture
def call(table: Table, store: S3Files, turn: Turn) -> Call:
    call = make_call(turn, arguments='{"filename": "größe.csv"}')
    add_calls(table, store, [call])
    return call


def stored_call(steps: DynamoSteps, call: Call) -> Call | None:
    return DynamoCalls(steps.table, steps.store).get(call.turn_id, call.call_id)


def event_types(steps: DynamoSteps, turn: Turn) -> list[str]:
    events = list_events(DynamoEvents(steps.table, steps.clock), turn, 0, 100)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    return [event.type for event in events]


def end_turn(steps: DynamoSteps, turn: Turn) -> None:
    ended = turn.model_copy(update={"status": TurnStatus.CANCELLED, "ended_at": START})
    assert DynamoTurns(steps.table).end(ended, END, {"report.echo": 2})


def answered(turn: Turn, usage: TokenUsage | None = None) -> Turn:
    end = {"status": TurnStatus.COMPLETE, "answer": HELLO.text, "ended_at": START, "usage": usage or TokenUsage()}
    return turn.model_copy(update=end)


def running_calls(steps: DynamoSteps, turn: Turn) -> int:
    return DynamoQuotaCounts(steps.table).read(turn.user, START).running_calls


class TestRound:
    def step(self, turn: Turn) -> TurnStep:
        return TurnStep(user=turn.user, session_id=turn.session_id, turn_id=turn.turn_id)

    def test_new_round_has_a_turn_and_its_session(self, steps: DynamoSteps, session: Session, turn: Turn) -> None:
        records = steps.read_round(self.step(turn))

        assert (records.turn, records.reply) == (turn, None)
        assert records.session == DynamoSessions(steps.table).get(session.user, session.session_id)

    def test_reply_calls_tokens_and_last_piece_are_stored(self, steps: DynamoSteps, turn: Turn) -> None:
        calls = [make_call(turn, 0, 0), make_call(turn, 0, 1)]

        assert steps.save_round(turn, make_round(0, HELLO, calls, TOKENS, TEXT)) == HELLO

        records = steps.read_round(self.step(turn))
        assert (records.turn and records.turn.usage, records.reply) == (TOKENS, HELLO)
        assert DynamoCalls(steps.table, steps.store).list(turn.turn_id) == calls
        assert event_types(steps, turn) == ["turn_started", "token_stream"]

    def test_first_of_several_attempts_is_stored_and_returned_to_all(self, steps: DynamoSteps, turn: Turn) -> None:
        def save(number: int) -> AssistantMessage | None:
            reply = AssistantMessage(text=str(number))
            return steps.save_round(turn, make_round(0, reply, [make_call(turn, 0, number)], TOKENS, TEXT))

        replies = run_concurrently([lambda number=number: save(number) for number in range(4)])  # type: ignore[misc]  # bound

        records = steps.read_round(self.step(turn))
        assert replies == [records.reply] * 4
        assert records.turn is not None
        assert records.turn.usage == TOKENS
        assert len(DynamoCalls(steps.table, steps.store).list(turn.turn_id)) == 1
        assert event_types(steps, turn) == ["turn_started", "token_stream"]

    @pytest.mark.parametrize("event", [None, TEXT])
    @pytest.mark.parametrize("usage", [TokenUsage(), TOKENS])
    def test_nothing_is_stored_after_the_end_of_the_turn(
        self, steps: DynamoSteps, turn: Turn, usage: TokenUsage, event: NewEvent | None
    ) -> None:
        end_turn(steps, turn)

        assert steps.save_round(turn, make_round(0, HELLO, [make_call(turn)], usage, event)) is None

        assert steps.read_round(self.step(turn)).reply is None
        assert DynamoCalls(steps.table, steps.store).list(turn.turn_id) == []
        assert event_types(steps, turn) == ["turn_started", "turn_failed"]

    def test_round_of_an_erased_turn_is_not_stored(self, steps: DynamoSteps, session: Session) -> None:
        erased = make_turn(session)

        assert steps.save_round(erased, make_round(0, HELLO)) is None
        assert steps.read_round(self.step(erased)).turn is None

    def test_answer_ends_the_turn_with_its_tokens_and_events(
        self, steps: DynamoSteps, session: Session, turn: Turn
    ) -> None:
        ended = answered(turn, TOKENS)

        assert steps.save_answer(turn, make_round(0, HELLO, usage=TOKENS, event=TEXT), ended, END, {"report.echo": 2})

        records = steps.read_round(self.step(turn))
        assert (records.turn, records.tool_use) == (ended, {"report.echo": 2})
        messages = messages_of(DynamoTranscript(steps.table, steps.store).list_turns(session.session_id))
        assert messages == [UserMessage(text=turn.message), HELLO]
        stored = DynamoSessions(steps.table).get(session.user, session.session_id)
        assert stored is not None
        assert (stored.running_turn, stored.usage) == (None, TOKENS)
        assert event_types(steps, turn) == ["turn_started", "token_stream", "turn_failed"]

    def test_answer_ends_a_turn_of_an_ended_session(self, steps: DynamoSteps, session: Session, turn: Turn) -> None:
        DynamoSessions(steps.table).end(session.user, session.session_id, START)

        assert steps.save_answer(turn, make_round(0, HELLO), answered(turn), END, {})

        stored = DynamoSessions(steps.table).get(session.user, session.session_id)
        assert stored is not None
        assert stored.running_turn is None
        assert steps.read_round(self.step(turn)).turn == answered(turn)

    def test_first_of_several_answers_is_stored(self, steps: DynamoSteps, session: Session, turn: Turn) -> None:
        def save(number: int) -> bool:
            done = make_round(0, AssistantMessage(text=str(number)), usage=TOKENS, event=TEXT)
            return steps.save_answer(turn, done, answered(turn, TOKENS), END, {"report.echo": 1})

        results = run_concurrently([lambda number=number: save(number) for number in range(4)])  # type: ignore[misc]  # bound

        assert (results.count(True), results.count(False)) == (1, 3)
        records = steps.read_round(self.step(turn))
        assert (records.turn and records.turn.usage, records.tool_use) == (TOKENS, {"report.echo": 1})
        stored = DynamoSessions(steps.table).get(session.user, session.session_id)
        assert stored is not None
        assert stored.usage == TOKENS
        assert event_types(steps, turn) == ["turn_started", "token_stream", "turn_failed"]

    @pytest.mark.parametrize("interfering", ["reply", "tokens", "end"])
    def test_answer_is_not_stored_if_something_has_changed_meanwhile(
        self, steps: DynamoSteps, turn: Turn, interfering: str
    ) -> None:
        other = AssistantMessage(text="The other's.")
        if interfering == "reply":
            steps.save_round(turn, make_round(0, other))
        elif interfering == "tokens":
            DynamoTurns(steps.table).add_usage(turn, TOKENS)
        else:
            end_turn(steps, turn)
        before = steps.read_round(self.step(turn)), event_types(steps, turn)

        assert not steps.save_answer(turn, make_round(0, HELLO, event=TEXT), answered(turn), END, {})

        assert (steps.read_round(self.step(turn)), event_types(steps, turn)) == before

    def test_end_reads_the_reply_of_the_previous_round(self, steps: DynamoSteps, turn: Turn) -> None:
        steps.save_round(turn, make_round(0, HELLO))

        first, second = self.step(turn), self.step(turn).model_copy(update={"round": 1})
        assert steps.read_end(first) == (turn, None)
        assert steps.read_end(second) == (turn, HELLO)

    def test_saved_tool_list_has_a_new_version(self, steps: DynamoSteps, turn: Turn) -> None:
        lists = DynamoToolLists(steps.table)
        before = steps.read_round(self.step(turn)).tools_version
        lists.save("report", "hash", StoredToolList(asked_at=START))

        after = steps.read_round(self.step(turn)).tools_version
        assert after == before + 1
        assert lists.get_many({"report": "hash"}, after) == {"report": StoredToolList(asked_at=START)}


class TestCallStart:
    def test_sent_arguments_slot_and_event_are_stored(self, steps: DynamoSteps, turn: Turn, call: Call) -> None:
        sent = call.model_copy(update={"injected": {"filename": "x"}, "unresolved": {"y": ["x"]}, "server": "report"})

        assert steps.start_call(sent, TOOL_START, 1).outcome is CallStart.STARTED

        assert stored_call(steps, call) == sent.model_copy(update={"slot": 0})
        assert running_calls(steps, turn) == 1
        assert event_types(steps, turn) == ["turn_started", "tool_start"]

    def test_repeated_start_changes_nothing(self, steps: DynamoSteps, turn: Turn, call: Call) -> None:
        sent = call.model_copy(update={"injected": {"filename": "x"}})
        steps.start_call(sent, TOOL_START, 4)
        stored = stored_call(steps, call)

        assert steps.start_call(call, TOOL_START, 4).outcome is CallStart.STARTED_BEFORE

        assert stored_call(steps, call) == stored
        assert running_calls(steps, turn) == 1
        assert event_types(steps, turn) == ["turn_started", "tool_start"]

    def test_call_at_the_limit_stores_nothing(self, steps: DynamoSteps, turn: Turn, call: Call) -> None:
        second = make_call(turn, 0, 1)
        add_calls(steps.table, steps.store, [second])
        assert start_call(steps, call, 1)

        assert steps.start_call(second, TOOL_START, 1).outcome is CallStart.TOO_MANY_CALLS

        assert stored_call(steps, second) == second
        assert event_types(steps, turn) == ["turn_started", "tool_start"]

    def test_call_of_an_ended_turn_does_not_start(self, steps: DynamoSteps, turn: Turn, call: Call) -> None:
        end_turn(steps, turn)

        assert steps.start_call(call, TOOL_START, 1).outcome is CallStart.TURN_ENDED
        assert (stored_call(steps, call), running_calls(steps, turn)) == (call, 0)

    def test_records_of_a_dispatch_are_read_at_once(self, steps: DynamoSteps, turn: Turn, call: Call) -> None:
        ids = call.model_dump(include={"user", "session_id", "turn_id", "call_id"})

        records = steps.read_call(CallStep(**ids))

        assert (records.turn, records.call, records.approval) == (turn, call, None)

    def test_conflicting_writers_are_waited_for(
        self, steps: DynamoSteps, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        conflicts, transact = [WriteConflict, WriteConflict], Table.transact

        def conflict_twice(table: Table, writes: list[object]) -> None:
            if conflicts:
                raise conflicts.pop()
            transact(table, writes)  # type: ignore[arg-type]

        monkeypatch.setattr(Table, "transact", conflict_twice)

        assert steps.start_call(call, TOOL_START, 1).outcome is CallStart.STARTED


class TestCallEnd:
    def test_result_message_events_and_audit_are_stored_and_the_slot_is_free(
        self, steps: DynamoSteps, turn: Turn, call: Call
    ) -> None:
        start_call(steps, call, 1)
        started = stored_call(steps, call)
        assert started is not None
        result = CallResult(is_error=False, results={"rows": 3}, duration_ms=12)

        assert end_call(steps, started, result) is CallEnd.ENDED

        assert stored_call(steps, call) == started.model_copy(update={"result": result})
        [_, message] = messages_of(DynamoTranscript(steps.table, steps.store).list_turns(turn.session_id))
        assert isinstance(message, ToolMessage)
        assert message.content == {"results": {"rows": 3}}
        [entry] = DynamoAuditTrail(steps.table, AUDIT_RETENTION).list(turn.session_id, 10, None).items
        assert (entry.kind, entry.result) == ("tool_call", "ok")
        assert running_calls(steps, turn) == 0
        assert event_types(steps, turn) == ["turn_started", "tool_start", "tool_complete"]

    def test_first_of_several_ends_is_stored(self, steps: DynamoSteps, turn: Turn, call: Call) -> None:
        results = [CallResult(is_error=False, results=number) for number in range(4)]

        outcomes = run_concurrently([lambda result=result: end_call(steps, call, result) for result in results])  # type: ignore[misc]  # bound

        assert sorted(f"{outcome}" for outcome in outcomes) == ["CallEnd.ENDED", *["CallEnd.ENDED_BEFORE"] * 3]
        stored = stored_call(steps, call)
        assert stored is not None
        assert stored.result == results[outcomes.index(CallEnd.ENDED)]
        assert event_types(steps, turn) == ["turn_started", "tool_complete"]

    def test_last_reported_events_precede_the_end_and_later_ones_are_ignored(
        self, steps: DynamoSteps, turn: Turn, call: Call
    ) -> None:
        reported = DynamoReportedEvents(steps.table, steps.clock)
        DynamoEventReporter(steps.table).report(call.call_id, LOG)
        page = reported.read(call.call_id)
        assert page is not None

        assert end_call(steps, call, page=page, relayed=[LOG]) is CallEnd.ENDED

        assert reported.read(call.call_id) is None
        assert steps.read_ended_call(call).position.is_closed
        assert event_types(steps, turn) == ["turn_started", "tool_log", "tool_complete"]

    def test_events_that_another_process_relays_are_not_stored_twice(
        self, steps: DynamoSteps, turn: Turn, call: Call
    ) -> None:
        reported = DynamoReportedEvents(steps.table, steps.clock)
        DynamoEventReporter(steps.table).report(call.call_id, LOG)
        page = reported.read(call.call_id)
        assert page is not None
        assert reported.relay(page, [LOG])

        assert end_call(steps, call, page=page, relayed=[LOG]) is CallEnd.RELAY_MOVED
        assert end_call(steps, call) is CallEnd.ENDED

        assert event_types(steps, turn) == ["turn_started", "tool_log", "tool_complete"]

    def test_result_is_stored_without_events_after_the_end_of_the_turn(
        self, steps: DynamoSteps, turn: Turn, call: Call
    ) -> None:
        end_turn(steps, turn)

        assert end_call(steps, call) is CallEnd.ENDED

        stored = stored_call(steps, call)
        assert stored is not None
        assert stored.result == CallResult(is_error=False)
        assert event_types(steps, turn) == ["turn_started", "turn_failed"]

    def test_call_whose_entry_the_end_of_the_turn_wrote_keeps_the_entry(
        self, steps: DynamoSteps, turn: Turn, call: Call
    ) -> None:
        trail = DynamoAuditTrail(steps.table, AUDIT_RETENTION)
        trail.add(turn.session_id, unfinished_call_entry(call, "E_CANCELLED", START))

        assert end_call(steps, call) is CallEnd.ENDED_IN_AUDIT

        assert [entry.error_code for entry in trail.list(turn.session_id, 10, None).items] == ["E_CANCELLED"]

    def test_slot_of_another_call_stays_taken(self, steps: DynamoSteps, turn: Turn, call: Call) -> None:
        other = make_call(turn, 0, 1)
        add_calls(steps.table, steps.store, [other])
        start_call(steps, other, 1)

        assert end_call(steps, call.model_copy(update={"slot": 0})) is CallEnd.ENDED

        assert running_calls(steps, turn) == 1

    def test_runner_of_a_call_without_a_report_is_told_to_stop(self, steps: DynamoSteps, call: Call) -> None:
        end_call(steps, call, stops_runner=True)

        assert steps.table.get(f"RUN#{call.call_id}", "STOP") is not None

    def test_unknown_call_gets_no_result(self, steps: DynamoSteps, turn: Turn) -> None:
        missing = make_call(turn, 7, 7)

        assert end_call(steps, missing) is CallEnd.ENDED_BEFORE
        assert stored_call(steps, missing) is None

    def test_large_arguments_are_stored_in_the_bucket_and_read_back(
        self, steps: DynamoSteps, store: S3Files, turn: Turn
    ) -> None:
        text = "x" * 300_000
        call = make_call(turn, arguments=f'{{"text": "{text}"}}')
        add_calls(steps.table, store, [call])
        sent = call.model_copy(update={"injected": {"text": text}, "slot": 0})
        start_call(steps, sent, 1)
        result = CallResult(is_error=False, results="y" * 290_000)
        end_call(steps, sent, result)

        assert stored_call(steps, call) == sent.model_copy(update={"result": result})
        assert sum(store.delete_prefix(f"{turn.user}/turns/{turn.turn_id}/texts/")) == 2


def test_events_have_the_time_of_the_step(table: Table, store: S3Files, turn: Turn) -> None:
    steps = DynamoSteps(table, store, FakeClock(START), AUDIT_RETENTION)
    steps.save_round(turn, make_round(0, HELLO, event=TEXT))

    events = list_events(DynamoEvents(table, steps.clock), turn, 0, 10)
    assert [event.at for event in events] == [turn.created_at, START]


def test_round_reads_the_users_calls_of_all_ended_turns(steps: DynamoSteps, turn: Turn) -> None:
    step = TurnStep(user=turn.user, session_id=turn.session_id, turn_id=turn.turn_id)
    assert steps.read_round(step).tool_use == {}

    end_turn(steps, turn)
    assert steps.read_round(step).tool_use == {"report.echo": 2}
