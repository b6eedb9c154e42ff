"""A model that is asked again where its failure may pass."""

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from satchel.domain.conversation import CompletionRequest, ModelReply
from satchel.domain.llm import ModelError
from satchel.ports.llm import Model, StreamListener
from satchel.ports.system import Clock

logger = logging.getLogger(__name__)

MAX_TRIES = 4
_FIRST_PAUSE = 0.5
_LOOK = 0.2


@dataclass(frozen=True)
class RetryingModel:
    """Implements ``ports.model.Model`` by another that it asks up to four times, within ``seconds`` altogether.

    Pauses double from half a second, spread by chance so that those who were turned away together do not come back
    together; a provider that says how long to wait is waited for. The state machine tries again what still fails then.
    """

    model: Model
    clock: Clock
    wait: Callable[[float], None]
    seconds: float
    dice: random.Random = field(default_factory=random.Random)

    def reply(self, task: CompletionRequest, heard: StreamListener) -> ModelReply:
        """Ask, and again. Raises ModelError."""
        latest = self.clock.monotonic() + self.seconds
        for number in range(MAX_TRIES):
            try:
                return self.model.reply(task, heard)
            except ModelError as error:
                pause = self._pause(error, number)
                logger.warning("a model gave no answer", extra=_facts(error, task, number))
                if not error.passing or number + 1 == MAX_TRIES or self.clock.monotonic() + pause >= latest:
                    raise
            heard.restart()
            self._wait(pause, heard)
        raise AssertionError("the last try returns or raises")

    def _pause(self, error: ModelError, number: int) -> float:
        own = _FIRST_PAUSE * (1 << number) * self.dice.uniform(0.75, 1.25)
        return max(own, error.retry_after or 0)

    def _wait(self, pause: float, heard: StreamListener) -> None:
        """Whoever listens is told that time goes by, and may end the wait."""
        end = self.clock.monotonic() + pause
        while (left := end - self.clock.monotonic()) > 0:
            self.wait(min(_LOOK, left))
            heard("")


def _facts(error: ModelError, task: CompletionRequest, number: int) -> dict[str, object]:
    return {"model": task.model, "error_code": error.code, "provider_said": error.said, "tries": number + 1}
