"""A conversation in the form that every provider accepts, whatever is stored.

Each user message is followed by a model reply. Every call has exactly one result, in the order of the calls. Every
earlier turn ends with an answer, and no reply is empty. Tool results are marked as data.
"""

from collections.abc import Sequence

from satchel.domain.conversation import AssistantMessage, Message, ProposedCall, ToolMessage, UserMessage

NO_ANSWER = "(This turn ended without an answer.)"
EMPTY_REPLY = "(No text.)"
DATA_FROM = "data_from"
"""The key that marks a tool's result as data; its value is the tool's name. The instructions explain the mark."""

_INTERRUPTED = {"results": {"error": "The turn ended before this tool returned a result."}}

Round = list[Message]
"""One reply of the model and the results of its calls."""


def split_turns(messages: Sequence[Message]) -> list[list[Message]]:
    """Split a conversation into turns, each with its user message first. Messages before the first one are dropped."""
    turns: list[list[Message]] = []
    for message in messages:
        if isinstance(message, UserMessage):
            turns.append([])
        if turns:
            turns[-1].append(message)
    return turns


def split_rounds(turn: Sequence[Message]) -> list[Round]:
    """Split the messages after a turn's user message into rounds."""
    rounds: list[Round] = []
    for message in turn[1:]:
        if isinstance(message, AssistantMessage):
            rounds.append([])
        if rounds:
            rounds[-1].append(message)
    return rounds


def normalize_history(messages: Sequence[Message]) -> list[Message]:
    """Return the conversation in the form above. Its latest turn may be unfinished. The function is idempotent."""
    *earlier, latest = split_turns(messages) or [[]]
    return [message for turn in earlier for message in _with_answer(_normalize_turn(turn))] + _normalize_turn(latest)


def _normalize_turn(turn: Sequence[Message]) -> list[Message]:
    """Merge a reply without calls into the next one: only the last round of a turn may be without calls."""
    normalized: list[Message] = list(turn[:1])
    for reply, *results in split_rounds(turn):
        assert isinstance(reply, AssistantMessage)  # noqa: S101  (each round starts with one)
        merged = _with_text(_merge_replies(normalized, reply))
        normalized += [merged, *_ordered_results(merged.calls, results)]
    return normalized


def _merge_replies(normalized: list[Message], reply: AssistantMessage) -> AssistantMessage:
    """Remove a reply at the end of ``normalized``, and return ``reply`` with the text of both."""
    if not isinstance(normalized[-1], AssistantMessage):
        return reply
    previous = normalized.pop()
    assert isinstance(previous, AssistantMessage)  # noqa: S101  (checked above)
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
