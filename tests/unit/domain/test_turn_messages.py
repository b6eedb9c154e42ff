"""The messages of earlier turns in requests to the model."""

from hypothesis import given

from satchel.domain.conversation import AssistantMessage, Message, ToolMessage, UserMessage
from satchel.domain.history import finish_turn
from satchel.domain.media import MediaRef
from satchel.domain.token_budget import message_tokens
from satchel.domain.turn_messages import TurnMessages, messages_of
from tests.unit.contract.strategies import many
from tests.unit.domain.conversations import calls_reply, conversations, result, to_turns


@many
@given(conversations)
def test_tokens_of_a_turn_are_those_of_its_messages_in_later_requests(conversation: list[Message]) -> None:
    for turn in to_turns(conversation):
        before = [message.model_copy(deep=True) for message in turn.messages]
        assert turn.tokens == sum(map(message_tokens, turn.finished))
        assert turn.finished == finish_turn(before)
        assert list(turn.messages) == before  # a process keeps them, so nothing may change them


def test_finished_turn_is_made_only_once() -> None:
    turn = TurnMessages([UserMessage(text="?"), calls_reply("a"), result("a"), AssistantMessage(text="!")])
    assert turn.finished is turn.finished


def test_turn_has_media_if_a_message_has_a_picture() -> None:
    picture = MediaRef(name="a.png", key="a", mime="image/png", size=1, width=1, height=1)
    shown = ToolMessage(ref="a", tool="report.draw", content={}, media=[picture])
    assert TurnMessages([UserMessage(text="?"), calls_reply("a"), shown]).has_media
    assert not TurnMessages([UserMessage(text="?"), calls_reply("a"), result("a")]).has_media


def test_messages_of_turns_are_in_the_order_of_the_conversation() -> None:
    conversation: list[Message] = [UserMessage(text="1"), AssistantMessage(text="one"), UserMessage(text="2")]
    assert messages_of(to_turns(conversation)) == conversation
