"""Normalize a stored conversation to a form that every model provider accepts.

In this form, a model reply follows each user message. Each tool call has exactly one result, and results are in the
order of their calls. All turns but the latest end with an answer. No reply is empty. Tool results are marked as data.
"""

from collections.abc import Sequence

from satchel.domain.conversation import AssistantMessage, Message, ProposedCall, ToolMessage, UserMessage

NO_ANSWER = "(This turn ended without an answer.)"
EMPTY_REPLY = "(No text.)"
DATA_FROM = "data_from"
"""The JSON key that marks a tool result as data, with the tool's name as value. ``prompt.RULES`` explains the key."""

_INTERRUPTED = {"results": {"error": "The turn ended before this tool returned a result."}}

Round = list[Message]
"""One reply of the model, followed by the results of its tool calls."""


def split_turns(messages: Sequence[Message]) -> list[list[Message]]:
    """Split a conversation into turns, which start with a user message. Drop messages before the first user message."""
    turns: list[list[Message]] = []
    for message in messages:
        if isinstance(message, UserMessage):
            turns.append([])
        if turns:
            turns[-1].append(message)
    return turns


def split_rounds(turn: Sequence[Message]) -> list[Round]:
    """Split a turn into rounds (a model reply and its tool results). The turn's user message belongs to no round."""
    rounds: list[Round] = []
    for message in turn[1:]:
        if isinstance(message, AssistantMessage):
            rounds.append([])
        if rounds:
            rounds[-1].append(message)
    return rounds


def latest_turn(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the messages from the last one of the user on, or none if there is no message of the user."""
    for index in range(len(messages) - 1, -1, -1):
        if isinstance(messages[index], UserMessage):
            return messages[index:]
    return []


def finish_turn(turn: Sequence[Message]) -> list[Message]:
    """Return a turn in the form that all providers accept for an earlier turn: it ends with an answer."""
    return [_without_thinking(message) for message in _with_answer(normalize_turn(turn))]


def _without_thinking(message: Message) -> Message:
    """Leave out the reasoning of an earlier turn: providers need it with the results of the current turn only."""
    if not isinstance(message, AssistantMessage) or not message.thinking:
        return message
    return message.model_copy(update={"thinking": []})


def normalize_turn(turn: Sequence[Message]) -> list[Message]:
    """Return a turn in the form that all providers accept for the latest turn, which may lack an answer.

    Merge each reply without tool calls into the next reply, because only the last reply may have no calls.
    """
    normalized: list[Message] = list(turn[:1])
    for reply, *results in split_rounds(turn):
        assert isinstance(reply, AssistantMessage)  # noqa: S101  (each round starts with a model reply)
        merged = _with_text(_merge_replies(normalized, reply))
        normalized += [merged, *_ordered_results(merged.calls, results)]
    return normalized


def _merge_replies(normalized: list[Message], reply: AssistantMessage) -> AssistantMessage:
    """Return ``reply``, merged with the reply at the end of ``normalized``, if any.

    Remove that earlier reply from ``normalized``, and put its text before the text of ``reply``.
    """
    if not isinstance(normalized[-1], AssistantMessage):
        return reply
    previous = normalized.pop()
    assert isinstance(previous, AssistantMessage)  # noqa: S101  (the first check of this function excludes other types)
    return reply.model_copy(update={"text": f"{previous.text}\n\n{reply.text}".strip()})


def _with_text(reply: AssistantMessage) -> AssistantMessage:
    return reply if reply.text.strip() or reply.calls else AssistantMessage(text=EMPTY_REPLY)


def _ordered_results(calls: Sequence[ProposedCall], results: Sequence[Message]) -> list[Message]:
    found = {result.ref: result for result in reversed(results) if isinstance(result, ToolMessage)}
    return [_mark_as_data(found.get(call.ref) or _interrupted(call)) for call in calls]


def _interrupted(call: ProposedCall) -> ToolMessage:
    return ToolMessage(ref=call.ref, tool=call.tool, content=_INTERRUPTED, failed=True)


def _mark_as_data(result: ToolMessage) -> ToolMessage:
    return result.model_copy(update={"content": {DATA_FROM: result.tool, **result.content}})


def _with_answer(turn: list[Message]) -> list[Message]:
    last = turn[-1]
    if isinstance(last, AssistantMessage) and not last.calls:
        return turn
    return [*turn, AssistantMessage(text=NO_ANSWER)]
