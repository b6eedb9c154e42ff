"""Normalize a stored conversation to a form that every model provider accepts.

In this form, a model reply follows each user message, and each tool call has exactly one result, in the order of the
calls. All turns but the latest end with an answer, and no reply is empty. Tool results are marked as data.
"""

from collections.abc import Sequence

from satchel.domain.conversation import AssistantMessage, Message, ProposedCall, ToolMessage, UserMessage

NO_ANSWER = "(This turn ended without an answer.)"
EMPTY_REPLY = "(No text.)"
DATA_FROM = "data_from"
"""The JSON key that marks a tool result as data, with the tool's name as value. ``prompt.RULES`` explains it."""

_INTERRUPTED = {"results": {"error": "The turn ended before this tool returned a result."}}

Round = list[Message]
"""One reply of the model, followed by the results of its tool calls."""


def split_turns(messages: Sequence[Message]) -> list[list[Message]]:
    """Split a conversation into turns, each of which starts with a user message. Drop messages before the first one."""
    turns: list[list[Message]] = []
    for message in messages:
        if isinstance(message, UserMessage):
            turns.append([])
        if turns:
            turns[-1].append(message)
    return turns


def split_rounds(turn: Sequence[Message]) -> list[Round]:
    """Split a turn into rounds. The user message at its start belongs to no round."""
    rounds: list[Round] = []
    for message in turn[1:]:
        if isinstance(message, AssistantMessage):
            rounds.append([])
        if rounds:
            rounds[-1].append(message)
    return rounds


def normalize_history(messages: Sequence[Message]) -> list[Message]:
    """Return the conversation in the module's normal form. Idempotent. The latest turn may be unfinished."""
    *earlier, latest = split_turns(messages) or [[]]
    return [message for turn in earlier for message in _with_answer(_normalize_turn(turn))] + _normalize_turn(latest)


def _normalize_turn(turn: Sequence[Message]) -> list[Message]:
    """Merge each reply without tool calls into the next reply, because only a turn's last reply may have no calls."""
    normalized: list[Message] = list(turn[:1])
    for reply, *results in split_rounds(turn):
        assert isinstance(reply, AssistantMessage)  # noqa: S101  (each round starts with a model reply)
        merged = _with_text(_merge_replies(normalized, reply))
        normalized += [merged, *_ordered_results(merged.calls, results)]
    return normalized


def _merge_replies(normalized: list[Message], reply: AssistantMessage) -> AssistantMessage:
    """If ``normalized`` ends with a reply, remove it and put its text before that of ``reply``. Return ``reply``."""
    if not isinstance(normalized[-1], AssistantMessage):
        return reply
    previous = normalized.pop()
    assert isinstance(previous, AssistantMessage)  # noqa: S101  (the role was checked)
    return reply.model_copy(update={"text": f"{previous.text}\n\n{reply.text}".strip()})


def _with_text(reply: AssistantMessage) -> AssistantMessage:
    return reply if reply.text.strip() or reply.calls else AssistantMessage(text=EMPTY_REPLY)


def _ordered_results(calls: Sequence[ProposedCall], results: Sequence[Message]) -> list[Message]:
    found = {result.ref: result for result in reversed(results) if isinstance(result, ToolMessage)}
    missing = {call.ref: ToolMessage(ref=call.ref, tool=call.tool, content=_INTERRUPTED, failed=True) for call in calls}
    return [_mark_as_data(found.get(call.ref, missing[call.ref])) for call in calls]


def _mark_as_data(result: ToolMessage) -> ToolMessage:
    return result.model_copy(update={"content": {DATA_FROM: result.tool, **result.content}})


def _with_answer(turn: list[Message]) -> list[Message]:
    last = turn[-1]
    if isinstance(last, AssistantMessage) and not last.calls:
        return turn
    return [*turn, AssistantMessage(text=NO_ANSWER)]
