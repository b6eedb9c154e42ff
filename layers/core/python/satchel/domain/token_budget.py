"""Fit a conversation into a token budget. Drop old parts first; always keep the latest user message and its file list.

Token counts are estimates: one token for three bytes of UTF-8. The estimate is too high for prose and code, and maybe
too low for long numbers, but works for all providers. It includes texts, names, arguments, results and an overhead.

These steps run in order, until the conversation fits:

1. Remove the lists of files from earlier messages, the oldest first.
2. Shorten tool results, the oldest first, except those of the latest round.
3. Drop the oldest turns.
4. Drop the oldest rounds of the current turn.
5. Shorten the results of the latest round.

Each step rounds the number of tokens to remove up to a multiple of 1/8 of the budget. The beginning of the shortened
conversation then stays the same for many rounds, so the provider can cache it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from satchel.domain.conversation import AssistantMessage, Message, ToolMessage, ToolSpec, UserMessage
from satchel.domain.history import DATA_FROM, Round, split_rounds, split_turns

MIN_CONTEXT_TOKENS = 2_000
_BYTES_PER_TOKEN = 3
_OVERHEAD_TOKENS = 8
_NOTE_TOKENS = 64
_STEPS = 8
_HEAD_CHARS, _TAIL_CHARS = 200, 100
_MAX_FILE_NAMES = 20
_ENCODER = json.JSONEncoder(ensure_ascii=False)  # ``json.dumps`` would create one for each message
_SHORTENED = "This result was shortened because the conversation is long. Call the tool again if you need all of it."


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens in a text."""
    return -(-len(text.encode(errors="replace")) // _BYTES_PER_TOKEN)


def message_tokens(message: Message) -> int:
    """Estimate the number of tokens in a message, including its tool calls, pictures and documents."""
    if isinstance(message, AssistantMessage):
        thinking = sum(_part_tokens(block.text, block.signature or "") for block in message.thinking)
        calls = sum(_part_tokens(call.tool, call.arguments) for call in message.calls)
        return _part_tokens(message.text) + thinking + calls
    media = sum(item.tokens for item in message.media)
    if isinstance(message, ToolMessage):
        return media + _part_tokens(_json(message.content), message.tool, *message.not_shown)
    return media + _part_tokens(message.text + message.file_list, *message.not_shown)


def tool_tokens(tool: ToolSpec) -> int:
    """Estimate the number of tokens in a tool's name, description and input schema."""
    return _part_tokens(tool.full_name, tool.description, _json(tool.input_schema))


def _part_tokens(*texts: str) -> int:
    return sum(map(estimate_tokens, texts)) + _OVERHEAD_TOKENS


@dataclass(frozen=True)
class FittedConversation:
    """A shortened conversation. ``dropped_turns`` and ``dropped_rounds`` count its removed turns and rounds."""

    messages: list[Message]
    dropped_turns: int = 0
    dropped_rounds: int = 0

    @property
    def note(self) -> str:
        """Return a note that tells the model which parts were dropped, or empty text if nothing was dropped."""
        counts = ((self.dropped_turns, "turn"), (self.dropped_rounds, "round"))
        dropped = [f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts if count]
        if self.dropped_rounds:
            dropped[-1] += " of tool calls"
        return f"The beginning of this long conversation is left out: {', '.join(dropped)}." if dropped else ""


def fit_to_budget(messages: Sequence[Message], max_tokens: int, tokens: int | None = None) -> FittedConversation:
    """Shorten a normalized conversation to at most ``max_tokens``. If that is impossible, get as close as possible.

    ``tokens`` is the estimate for all messages, if the caller knows it.
    """
    if tokens is None:
        tokens = sum(map(message_tokens, messages))
    if tokens <= max_tokens - _NOTE_TOKENS:  # most conversations, so count them only once
        return FittedConversation(list(messages))
    trimmer = _Trimmer(list(messages), max_tokens - _NOTE_TOKENS)
    trimmer.shorten(trimmer.earlier_user_messages())
    trimmer.shorten(trimmer.earlier_results())
    trimmer.drop_turns()
    trimmer.drop_rounds()
    trimmer.shorten(trimmer.all_results())
    return FittedConversation(trimmer.messages, trimmer.dropped_turns, trimmer.dropped_rounds)


class _Trimmer:
    """Shortens the tool results of one conversation, and drops its oldest turns and rounds."""

    def __init__(self, messages: list[Message], max_tokens: int) -> None:
        self.messages = messages
        self.dropped_turns = self.dropped_rounds = 0
        self._max_tokens = max_tokens
        self._step = max(1, max_tokens // _STEPS)

    def earlier_user_messages(self) -> list[int]:
        """Return the indexes of all user messages except the latest."""
        return [index for index, message in enumerate(self.messages) if isinstance(message, UserMessage)][:-1]

    def earlier_results(self) -> list[int]:
        """Return the indexes of all tool results before the latest round."""
        latest = max((i for i, message in enumerate(self.messages) if not isinstance(message, ToolMessage)), default=0)
        return [index for index in self.all_results() if index < latest]

    def all_results(self) -> list[int]:
        """Return the indexes of all tool results."""
        return [index for index, message in enumerate(self.messages) if isinstance(message, ToolMessage)]

    def shorten(self, indexes: Sequence[int]) -> None:
        """Shorten the messages at these indexes, one after the other, until the conversation fits."""
        excess = self._excess()
        for index in indexes:
            if excess <= 0:
                return
            short = _shorten(self.messages[index])
            excess -= message_tokens(self.messages[index]) - message_tokens(short)
            self.messages[index] = short

    def drop_turns(self) -> None:
        """Drop the oldest turns until the conversation fits, but never the latest turn."""
        *earlier, latest = split_turns(self.messages)
        self.dropped_turns = self._count_to_drop(earlier)
        self.messages = [message for turn in [*earlier[self.dropped_turns :], latest] for message in turn]

    def drop_rounds(self) -> None:
        """Drop the oldest rounds of the latest turn until the conversation fits, but never its latest round."""
        *earlier, latest = split_turns(self.messages)
        rounds = split_rounds(latest)
        self.dropped_rounds = self._count_to_drop(rounds[:-1])
        parts = [*earlier, latest[:1], *rounds[self.dropped_rounds :]]
        self.messages = [message for part in parts for message in part]

    def _count_to_drop(self, parts: Sequence[Round]) -> int:
        """Return how many ``parts`` to drop, oldest first, until the conversation fits. If it never fits, drop all."""
        excess = self._excess()
        for number, part in enumerate(parts):
            if excess <= 0:
                return number
            excess -= sum(map(message_tokens, part))
        return len(parts)

    def _excess(self) -> int:
        """Return how many tokens to remove, rounded up, so that later rounds of the turn drop the same parts."""
        excess = sum(map(message_tokens, self.messages)) - self._max_tokens
        return -(-excess // self._step) * self._step


def _shorten(message: Message) -> Message:
    """Remove the list of files from a user message, or the middle of a tool result's text if that makes it shorter."""
    if isinstance(message, UserMessage):
        return message.model_copy(update={"file_list": ""})
    assert isinstance(message, ToolMessage)  # noqa: S101  (the caller never passes replies of the model)
    results = message.content.get("results")
    text = results if isinstance(results, str) else _json(results)
    left_out = len(text) - _HEAD_CHARS - _TAIL_CHARS
    if left_out > 0:
        text = f"{text[:_HEAD_CHARS]}\n[… {left_out} characters left out …]\n{text[-_TAIL_CHARS:]}"
    content: dict[str, Any] = {DATA_FROM: message.tool, "results": text, "shortened": _SHORTENED}
    if files := message.content.get("files"):
        content["files"] = files[:_MAX_FILE_NAMES]
    short = message.model_copy(update={"content": content})
    return short if message_tokens(short) < message_tokens(message) else message


def _json(value: Any) -> str:  # noqa: ANN401  (any JSON value)
    return _ENCODER.encode(value)
