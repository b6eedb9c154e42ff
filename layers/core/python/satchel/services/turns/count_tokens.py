"""Count the tokens of whatever a model is asked."""

from dataclasses import dataclass

from satchel.domain.conversation import ModelReply, ModelTask
from satchel.domain.metrics import TOKENS_IN, TOKENS_OUT
from satchel.ports.metrics import Metrics
from satchel.ports.model import Heard, Model


@dataclass(frozen=True)
class CountTokens:
    """Implements ``ports.model.Model`` before another one; what a question that failed took is not known."""

    model: Model
    metrics: Metrics

    def reply(self, task: ModelTask, heard: Heard) -> ModelReply:
        """Ask the model, and note what its answer took where it says so."""
        reply = self.model.reply(task, heard)
        if reply.usage.input_tokens or reply.usage.output_tokens:
            self.metrics.add(TOKENS_IN, reply.usage.input_tokens, task.model)
            self.metrics.add(TOKENS_OUT, reply.usage.output_tokens, task.model)
        return reply
