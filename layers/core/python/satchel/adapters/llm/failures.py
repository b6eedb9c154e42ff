"""What pydantic_ai and the providers' libraries raise, as why a model gave no answer.

What a provider says may repeat the question or a part of the key: it is logged at DEBUG alone, never in a traceback.
"""

import logging
from collections.abc import Sequence

import httpx2
from botocore.exceptions import BotoCoreError
from pydantic import ValidationError
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
    UserError,
)
from pydantic_ai.messages import ModelResponse

from satchel.domain.llm import (
    ContentFiltered,
    ContextTooLong,
    ModelAccessDenied,
    ModelCutOff,
    ModelError,
    ModelGarbled,
    ModelNotFound,
    ModelQuotaSpent,
    ModelRefused,
    ModelRequestRejected,
    ModelSilent,
    ModelThrottled,
    ModelUnavailable,
)

logger = logging.getLogger(__name__)

# The first that fits counts: special ones stand before general ones.
_KINDS: Sequence[tuple[type[Exception], type[ModelError]]] = (
    (ModelContextWindowExceededError, ContextTooLong),
    (ModelAuthenticationError, ModelAccessDenied),
    (ModelNotFoundError, ModelNotFound),
    (ModelQuotaExceededError, ModelQuotaSpent),
    (ModelRequestRejectedError, ModelRequestRejected),
    (ModelRateLimitError, ModelThrottled),
    (ModelUnavailableError, ModelUnavailable),
    (ModelServerError, ModelUnavailable),
    (ModelTimeoutError, ModelSilent),
    (ModelConnectionError, ModelUnavailable),
    (httpx2.TimeoutException, ModelSilent),
    (httpx2.TransportError, ModelUnavailable),
    (ModelHTTPError, ModelUnavailable),
    (BotoCoreError, ModelAccessDenied),
    (UserError, ModelRequestRejected),
    (ModelAPIError, ModelGarbled),
    (AgentRunError, ModelGarbled),
    (ValidationError, ModelGarbled),
)
EXPECTED = tuple(kind for kind, _ in _KINDS)
_FILTERED = ("content_filter", "content_policy_violation")


def failure(error: Exception, *, begun: bool) -> ModelError:
    """Return why there is no answer; ``begun``: it had begun to come."""
    kind = next(ours for theirs, ours in _KINDS if isinstance(error, theirs))
    if kind is ModelUnavailable and begun and not isinstance(error, ModelHTTPError):
        kind = ModelCutOff
    code = error.provider_error_code if isinstance(error, ModelAPIError) else None
    if kind is ModelRequestRejected and code in _FILTERED:
        kind = ContentFiltered
    status = error.status_code if isinstance(error, ModelHTTPError) else None
    said = " ".join(str(part) for part in (status, code) if part) or type(error).__name__
    logger.debug("a model's provider: %s", error)
    return kind(said, error.retry_after if isinstance(error, ModelAPIError) else None)


def unfinished(response: ModelResponse) -> ModelError | None:
    """Return why an answer that came to its end is none; None where it is one.

    One that was cut at the model's limit of tokens is: ``spoken`` says so at its end.
    """
    details = response.provider_details or {}
    reason = str(details.get("finish_reason", ""))
    if "refusal" in details or reason == "refusal":
        return ModelRefused(reason)
    if response.finish_reason == "content_filter":
        return ContentFiltered(reason)
    if response.finish_reason == "error":
        return ModelGarbled(reason)
    return None if reason else ModelCutOff("no finish reason")
