"""A model that answers what a test wrote down."""

from collections.abc import Callable

from satchel.domain.conversation import ModelReply, ModelTask


class FakeModel:
    """Implements ``ports.model.Model``; ``tasks`` are the questions that it was asked."""

    name = "fake"

    def __init__(self, *replies: ModelReply) -> None:
        self.replies = list(replies)
        self.tasks: list[ModelTask] = []

    def reply(self, task: ModelTask, on_text: Callable[[str], None]) -> ModelReply:
        self.tasks.append(task.model_copy(deep=True))
        reply = self.replies.pop(0)
        for word in reply.text.split():
            on_text(word)
        return reply
