"""Sends model requests, and retries them after temporary errors."""

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
_FIRST_DELAY_SECONDS = 0.5
_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class RetryingModel:
    """Implements ``ports.llm.Model``: sends a request to ``model`` up to four times within ``timeout`` seconds.

    The delay before a retry starts at half a second, doubles with each retry and has random jitter. It is longer if
    the provider asks for a longer delay. If the last try fails too, its error is raised, and the state machine repeats
    the step that sent the request.
    """

    model: Model
    clock: Clock
    sleep: Callable[[float], None]
    timeout: float
    rng: random.Random = field(default_factory=random.Random)

    def reply(self, request: CompletionRequest, listener: StreamListener) -> ModelReply:
        """Return the reply of the first successful try. If no try succeeds, raise the ModelError of the last try."""
        deadline = self.clock.monotonic() + self.timeout
        for number in range(MAX_TRIES):
            try:
                return self.model.reply(request, listener)
            except ModelError as error:
                delay = self._delay(error, number)
                logger.warning("the model request failed", extra=_log_fields(error, request, number))
                if not error.retryable or number + 1 == MAX_TRIES or self.clock.monotonic() + delay >= deadline:
                    raise
            listener.restart()
            self._wait(delay, listener)
        raise AssertionError("the last try returns or raises")

    def _delay(self, error: ModelError, number: int) -> float:
        backoff = _FIRST_DELAY_SECONDS * (1 << number) * self.rng.uniform(0.75, 1.25)
        return max(backoff, error.retry_after or 0)

    def _wait(self, delay: float, listener: StreamListener) -> None:
        """Wait ``delay`` seconds. Every 0.2 s, call the listener with "", so that it can cancel by raising an error."""
        end = self.clock.monotonic() + delay
        while (remaining := end - self.clock.monotonic()) > 0:
            self.sleep(min(_POLL_SECONDS, remaining))
            listener("")


def _log_fields(error: ModelError, request: CompletionRequest, number: int) -> dict[str, object]:
    return {
        "model": request.model,
        "error_code": error.code,
        "provider_said": error.provider_status,
        "tries": number + 1,
    }
