"""A conversation in the form that every provider takes, whatever was kept of it.

After each message of the person comes the model's; every call has its result, in the order of the calls, and nothing
else has one; every earlier turn ends with an answer; no answer is empty. What tools returned is marked as data.
"""

from collections.abc import Sequence

from satchel.domain.conversation import AssistantMessage, Message, ProposedCall, ToolMessage, UserMessage

NO_ANSWER = "(This turn ended before there was an answer.)"
EMPTY_REPLY = "(No words.)"
DATA_FROM = "data_from"
"""The mark on what a tool returned: the tool's name. The instructions say what it means."""

_INTERRUPTED = {"results": {"error": "The turn ended before this tool had answered."}}

Round = list[Message]
"""What the model said, and what its calls came to."""


def split_turns(messages: Sequence[Message]) -> list[list[Message]]:
    """Return a conversation by turns, each with its question first; what stands before the first one is left out."""
    turns: list[list[Message]] = []
    for message in messages:
        if isinstance(message, UserMessage):
            turns.append([])
        if turns:
            turns[-1].append(message)
    return turns


def split_rounds(turn: Sequence[Message]) -> list[Round]:
    """Return what came after a turn's question, by rounds."""
    rounds: list[Round] = []
    for message in turn[1:]:
        if isinstance(message, AssistantMessage):
            rounds.append([])
        if rounds:
            rounds[-1].append(message)
    return rounds


def normalize_history(messages: Sequence[Message]) -> list[Message]:
    """Return the conversation in form; its latest turn is the one that goes on. In form already, it stays as it is."""
    *earlier, latest = split_turns(messages) or [[]]
    return [message for turn in earlier for message in _with_answer(_normalize_turn(turn))] + _normalize_turn(latest)


def _normalize_turn(turn: Sequence[Message]) -> list[Message]:
    """Only the last round of a turn may be without calls: what was said before it belongs to what came next."""
    kept: list[Message] = list(turn[:1])
    for said, *results in split_rounds(turn):
        assert isinstance(said, AssistantMessage)  # noqa: S101  (a round begins with it)
        whole = _with_text(_merge_replies(kept, said))
        kept += [whole, *_ordered_results(whole.calls, results)]
    return kept


def _merge_replies(kept: list[Message], said: AssistantMessage) -> AssistantMessage:
    """Take what the model said just before into what it says now."""
    if not isinstance(kept[-1], AssistantMessage):
        return said
    before = kept.pop()
    assert isinstance(before, AssistantMessage)  # noqa: S101  (as was asked)
    return said.model_copy(update={"text": f"{before.text}\n\n{said.text}".strip()})


def _with_text(said: AssistantMessage) -> AssistantMessage:
    return said if said.text.strip() or said.calls else AssistantMessage(text=EMPTY_REPLY)


def _ordered_results(calls: Sequence[ProposedCall], results: Sequence[Message]) -> list[Message]:
    found = {result.ref: result for result in reversed(results) if isinstance(result, ToolMessage)}
    cut_off = {call.ref: ToolMessage(ref=call.ref, tool=call.tool, content=_INTERRUPTED, failed=True) for call in calls}
    return [_mark_as_data(found.get(call.ref, cut_off[call.ref])) for call in calls]


def _mark_as_data(result: ToolMessage) -> ToolMessage:
    return result.model_copy(update={"content": {DATA_FROM: result.tool, **result.content}})


def _with_answer(turn: list[Message]) -> list[Message]:
    last = turn[-1]
    if isinstance(last, AssistantMessage) and not last.calls:
        return turn
    return [*turn, AssistantMessage(text=NO_ANSWER)]
