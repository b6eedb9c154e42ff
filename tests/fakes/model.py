"""A model that answers what a test wrote down."""

from collections.abc import Callable

from satchel.domain.conversation import ModelReply, ModelTask


class FakeModel:
    """Implements ``ports.model.Model``; ``tasks`` are its questions, ``meanwhile`` happens while it thinks."""

    name = "fake"

    def __init__(self, *replies: ModelReply) -> None:
        self.replies = list(replies)
        self.tasks: list[ModelTask] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def reply(self, task: ModelTask, on_text: Callable[[str], None]) -> ModelReply:
        self.tasks.append(task.model_copy(deep=True))
        reply = self.replies.pop(0)
        self.meanwhile()
        for word in reply.text.split():
            on_text(word)
        return reply
