"""The language model."""

from collections.abc import Callable
from typing import Protocol

from satchel.domain.conversation import ModelReply, ModelTask


class Model(Protocol):
    """Answers one round. ``on_text`` hears the answer as it grows; the reply's text is the sum of it."""

    @property
    def name(self) -> str:
        """Return the name that /api/config shows."""
        ...

    def reply(self, task: ModelTask, on_text: Callable[[str], None]) -> ModelReply:
        """Ask the model."""
        ...
