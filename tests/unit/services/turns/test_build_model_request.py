"""Building model requests: the model, the instructions and the token budget."""

from satchel.domain.calls import RunnerReport
from satchel.domain.conversation import ModelReply, ProposedCall, TokenUsage, ToolMessage
from satchel.domain.metrics import TOKENS_IN, TOKENS_OUT
from satchel.domain.prompt import DEFAULT_INSTRUCTIONS, USER_NOTE, system_prompt
from satchel.domain.sessions import SessionChanges
from satchel.domain.steps import TurnStep
from satchel.domain.token_budget import estimate_tokens, message_tokens, tool_tokens
from satchel.domain.users import UserSettings
from tests.unit.domain.conversations import assert_normalized
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World, turn_step

ECHO_A = ProposedCall(tool="report.echo", arguments='{"text": "a"}', ref="m-1")


def test_model_of_the_turn_does_not_change_with_the_session(world: World) -> None:
    session = world.use_cases.start_session(BOB, SessionChanges(model="careful"))
    turn = world.turn(session, who=BOB)
    world.use_cases.change_session(BOB, session.session_id, SessionChanges(model="quick"))
    world.complete(turn)
    assert world.model.requests[-1].model == "fake:careful"


def test_instructions_of_the_session_override_those_of_the_deployment(world: World) -> None:
    session = world.use_cases.start_session(ALICE, SessionChanges(instructions="Speak as a pirate."))
    world.instructions = "Be formal."
    world.complete(world.turn(session))
    world.complete(world.turn(world.session()))
    common = system_prompt(None).removeprefix(DEFAULT_INSTRUCTIONS)
    assert [task.instructions for task in world.model.requests] == [
        f"Speak as a pirate.{common}",
        f"Be formal.{common}",
    ]


def test_instructions_of_the_user_follow_the_rules_in_every_request_of_a_new_session(world: World) -> None:
    world.instructions = "Be formal."
    before = world.session()
    world.use_cases.user_settings.replace(ALICE, UserSettings(instructions="Answer in rhymes."))
    session = world.session()
    for message in ("One", "Two"):
        world.complete(world.turn(session, message))
    world.complete(world.turn(before))
    note = USER_NOTE.format(instructions="Answer in rhymes.")
    expected = system_prompt("Be formal.", note)
    assert [task.instructions for task in world.model.requests] == [expected, expected, system_prompt("Be formal.")]


def test_conversation_stays_within_the_token_budget(world: World) -> None:
    session = world.use_cases.start_session(BOB, SessionChanges(model="careful"))  # 10,000 tokens
    for number in range(12):
        turn = world.turn(session, f"Question {number}", who=BOB)
        world.model.replies = [ModelReply(text="", calls=[ECHO_A])]
        world.use_cases.think(turn_step(turn))
        world.finish_call(world.calls.list(turn.turn_id)[0], RunnerReport(results="x" * 6_000))
        world.model.replies = [ModelReply(text="Seen.")]
        world.use_cases.finish_turn(TurnStep.model_validate(world.use_cases.think(turn_step(turn, 1)).model_dump()))
        task = world.model.requests[-1]
        assert_normalized(task.messages)
        fixed = estimate_tokens(task.instructions) + sum(map(tool_tokens, task.tools))
        assert fixed + sum(map(message_tokens, task.messages)) <= 10_000
        assert task.messages[-1].model_dump()["content"] == {"data_from": "report.echo", "results": "x" * 6_000}
    shortened = [
        message for message in task.messages if isinstance(message, ToolMessage) and "shortened" in message.content
    ]
    assert 6 <= len(shortened) < 12
    assert [message for message in task.messages if isinstance(message, ToolMessage)][: len(shortened)] == shortened


def test_model_receives_a_note_if_turns_are_left_out(world: World) -> None:
    session = world.use_cases.start_session(BOB, SessionChanges(model="careful"))
    for _ in range(40):
        world.complete(world.turn(session, "word " * 150, who=BOB))
    assert "The beginning of this long conversation is left out: " in world.model.requests[-1].instructions
    assert len(world.model.requests[-1].messages) < 79


# Metrics


def test_tokens_of_a_reply_are_counted_by_model(world: World) -> None:
    world.model.replies = [ModelReply(text="Hello.", usage=TokenUsage(input_tokens=120, output_tokens=8))]
    turn = world.turn(world.session())
    for _ in range(2):  # the second time, the stored reply is used
        world.use_cases.think(turn_step(turn))
    assert world.metrics.values_of(TOKENS_IN) == [(120, "fake:quick")]
    assert world.metrics.values_of(TOKENS_OUT) == [(8, "fake:quick")]


def test_reply_without_usage_is_not_counted(world: World) -> None:
    world.model.replies = [ModelReply(text="Hello.")]
    world.use_cases.think(turn_step(world.turn(world.session())))
    assert world.metrics.values_of(TOKENS_IN) == []
