"""Builders and hypothesis strategies for conversations, and the check of the normalized form."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from satchel.domain.conversation import AssistantMessage, Message, ProposedCall, ToolMessage, UserMessage
from satchel.domain.history import normalize_turn, split_rounds, split_turns
from satchel.domain.turn_messages import TurnMessages

ECHO = "report.echo"


def calls_reply(*refs: str, text: str = "", arguments: str = "{}") -> AssistantMessage:
    """Return a model reply with a call for each ref."""
    calls = [ProposedCall(tool=ECHO, arguments=arguments, ref=ref) for ref in refs]
    return AssistantMessage(text=text, calls=calls)


def result(ref: str, results: Any = "ok", **more: Any) -> ToolMessage:  # noqa: ANN401  (any JSON value)
    """Return the result of a call."""
    return ToolMessage(ref=ref, tool=ECHO, content={"results": results, **more})


def to_turns(messages: Sequence[Message]) -> list[TurnMessages]:
    """Return the turns of a conversation."""
    return [TurnMessages(turn) for turn in split_turns(messages)]


def normalize_history(messages: Sequence[Message]) -> list[Message]:
    """Return the conversation as a request to a model has it. Only the latest turn may lack an answer."""
    *earlier, latest = to_turns(messages) or [TurnMessages([])]
    return [message for turn in earlier for message in turn.finished] + normalize_turn(latest.messages)


def assert_normalized(messages: list[Message]) -> None:
    """Fail unless user messages come first, roles alternate, and every call has its one result in order."""
    turns = split_turns(messages)
    assert [message for turn in turns for message in turn] == messages
    for index, turn in enumerate(turns):
        rounds = split_rounds(turn)
        assert [turn[0], *(message for round_ in rounds for message in round_)] == turn
        for number, (reply, *results) in enumerate(rounds):
            assert isinstance(reply, AssistantMessage)
            assert reply.calls or reply.text.strip()
            assert reply.calls or number == len(rounds) - 1
            refs = [result.ref for result in results if isinstance(result, ToolMessage)]
            assert refs == [call.ref for call in reply.calls]
        if index < len(turns) - 1:
            assert isinstance(turn[-1], AssistantMessage)


_texts = st.text(max_size=12) | st.text("ab ", min_size=1).map(lambda text: text * 400)
_refs = st.sampled_from(["1", "2", "3", "4"])
_calls = st.lists(st.builds(ProposedCall, tool=st.just(ECHO), arguments=_texts, ref=_refs), max_size=3)
_contents = st.builds(
    lambda results, files: {"results": results, **({"files": files} if files else {})},
    _texts | st.lists(_texts, max_size=3) | st.none(),
    st.lists(st.text(max_size=8), max_size=2),
)
_messages = (
    st.builds(UserMessage, text=_texts)
    | st.builds(AssistantMessage, text=_texts, calls=_calls.map(lambda calls: list({c.ref: c for c in calls}.values())))
    | st.builds(ToolMessage, ref=_refs, tool=st.just(ECHO), content=_contents)
)
conversations = st.builds(
    lambda before, question, after: [*before, question, *after],
    st.lists(_messages, max_size=25),
    st.builds(UserMessage, text=_texts),
    st.lists(_messages.filter(lambda message: not isinstance(message, UserMessage)), max_size=12),
)
"""Any messages in any order, with at least one user message."""
