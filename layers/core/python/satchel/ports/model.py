"""The language model."""

from typing import Protocol

from satchel.domain.conversation import ModelReply, ModelTask


class Model(Protocol):
    """Answers one round."""

    def reply(self, task: ModelTask) -> ModelReply:
        """Ask the model."""
        ...
