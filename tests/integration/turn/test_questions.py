"""Tools that ask the user: the state machine waits, and the tool gets the answers once."""

import json
import os
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from satchel.adapters import clients
from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.runner import run_tool_use_case
from satchel.domain.errors import InputClosed
from satchel.domain.ids import CallId
from satchel.domain.inputs import InputAnswer
from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.steps import TurnStep, repeat_first_round
from satchel.domain.turn_messages import messages_of
from satchel.ports.tool_client import QuestionRefused, ToolResult
from tests.integration.turn.fakes import ANSWER, FakeRunningCall, Script
from tests.integration.turn.faults import failing
from tests.integration.turn.test_state_machine_paths import assert_ended_once, error_codes
from tests.integration.turn.turn_driver import TurnDriver, UserSession, real_handler
from tests.priority import prioritized

INQUIRE: Script = [[("inquire", {})]]
INTERVIEW: Script = [[("interview", {})]]
WAIT_SECONDS = 2.5


def stored_text() -> str:
    """Return all items of the table as text."""
    table = clients.dynamodb().scan(TableName=os.environ["SATCHEL_TABLE"])
    return json.dumps(table["Items"])


def _escaped(content: object) -> str:
    """Return JSON as it looks in a text of ``stored_text``."""
    return json.dumps(json.dumps(content, separators=(",", ":")))[1:-1]


@pytest.fixture
def billed(turns: TurnDriver) -> Iterator[TurnDriver]:
    """Record the invocations of all functions of a turn."""
    with ExitStack() as stack:
        for function in ("think", "dispatch", "finish", "run-bench"):
            stack.enter_context(turns.replaced(function, real_handler(function)))
        yield turns


@pytest.fixture
def session(turns: TurnDriver) -> Iterator[UserSession]:
    yield turns.new_session()
    turns.set_timeouts()


def wait_for_question(turns: TurnDriver, turn: Turn, input_id: str) -> CallId:
    """Wait until a question is open. Return the id of its call."""

    def is_open() -> bool:
        for call in use_cases().ports.calls.list(turn.turn_id):
            use_cases().relay_events(call.call_id)  # as the function push does, which no test here needs otherwise
        return input_id in [each.input_id for each in turns.response(turn).inputs]

    turns.wait_until(is_open)
    return next(each.call_id for each in turns.response(turn).inputs if each.input_id == input_id)


def answer(turns: TurnDriver, turn: Turn, input_id: str, content: dict[str, Any], action: str = "accept") -> None:
    call = wait_for_question(turns, turn, input_id)
    reply = InputAnswer.model_validate({"input_id": input_id, "action": action, "content": content})
    use_cases().answer_input(UserSession.of(turn).user, turn.session_id, turn.turn_id, call, reply)


def results(turns: TurnDriver, turn: Turn) -> list[object]:
    return [call.results for call in turns.response(turn).tool_calls]


@pytest.mark.parametrize("script", [INQUIRE, INTERVIEW], ids=["ends to ask", "asks while it runs"])
def test_tool_gets_the_answers_after_two_rounds_of_questions(
    turns: TurnDriver, session: UserSession, script: Script
) -> None:
    turn = turns.start(session, script)
    answer(turns, turn, "1-0", {})
    answer(turns, turn, "2-0", {"name": "Ada"})
    turns.wait_for_end(turn)

    assert results(turns, turn) == ["Ada"]
    types = [event.type for event in turns.events(turn)]
    assert [kind for kind in types if kind.startswith(("input", "tool_start", "tool_complete"))] == [
        "tool_start",
        "input_requested",
        "input_answered",
        "input_requested",
        "input_answered",
        "tool_complete",
    ]
    assert_ended_once(turns, turn)


@pytest.mark.parametrize("script", [INQUIRE, INTERVIEW], ids=["ends to ask", "asks while it runs"])
def test_model_learns_what_was_asked_but_not_the_answers(
    turns: TurnDriver, session: UserSession, script: Script
) -> None:
    turn = turns.start(session, script)
    answer(turns, turn, "1-0", {})
    answer(turns, turn, "2-0", {"name": "Ada"})
    turns.wait_for_end(turn)

    message = messages_of(use_cases().ports.transcript.list_turns(turn.session_id))[2]
    assert json.loads(message.model_dump_json())["content"]["questions_to_user"] == [
        {"message": "Continue?", "action": "accept"},
        {"message": "Your name?", "action": "accept"},
    ]


@pytest.mark.parametrize("tool", ["inquire", "interview"])
def test_answers_are_removed_at_the_end_of_the_call(turns: TurnDriver, session: UserSession, tool: str) -> None:
    secret = f"secret of {tool}"
    turn = turns.start(session, [[(tool, {}), ("wait", {})]])
    answer(turns, turn, "1-0", {})
    call = wait_for_question(turns, turn, "2-0")
    answer(turns, turn, "2-0", {"name": secret})
    turns.wait_until(lambda: bool(results(turns, turn)[0]))
    stored = use_cases().ports.inputs.get(turn.turn_id, call)
    assert stored is not None
    assert (stored.answers, stored.open_inputs(turn.created_at)) == ({}, [])
    assert _escaped({"name": secret}) not in stored_text()
    turns.bench.waiting.get(timeout=60).emit(ToolResult(raw={"content": []}))
    turns.wait_for_end(turn)


def test_answer_is_stored_until_the_running_tool_has_read_it(
    turns: TurnDriver, session: UserSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply, may_read = FakeRunningCall.reply, threading.Event()

    def reply_later(call: FakeRunningCall, question: int, given: InputAnswer | QuestionRefused) -> None:
        assert question == 0 or may_read.wait(60)
        reply(call, question, given)

    monkeypatch.setattr(FakeRunningCall, "reply", reply_later)
    turn = turns.start(session, INTERVIEW)
    answer(turns, turn, "1-0", {})
    answer(turns, turn, "2-0", {"name": "here for a second"})
    assert stored_text().count(_escaped({"name": "here for a second"})) == 2  # of the user, and for the runner
    may_read.set()
    turns.wait_for_end(turn)


def test_no_function_is_billed_while_a_question_waits(billed: TurnDriver, session: UserSession) -> None:
    turns = billed
    turn = turns.start(session, INQUIRE)
    wait_for_question(turns, turn, "1-0")
    turns.wait_until(lambda: all(invocation.ended for invocation in turns.invocations))
    start = time.monotonic()
    time.sleep(WAIT_SECONDS)
    assert turns.billed_between(start, time.monotonic()) == {}
    answer(turns, turn, "1-0", {})
    answer(turns, turn, "2-0", {"name": "Ada"})
    turns.wait_for_end(turn)


def test_only_the_runner_of_an_asking_tool_is_billed_and_at_most_for_the_bound(
    billed: TurnDriver, session: UserSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = billed
    monkeypatch.setenv("SATCHEL_INPUT_IN_CALL_SECONDS", "15")
    run_tool_use_case.cache_clear()
    with prioritized():
        turn = turns.start(session, INTERVIEW)
        wait_for_question(turns, turn, "1-0")
        others = [invocation for invocation in turns.invocations if invocation.function != "run-bench"]
        turns.wait_until(lambda: all(invocation.ended for invocation in others))  # Dispatch waits for 5 seconds
        start = time.monotonic()
    turns.wait_for_end(turn)
    run_tool_use_case.cache_clear()

    assert set(turns.billed_between(start, start + 1)) == {"run-bench"}
    assert "did not answer" in str(results(turns, turn))
    runners = [invocation for invocation in turns.invocations if invocation.function == "run-bench"]
    turns.wait_until(lambda: all(invocation.ended for invocation in runners), timeout=5)
    assert turns.bench.interviews[-1].killed.is_set()


def test_cancelled_turn_kills_the_tool_that_waits_for_an_answer(turns: TurnDriver, session: UserSession) -> None:
    turn = turns.start(session, INTERVIEW)
    call = wait_for_question(turns, turn, "1-0")
    use_cases().cancel_turn(session.user, turn.session_id, turn.turn_id)
    assert turns.bench.interviews[-1].killed.wait(10)
    reply = InputAnswer(input_id="1-0", action="accept")
    with pytest.raises(InputClosed):
        use_cases().answer_input(session.user, turn.session_id, turn.turn_id, call, reply)


def test_two_calls_of_a_round_ask_side_by_side(turns: TurnDriver, session: UserSession) -> None:
    turn = turns.start(session, [[("inquire", {}), ("inquire", {})]])
    turns.wait_until(lambda: len(turns.response(turn).inputs) == 2)
    for _ in range(2):
        answer(turns, turn, "1-0", {})
    for name in ("Ada", "Bob"):
        answer(turns, turn, "2-0", {"name": name})
    turns.wait_for_end(turn)
    assert sorted(map(str, results(turns, turn))) == ["Ada", "Bob"]


def test_new_version_of_the_state_machine_changes_no_waiting_question(turns: TurnDriver, session: UserSession) -> None:
    turn = turns.start(session, INQUIRE)
    call = wait_for_question(turns, turn, "1-0")
    before = turns.states.describe_state_machine(stateMachineArn=turns.machine)["definition"]
    turns.set_timeouts(questions=59, turn=199)
    assert turns.states.describe_state_machine(stateMachineArn=turns.machine)["definition"] != before
    answer(turns, turn, "1-0", {})
    answer(turns, turn, "2-0", {"name": "Ada"})
    turns.wait_for_end(turn)

    assert (results(turns, turn), turns.bench.called_tools.count("inquire") > 0) == (["Ada"], True)
    assert [event.payload["call_id"] for event in turns.events(turn) if event.type == "tool_complete"] == [call]


def test_unanswered_question_fails_the_call_with_an_error_for_the_model(
    turns: TurnDriver, session: UserSession
) -> None:
    turns.set_timeouts(questions=4)
    turn = turns.run(session, INQUIRE)
    (call,) = turns.response(turn).tool_calls
    assert (call.error_code, turns.load(turn).answer) == ("E_TOOL_FAILED", ANSWER)
    assert "did not answer" in str(call.results)
    assert_ended_once(turns, turn)


def test_turn_can_be_cancelled_during_a_question(turns: TurnDriver, session: UserSession) -> None:
    turn = turns.start(session, INQUIRE)
    wait_for_question(turns, turn, "1-0")
    assert use_cases().cancel_turn(session.user, turn.session_id, turn.turn_id) is TurnStatus.CANCELLED
    assert turns.response(turn).inputs == []


def test_failed_function_ends_the_call_and_not_the_turn(turns: TurnDriver, session: UserSession) -> None:
    with turns.replaced("dispatch", failing(1, real_handler("dispatch"), after=1)):
        turn = turns.run(session, INQUIRE)
    assert error_codes(turns, turn) == ["E_TOOL_FAILED"]
    assert "could not be shown" in str(results(turns, turn))
    assert_ended_once(turns, turn)


def test_runner_that_dies_after_the_answer_has_crashed(turns: TurnDriver, session: UserSession) -> None:
    turns.set_timeouts(heartbeat=10)
    orders: queue.SimpleQueue[Any] = queue.SimpleQueue()
    turn = turns.start(session, INQUIRE)
    wait_for_question(turns, turn, "1-0")
    with turns.replaced("run-bench", lambda order, _context: orders.put(order)):
        answer(turns, turn, "1-0", {})
        turns.wait_for_end(turn)
    assert error_codes(turns, turn) == ["E_TOOL_CRASHED"]
    order = orders.get(timeout=60)
    assert (order["input_round"], order["request_state"]) == (1, "0")


def test_repeated_execution_asks_again_and_keeps_earlier_answers(turns: TurnDriver, session: UserSession) -> None:
    """A restarted server starts executions of its turns, which repeat their first rounds."""
    turn = turns.start(session, INQUIRE)
    answer(turns, turn, "1-0", {})
    call = wait_for_question(turns, turn, "2-0")

    def token() -> str | None:
        stored = use_cases().ports.inputs.get(turn.turn_id, call)
        return stored.task_token if stored else None

    first = token()
    step = repeat_first_round(TurnStep(user=turn.user, session_id=turn.session_id, turn_id=turn.turn_id))
    turns.states.start_execution(stateMachineArn=turns.machine, input=step.model_dump_json())
    turns.wait_until(lambda: token() != first)
    answer(turns, turn, "2-0", {"name": "Ada"})
    turns.wait_for_end(turn)
    assert results(turns, turn) == ["Ada"]
    assert [event.type for event in turns.events(turn)].count("input_requested") == 2
