"""Questions of tools: what is stored and published, their limits, and how a call continues with the answers."""

from datetime import timedelta

import pytest

from satchel.contract.errors import ErrorCode
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.inputs import InputAnswer, Question, RequestedInput
from satchel.domain.steps import INPUT_REQUIRED, MAX_INPUT_ROUNDS_IN_CALL, CallStep
from satchel.services.turns.inputs import TooManyQuestions
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World, call_step

WAIT = timedelta(hours=24)
LINK = Question(key="sign-in", mode="url", message="Sign in", url="https://bank.example/in")


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def call(world: World) -> Call:
    """Return a call that is running."""
    call = world.call(world.turn(world.session()), "report.echo", "{}")
    world.use_cases.dispatch_tool(call_step(call, "running"))
    return call


def ask(world: World, call: Call, token: str = "waiting") -> None:  # noqa: S107  (not a password)
    """End the call with a question, as its runner does, and ask it."""
    world.store_report(call, RunnerReport(asks=RequestedInput(questions=[LINK], state="sealed")))
    world.use_cases.ask_input(asking(call, token))


def asking(call: Call, token: str) -> CallStep:
    return call_step(call, token).model_copy(update={"asks": True})


def accept(world: World, call: Call, number: int = 1) -> None:
    answer = InputAnswer(input_id=f"{number}-0", action="accept")
    world.use_cases.answer_input(ALICE, call.session_id, call.turn_id, call.call_id, answer)


def test_question_is_published_once_without_state_and_token(world: World, call: Call) -> None:
    ask(world, call)
    world.use_cases.ask_input(asking(call, "again"))
    ((_, payload),) = world.events.payloads(call.turn_id, "input_requested")
    assert payload.pop("expires_at")
    assert payload == {
        "call_id": call.call_id,
        "input_id": "1-0",
        "tool": "report.echo",
        "mode": "url",
        "message": "Sign in",
        "schema": None,
        "url": "https://bank.example/in",
        "bound_seconds": None,
    }
    assert world.callback.succeeded == []
    accept(world, call)
    assert world.callback.succeeded == ["again"]


def test_answers_and_state_go_to_the_tool_once(world: World, call: Call) -> None:
    ask(world, call)
    accept(world, call)
    world.use_cases.dispatch_tool(call_step(call, "continued"))

    first, second = [order for _, order in world.runners.orders]
    assert (first.input_round, first.responses, first.request_state) == (0, {}, None)
    assert (second.input_round, second.task_token) == (1, "continued")
    assert (second.responses, second.request_state) == ({"sign-in": {"action": "accept"}}, "sealed")
    assert [kind for kind, _ in world.events.payloads(call.turn_id, "tool_start")] == ["tool_start"]
    report = world.reports.read(call)
    assert report is not None
    assert (report.asks, report.error_code) == (None, ErrorCode.E_TOOL_CRASHED)


def test_answer_after_24_hours_less_a_second_is_in_time(world: World, call: Call) -> None:
    ask(world, call)
    world.clock.advance(WAIT.total_seconds() - 1)
    accept(world, call)
    assert world.callback.succeeded == ["waiting"]


def test_question_is_asked_again_by_a_repeated_execution(world: World, call: Call) -> None:
    ask(world, call)
    world.use_cases.dispatch_tool(call_step(call, "repeated"))
    assert world.callback.failed == [("repeated", INPUT_REQUIRED)]
    assert len(world.runners.orders) == 1


def test_repeated_execution_does_not_ask_after_the_time(world: World, call: Call) -> None:
    ask(world, call)
    world.clock.advance(WAIT.total_seconds())
    world.use_cases.dispatch_tool(call_step(call, "repeated"))
    result = world.reload(call).result
    assert result is not None
    assert "did not answer" in str(result.results)
    assert world.callback.succeeded == ["repeated"]

    world.use_cases.ask_input(asking(call, "late"))
    assert world.callback.succeeded == ["repeated", "late"]


def test_call_may_ask_ten_times(world: World, call: Call) -> None:
    for number in range(1, MAX_INPUT_ROUNDS_IN_CALL + 1):
        ask(world, call)
        accept(world, call, number)
        world.use_cases.dispatch_tool(call_step(call, "continued"))
    with pytest.raises(TooManyQuestions):
        ask(world, call)


def test_call_without_questions_is_not_asked_for(world: World, call: Call) -> None:
    with pytest.raises(LookupError, match="no questions"):
        world.use_cases.ask_input(asking(call, "waiting"))
