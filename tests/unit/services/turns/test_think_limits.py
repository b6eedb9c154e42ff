"""Limits of a turn: corrections of invalid calls, and the usage of model requests."""

import pytest

from satchel.contract.errors import InvalidArguments, NotApproved
from satchel.domain.calls import RunnerReport
from satchel.domain.conversation import (
    AssistantMessage,
    CompletionRequest,
    ModelReply,
    ProposedCall,
    TokenUsage,
    ToolMessage,
)
from satchel.domain.responses import TurnError
from satchel.domain.sessions import Turn
from satchel.domain.steps import TurnStep
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World, call_step, turn_step

ECHO_A = ProposedCall(tool="report.echo", arguments='{"text": "a"}', ref="m-1")
ECHO_B = ProposedCall(tool="report.echo", arguments="not json", ref="m-2")


def request_after_invalid_call(
    world: World, turn: Turn, round_number: int, proposed: ProposedCall = ECHO_B
) -> CompletionRequest:
    """Let Dispatch reject a call of the model, and return the next model request."""
    world.model.replies = [ModelReply(text="", calls=[proposed])]
    world.use_cases.think(turn_step(turn, round_number))
    (call,) = [call for call in world.calls.list(turn.turn_id) if call.round == round_number]
    world.use_cases.dispatch_tool(call_step(call, "token"))
    world.finish_call(call)
    world.model.replies = [ModelReply(text="So be it.")]
    world.use_cases.think(turn_step(turn, round_number + 1).model_copy())
    return world.model.requests[-1]


@pytest.mark.parametrize(
    ("proposed", "code"),
    [
        (ProposedCall(tool="report.ecko", arguments="{}", ref="x"), "E_UNKNOWN_TOOL"),
        (ProposedCall(tool="made_up", arguments="{}", ref="x"), "E_UNKNOWN_TOOL"),
        (ProposedCall(tool="vault.open", arguments="{}", ref="x"), "E_FORBIDDEN"),
        (ProposedCall(tool="report.echo", arguments="{broken", ref="x"), "E_INVALID_ARGUMENTS"),
        (ProposedCall(tool="report.echo", arguments='{"text": 1}', ref="x"), "E_INVALID_ARGUMENTS"),
    ],
)
def test_model_receives_the_error_of_an_invalid_call_and_can_correct_it(
    world: World, proposed: ProposedCall, code: str
) -> None:
    turn = world.turn(world.session())
    task = request_after_invalid_call(world, turn, 0, proposed)
    message = task.messages[-1]
    assert isinstance(message, ToolMessage)
    assert (message.failed, message.mistaken, message.content["meta_data"]["error_code"]) == (True, True, code)
    assert not task.must_answer
    assert [kind for kind, _ in world.events.payloads(turn.turn_id) if kind.startswith("tool_")] == [
        "tool_start",
        "tool_complete",
    ]


def add_invalid_calls(world: World, turn: Turn, rounds: int) -> None:
    """Add rounds with invalid calls of the model."""
    for number in range(rounds):
        call = world.call(turn, arguments="{broken", round_number=number)
        reply = AssistantMessage(text="", calls=[ProposedCall(tool=call.tool, arguments=call.arguments, ref=call.ref)])
        world.transcript.add_reply(turn, number, reply)
        world.finish_call(call, RunnerReport.from_error(InvalidArguments(["the arguments are not JSON"])))


def test_final_answer_is_requested_after_three_corrections(world: World) -> None:
    world.max_rounds = 10
    turn = world.turn(world.session())
    add_invalid_calls(world, turn, 4)
    world.model.replies = [ModelReply(text="Then without.")]
    assert world.use_cases.think(turn_step(turn, 4)).done
    assert world.model.requests[-1].must_answer

    other = world.turn(world.session())
    add_invalid_calls(world, other, 3)
    world.model.replies = [ModelReply(text="", calls=[ECHO_A])]
    assert not world.use_cases.think(turn_step(other, 3)).done


def test_turn_with_only_invalid_calls_fails_with_a_message(world: World) -> None:
    world.max_rounds = 10
    turn = world.turn(world.session())
    add_invalid_calls(world, turn, 4)
    world.model.replies = [ModelReply(text="", calls=[ECHO_B])]
    step = world.use_cases.think(turn_step(turn, 4))
    world.use_cases.finish_turn(TurnStep.model_validate(step.model_dump()))
    ended = world.turns.get(turn.session_id, turn.turn_id)
    assert ended is not None
    assert ended.error == TurnError(
        error_code="E_TOO_MANY_MISTAKES",
        message="The model made invalid tool calls 4 times, received an error each time, and gave no answer. Please "
        "rephrase your message or choose another model.",
    )


def test_errors_of_the_tool_and_denied_calls_are_not_mistakes_of_the_model(world: World) -> None:
    turn = world.turn(world.session())
    calls = [world.call(turn, round_number=0, index=index) for index in range(2)]
    world.calls.mark_dispatched(calls[0].model_copy(update={"injected": {}}))
    world.finish_call(calls[0], RunnerReport.from_error(InvalidArguments(["says the tool"])))
    world.finish_call(calls[1], RunnerReport.from_error(NotApproved("The user denied the call")))
    assert not any(world.reload(call).is_mistaken for call in calls)


def test_usage_of_all_requests_is_added_to_the_turn_and_the_session(world: World) -> None:
    session = world.session()
    world.complete(world.turn(session))
    turn = world.turn(session)
    world.model.replies = [
        ModelReply(text="", calls=[ECHO_A], usage=TokenUsage(input_tokens=100, output_tokens=10)),
        ModelReply(text="Done.", usage=TokenUsage(input_tokens=130, output_tokens=5, cache_read_tokens=100)),
    ]
    world.use_cases.think(turn_step(turn))
    assert world.use_cases.think(turn_step(turn, 1)).done
    world.use_cases.finish_turn(turn_step(turn, 2))
    usage = TokenUsage(input_tokens=230, output_tokens=15, cache_read_tokens=100)
    assert world.use_cases.read_turn(ALICE, turn.session_id, turn.turn_id).usage == usage
    assert world.use_cases.read_sessions(ALICE, session.session_id).usage == usage


@pytest.mark.parametrize("text", ["Too late.", "long " * 5_000])
def test_usage_of_a_discarded_reply_counts(world: World, text: str) -> None:
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text=text, usage=TokenUsage(input_tokens=7, output_tokens=2))]
    world.model.during_reply = lambda: world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id)
    world.use_cases.think(turn_step(turn))
    assert world.use_cases.read_turn(ALICE, turn.session_id, turn.turn_id).usage == TokenUsage(
        input_tokens=7, output_tokens=2
    )
