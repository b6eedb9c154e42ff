"""A model with planned replies, and a stream listener."""

import re
from typing import TYPE_CHECKING

from satchel.domain.conversation import CompletionRequest, ModelReply

if TYPE_CHECKING:
    from collections.abc import Callable

    from satchel.ports.llm import StreamListener


class FakeStreamListener:
    """Implements ``ports.llm.StreamListener``. ``pieces`` and ``thoughts`` are the pieces since the last restart."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.thoughts: list[str] = []
        self.attempts = 1

    def __call__(self, text: str) -> None:
        if text:
            self.pieces.append(text)

    def think(self, text: str) -> None:
        self.thoughts.append(text)

    def restart(self) -> None:
        self.pieces.clear()
        self.thoughts.clear()
        self.attempts += 1

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class FakeModel:
    """Implements ``ports.llm.Model``. ``requests`` are its requests; ``during_reply`` runs before a reply returns.

    It streams the text of each reply word by word. A planned reply that is an exception is raised.
    """

    def __init__(self, *replies: ModelReply | Exception) -> None:
        self.replies = list(replies)
        self.requests: list[CompletionRequest] = []
        self.during_reply: Callable[[], object] = lambda: None

    def reply(self, request: CompletionRequest, listener: "StreamListener") -> ModelReply:
        self.requests.append(request.model_copy(deep=True))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        for word in re.findall(r"\s*\S+\s*", reply.text):
            listener(word)
        self.during_reply()
        return reply
