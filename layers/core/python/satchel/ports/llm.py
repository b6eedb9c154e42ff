"""The language model and the listener of its streamed text."""

from typing import Protocol

from satchel.domain.conversation import CompletionRequest, ModelReply


class StreamListener(Protocol):
    """Receives a model's text while it streams. If the listener raises an exception, the request is canceled."""

    def __call__(self, text: str) -> None:
        """Receive the next piece of text. An empty piece comes several times per second while the model is silent."""
        ...

    def think(self, text: str) -> None:
        """Receive the next piece of the model's reasoning, which is no part of the answer."""
        ...

    def restart(self) -> None:
        """Discard the pieces received so far, because the model starts its answer again."""
        ...


class Model(Protocol):
    """A language model."""

    def reply(self, request: CompletionRequest, listener: StreamListener) -> ModelReply:
        """Send a request and return the reply. The listener receives the reply's text in pieces. Raise ModelError."""
        ...
