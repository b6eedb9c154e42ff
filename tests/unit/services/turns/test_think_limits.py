"""A model that calls tools wrongly is told so and may mend it, a few times; what every question takes is counted."""

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


def refused(world: World, turn: Turn, round_number: int, wish: ProposedCall = ECHO_B) -> CompletionRequest:
    """Let the model ask for something in a round, Dispatch refuse it, and the model be asked again."""
    world.model.replies = [ModelReply(text="", calls=[wish])]
    world.use_cases.think(turn_step(turn, round_number))
    (call,) = [call for call in world.calls.list(turn.turn_id) if call.round == round_number]
    world.use_cases.dispatch_tool(call_step(call, "token"))
    world.finish_call(call)
    world.model.replies = [ModelReply(text="So be it.")]
    world.use_cases.think(turn_step(turn, round_number + 1).model_copy())
    return world.model.requests[-1]


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (ProposedCall(tool="report.ecko", arguments="{}", ref="x"), "E_UNKNOWN_TOOL"),
        (ProposedCall(tool="made_up", arguments="{}", ref="x"), "E_UNKNOWN_TOOL"),
        (ProposedCall(tool="vault.open", arguments="{}", ref="x"), "E_FORBIDDEN"),
        (ProposedCall(tool="report.echo", arguments="{broken", ref="x"), "E_INVALID_ARGUMENTS"),
        (ProposedCall(tool="report.echo", arguments='{"text": 1}', ref="x"), "E_INVALID_ARGUMENTS"),
    ],
)
def test_the_model_is_told_what_was_wrong_with_a_call_and_may_mend_it(
    world: World, wish: ProposedCall, code: str
) -> None:
    turn = world.turn(world.session())
    task = refused(world, turn, 0, wish)
    told = task.messages[-1]
    assert isinstance(told, ToolMessage)
    assert (told.failed, told.mistaken, told.content["meta_data"]["error_code"]) == (True, True, code)
    assert not task.must_answer
    assert [kind for kind, _ in world.events.payloads(turn.turn_id) if kind.startswith("tool_")] == [
        "tool_start",
        "tool_complete",
    ]


def mistaken(world: World, turn: Turn, rounds: int) -> None:
    """Write down rounds in which the model called wrongly."""
    for number in range(rounds):
        call = world.call(turn, arguments="{broken", round_number=number)
        said = AssistantMessage(text="", calls=[ProposedCall(tool=call.tool, arguments=call.arguments, ref=call.ref)])
        world.transcript.add_reply(turn, number, said)
        world.finish_call(call, RunnerReport.from_error(InvalidArguments(["the arguments are not JSON"])))


def test_three_times_it_may_mend_its_calls_then_it_is_asked_for_its_last_word(world: World) -> None:
    world.max_rounds = 10
    turn = world.turn(world.session())
    mistaken(world, turn, 4)
    world.model.replies = [ModelReply(text="Then without.")]
    assert world.use_cases.think(turn_step(turn, 4)).done
    assert world.model.requests[-1].must_answer

    other = world.turn(world.session())
    mistaken(world, other, 3)
    world.model.replies = [ModelReply(text="", calls=[ECHO_A])]
    assert not world.use_cases.think(turn_step(other, 3)).done


def test_a_turn_of_nothing_but_wrong_calls_ends_with_a_message_that_says_so(world: World) -> None:
    world.max_rounds = 10
    turn = world.turn(world.session())
    mistaken(world, turn, 4)
    world.model.replies = [ModelReply(text="", calls=[ECHO_B])]
    step = world.use_cases.think(turn_step(turn, 4))
    world.use_cases.finish_turn(TurnStep.model_validate(step.model_dump()))
    ended = world.turns.get(turn.session_id, turn.turn_id)
    assert ended is not None
    assert ended.error == TurnError(
        error_code="E_TOO_MANY_MISTAKES",
        message="The model called tools wrongly 4 times, was told each time what was wrong, and came to no answer. "
        "Please say it in another way, or choose another model.",
    )


def test_what_a_tool_says_of_itself_and_what_the_person_refused_is_no_mistake_of_the_models(world: World) -> None:
    turn = world.turn(world.session())
    calls = [world.call(turn, round_number=0, index=index) for index in range(2)]
    world.calls.mark_dispatched(calls[0].model_copy(update={"injected": {}}))
    world.finish_call(calls[0], RunnerReport.from_error(InvalidArguments(["says the tool"])))
    world.finish_call(calls[1], RunnerReport.from_error(NotApproved("The person refused")))
    assert not any(world.reload(call).is_mistaken for call in calls)


def test_what_every_question_takes_is_counted_for_the_turn_and_its_session(world: World) -> None:
    session = world.session()
    world.complete(world.turn(session))
    turn = world.turn(session)
    world.model.replies = [
        ModelReply(text="", calls=[ECHO_A], usage=TokenUsage(input_tokens=100, output_tokens=10)),
        ModelReply(text="Done.", usage=TokenUsage(input_tokens=130, output_tokens=5, cache_read_tokens=100)),
    ]
    world.use_cases.think(turn_step(turn))
    world.use_cases.think(turn_step(turn, 1))
    took = TokenUsage(input_tokens=230, output_tokens=15, cache_read_tokens=100)
    assert world.use_cases.read_turn(ALICE, turn.session_id, turn.turn_id).usage == took
    assert world.use_cases.read_sessions(ALICE, session.session_id).usage == took


def test_an_answer_that_does_not_stand_was_paid_for_as_well(world: World) -> None:
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text="Too late.", usage=TokenUsage(input_tokens=7, output_tokens=2))]
    world.model.during_reply = lambda: world.use_cases.cancel_turn(ALICE, turn.session_id, turn.turn_id)
    world.use_cases.think(turn_step(turn))
    assert world.use_cases.read_turn(ALICE, turn.session_id, turn.turn_id).usage == TokenUsage(
        input_tokens=7, output_tokens=2
    )
