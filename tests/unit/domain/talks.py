"""Conversations, for tests of what becomes of them: sound ones, and any at all."""

from typing import Any

from hypothesis import strategies as st

from satchel.domain.conversation import AssistantMessage, Message, ProposedCall, ToolMessage, UserMessage
from satchel.domain.history import split_rounds, split_turns

ECHO = "report.echo"


def asks(*refs: str, text: str = "", arguments: str = "{}") -> AssistantMessage:
    """The model asks for calls."""
    calls = [ProposedCall(tool=ECHO, arguments=arguments, ref=ref) for ref in refs]
    return AssistantMessage(text=text, calls=calls)


def result(ref: str, results: Any = "ok", **more: Any) -> ToolMessage:  # noqa: ANN401  (any JSON value)
    """A call came to something."""
    return ToolMessage(ref=ref, tool=ECHO, content={"results": results, **more})


def assert_in_form(messages: list[Message]) -> None:
    """Every provider takes it: it begins with the person, roles alternate, every call has its one result in order."""
    turns = split_turns(messages)
    assert [message for turn in turns for message in turn] == messages
    for place, turn in enumerate(turns):
        rounds = split_rounds(turn)
        assert [turn[0], *(message for each in rounds for message in each)] == turn
        for number, (said, *results) in enumerate(rounds):
            assert isinstance(said, AssistantMessage)
            assert said.calls or said.text.strip()
            assert said.calls or number == len(rounds) - 1
            refs = [each.ref for each in results if isinstance(each, ToolMessage)]
            assert refs == [call.ref for call in said.calls]
        if place < len(turns) - 1:
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
talks = st.builds(
    lambda before, question, after: [*before, question, *after],
    st.lists(_messages, max_size=25),
    st.builds(UserMessage, text=_texts),
    st.lists(_messages.filter(lambda message: not isinstance(message, UserMessage)), max_size=12),
)
"""Any messages in any order, with one question at least."""
