"""Converts exceptions from pydantic_ai and the providers' libraries to the errors of ``domain.llm``.

A provider's message may repeat the user's question or part of the API key, so the message is logged only at DEBUG
level and is not included in the converted error.
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
    ModelNotFound,
    ModelQuotaExceeded,
    ModelRefused,
    ModelReplyUnreadable,
    ModelRequestRejected,
    ModelThrottled,
    ModelTimedOut,
    ModelUnavailable,
)

logger = logging.getLogger(__name__)

# ``map_error`` uses the first entry that matches, so subclasses must come before their base classes.
_ERROR_TYPES: Sequence[tuple[type[Exception], type[ModelError]]] = (
    (ModelContextWindowExceededError, ContextTooLong),
    (ModelAuthenticationError, ModelAccessDenied),
    (ModelNotFoundError, ModelNotFound),
    (ModelQuotaExceededError, ModelQuotaExceeded),
    (ModelRequestRejectedError, ModelRequestRejected),
    (ModelRateLimitError, ModelThrottled),
    (ModelUnavailableError, ModelUnavailable),
    (ModelServerError, ModelUnavailable),
    (ModelTimeoutError, ModelTimedOut),
    (ModelConnectionError, ModelUnavailable),
    (httpx2.TimeoutException, ModelTimedOut),
    (httpx2.TransportError, ModelUnavailable),
    (ModelHTTPError, ModelUnavailable),
    (BotoCoreError, ModelAccessDenied),
    (UserError, ModelRequestRejected),
    (ModelAPIError, ModelReplyUnreadable),
    (AgentRunError, ModelReplyUnreadable),
    (ValidationError, ModelReplyUnreadable),
)
PROVIDER_ERRORS = tuple(provider_error for provider_error, _ in _ERROR_TYPES)
_FILTER_CODES = ("content_filter", "content_policy_violation")


def map_error(error: Exception, *, started: bool) -> ModelError:
    """Convert one of ``PROVIDER_ERRORS`` to a ModelError.

    ``started``: part of the answer had arrived, so a lost connection is ModelCutOff, not ModelUnavailable.
    """
    model_error = next(ours for theirs, ours in _ERROR_TYPES if isinstance(error, theirs))
    if model_error is ModelUnavailable and started and not isinstance(error, ModelHTTPError):
        model_error = ModelCutOff
    code = error.provider_error_code if isinstance(error, ModelAPIError) else None
    if model_error is ModelRequestRejected and code in _FILTER_CODES:
        model_error = ContentFiltered
    status = error.status_code if isinstance(error, ModelHTTPError) else None
    detail = " ".join(str(part) for part in (status, code) if part) or type(error).__name__
    logger.debug("the model's provider reported an error: %s", error)
    return model_error(detail, error.retry_after if isinstance(error, ModelAPIError) else None)


def check_finish(response: ModelResponse) -> ModelError | None:
    """Return the error if a finished response has no usable answer, or None if the answer is usable.

    An answer that was cut at the model's length limit is usable: ``streaming_model`` appends a notice to the text.
    """
    details = response.provider_details or {}
    reason = str(details.get("finish_reason", ""))
    if "refusal" in details or reason == "refusal":
        return ModelRefused(reason)
    if response.finish_reason == "content_filter":
        return ContentFiltered(reason)
    if response.finish_reason == "error":
        return ModelReplyUnreadable(reason)
    return None if reason else ModelCutOff("no finish reason")
