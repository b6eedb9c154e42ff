"""The normalized form of a conversation that every provider accepts."""

from hypothesis import given

from satchel.domain.conversation import AssistantMessage, Message, UserMessage
from satchel.domain.history import EMPTY_REPLY, NO_ANSWER
from tests.unit.contract.strategies import many
from tests.unit.domain.conversations import (
    ECHO,
    assert_normalized,
    calls_reply,
    conversations,
    normalize_history,
    result,
)


def user_messages(messages: list[Message]) -> list[Message]:
    return [message for message in messages if isinstance(message, UserMessage)]


def test_valid_conversation_is_unchanged_except_for_the_data_mark_of_results() -> None:
    conversation: list[Message] = [
        UserMessage(text="?"),
        calls_reply("a", "b", text="I look."),
        result("a"),
        result("b"),
        AssistantMessage(text="!"),
    ]
    normalized = normalize_history([*conversation, UserMessage(text="And?")])
    marked = [result(ref).model_copy(update={"content": {"data_from": ECHO, "results": "ok"}}) for ref in "ab"]
    assert normalized == [*conversation[:2], *marked, conversation[4], UserMessage(text="And?")]


def test_earlier_turn_without_an_answer_gets_a_placeholder() -> None:
    normalized = normalize_history(
        [UserMessage(text="1"), UserMessage(text="2"), calls_reply("a"), result("a"), UserMessage(text="3")]
    )
    assert [message for message in normalized if isinstance(message, AssistantMessage) and not message.calls] == [
        AssistantMessage(text=NO_ANSWER)
    ] * 2
    assert normalized[-1] == UserMessage(text="3")


def test_interrupted_call_gets_an_error_result_in_its_place() -> None:
    normalized = normalize_history([UserMessage(text="1"), calls_reply("a", "b"), result("b"), UserMessage(text="2")])
    interrupted = normalized[2]
    error = {"error": "The turn ended before this tool returned a result."}
    content = {"data_from": ECHO, "results": error}
    assert interrupted == result("a").model_copy(update={"content": content, "failed": True})
    assert_normalized(normalized)


def test_empty_answer_gets_a_placeholder() -> None:
    normalized = normalize_history([UserMessage(text="1"), AssistantMessage(text=" "), UserMessage(text="2")])
    assert normalized[1] == AssistantMessage(text=EMPTY_REPLY)


@many
@given(conversations)
def test_any_stored_conversation_is_normalized_and_stays_so(conversation: list[Message]) -> None:
    normalized = normalize_history(conversation)
    assert_normalized(normalized)
    assert normalize_history(normalized) == normalized
    assert user_messages(normalized) == user_messages(conversation)
