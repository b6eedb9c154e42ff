"""The language model."""

from typing import Protocol

from satchel.domain.conversation import CompletionRequest, ModelReply


class StreamListener(Protocol):
    """Who listens while a model speaks. Whatever it raises ends the answer: the model is told to be quiet."""

    def __call__(self, text: str) -> None:
        """Take the next piece of the answer's text; an empty one says only that time goes by (a few times a second)."""
        ...

    def restart(self) -> None:
        """Forget the pieces so far: the model begins its answer again."""
        ...


class Model(Protocol):
    """Answers one round."""

    def reply(self, request: CompletionRequest, listener: StreamListener) -> ModelReply:
        """Ask the model; ``heard`` gets the text as it comes, and the sum of its pieces is the reply's text.

        Raises ModelError.
        """
        ...
