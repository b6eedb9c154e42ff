"""A conversation within a budget of tokens: what is old goes first, the latest question and its files never.

A token is taken for three bytes of UTF-8: for prose and program text that is more than there are, for long numbers it
may be less, and no provider's own count is needed. Counted is what is sent: texts, names, arguments and results as they
stand, and a little for the form.

Cut in this order, and only as much as is needed:

1. results of tools are shortened, the oldest first, but for those of the latest round;
2. the oldest turns go, as wholes;
3. the oldest rounds of the turn that goes on;
4. the results of its latest round are shortened.

More is cut than is needed, up to the next eighth of the budget: then the same beginning stands for many rounds and a
provider's cache knows it, where else each round would move it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from satchel.domain.conversation import AssistantMessage, Message, ToolMessage, ToolSpec
from satchel.domain.history import DATA_FROM, Round, split_rounds, split_turns

MIN_CONTEXT_TOKENS = 2_000
_BYTES_A_TOKEN = 3
_FORM = 8
_NOTE = 64
_STEPS = 8
_HEAD, _TAIL = 200, 100
_MAX_NAMES = 20
_SHORTENED = "This result was shortened because the conversation is long. Call the tool again if you need all of it."


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text."""
    return -(-len(text.encode(errors="replace")) // _BYTES_A_TOKEN)


def message_tokens(message: Message) -> int:
    """Estimate the tokens of a message."""
    if isinstance(message, ToolMessage):
        return estimate_tokens(_json(message.content)) + estimate_tokens(message.tool) + _FORM
    calls = message.calls if isinstance(message, AssistantMessage) else []
    return (
        estimate_tokens(message.text)
        + _FORM
        + sum(estimate_tokens(call.tool) + estimate_tokens(call.arguments) + _FORM for call in calls)
    )


def tool_tokens(tool: ToolSpec) -> int:
    """Estimate the tokens of a tool's description."""
    return (
        estimate_tokens(tool.full_name)
        + estimate_tokens(tool.description)
        + estimate_tokens(_json(tool.input_schema))
        + _FORM
    )


@dataclass(frozen=True)
class FittedConversation:
    """What is left of a conversation: so many ``turns`` of its beginning are gone, and ``rounds`` of its last turn."""

    messages: list[Message]
    dropped_turns: int = 0
    dropped_rounds: int = 0

    @property
    def note(self) -> str:
        """Return what the model is to know of it; nothing where nothing is gone."""
        told = (
            [_counted(self.dropped_turns, "turn of this conversation", "turns of this conversation")]
            if self.dropped_turns
            else []
        )
        told += (
            [_counted(self.dropped_rounds, "round of tool calls", "rounds of tool calls")]
            if self.dropped_rounds
            else []
        )
        return f"Because the conversation is long, it is told without its beginning: {', '.join(told)}." if told else ""


def fit_to_budget(messages: Sequence[Message], max_tokens: int) -> FittedConversation:
    """Return a conversation (in form) that has at most so many tokens, or as few as it can have."""
    cut = _Trimmer(list(messages), max_tokens - _NOTE)
    cut.shorten(cut.old_results())
    cut.leave_out_turns()
    cut.leave_out_rounds()
    cut.shorten(cut.all_results())
    return FittedConversation(cut.messages, cut.turns, cut.rounds)


class _Trimmer:
    """A conversation while it is cut."""

    def __init__(self, messages: list[Message], max_tokens: int) -> None:
        self.messages = messages
        self.turns = self.rounds = 0
        self._most = max_tokens
        self._step = max(1, max_tokens // _STEPS)

    def old_results(self) -> list[int]:
        """Return where results stand that are not of the latest round."""
        asked = max((i for i, each in enumerate(self.messages) if not isinstance(each, ToolMessage)), default=0)
        return [place for place in self.all_results() if place < asked]

    def all_results(self) -> list[int]:
        return [place for place, message in enumerate(self.messages) if isinstance(message, ToolMessage)]

    def shorten(self, places: Sequence[int]) -> None:
        excess = self._excess()
        for place in places:
            if excess <= 0:
                return
            short = _short(self.messages[place])
            excess -= message_tokens(self.messages[place]) - message_tokens(short)
            self.messages[place] = short

    def leave_out_turns(self) -> None:
        *earlier, latest = split_turns(self.messages)
        self.turns = self._how_many(earlier)
        self.messages = [message for turn in [*earlier[self.turns :], latest] for message in turn]

    def leave_out_rounds(self) -> None:
        *earlier, latest = split_turns(self.messages)
        rounds = split_rounds(latest)
        self.rounds = self._how_many(rounds[:-1])
        kept = [*earlier, latest[:1], *rounds[self.rounds :]]
        self.messages = [message for part in kept for message in part]

    def _how_many(self, parts: Sequence[Round]) -> int:
        """Return how many parts of the beginning must go, all of them where that is still too few."""
        excess = self._excess()
        for number, part in enumerate(parts):
            if excess <= 0:
                return number
            excess -= sum(map(message_tokens, part))
        return len(parts)

    def _excess(self) -> int:
        """Return how many tokens must go; by steps, so that the next few tokens do not move the cut."""
        over = sum(map(message_tokens, self.messages)) - self._most
        return -(-over // self._step) * self._step


def _short(message: Message) -> Message:
    """Return a result by its beginning and end, with the names of its files; one that is short stays as it is."""
    assert isinstance(message, ToolMessage)  # noqa: S101  (its place was found by that)
    results = message.content.get("results")
    text = results if isinstance(results, str) else _json(results)
    left_out = len(text) - _HEAD - _TAIL
    if left_out > 0:
        text = f"{text[:_HEAD]}\n[… {left_out} characters left out …]\n{text[-_TAIL:]}"
    content: dict[str, Any] = {DATA_FROM: message.tool, "results": text, "shortened": _SHORTENED}
    if files := message.content.get("files"):
        content["files"] = files[:_MAX_NAMES]
    short = message.model_copy(update={"content": content})
    return short if message_tokens(short) < message_tokens(message) else message


def _json(value: Any) -> str:  # noqa: ANN401  (any JSON value)
    return json.dumps(value, ensure_ascii=False)


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
