"""A model that answers what a test wrote down."""

from typing import TYPE_CHECKING

from satchel.domain.conversation import ModelReply, ModelTask

if TYPE_CHECKING:
    from collections.abc import Callable


class FakeModel:
    """Implements ``ports.model.Model``; ``tasks`` are its questions, ``meanwhile`` happens while it thinks."""

    def __init__(self, *replies: ModelReply) -> None:
        self.replies = list(replies)
        self.tasks: list[ModelTask] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def reply(self, task: ModelTask) -> ModelReply:
        self.tasks.append(task.model_copy(deep=True))
        reply = self.replies.pop(0)
        self.meanwhile()
        return reply
