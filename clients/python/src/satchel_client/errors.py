"""Errors of the client. Only `ApiError` has ``code``, ``status`` and ``details``; for all others they are empty.

SatchelError
├── InvalidUrl          the server's address is not an http or https URL
├── Unreachable         no connection to the server                     (retryable)
├── ConnectionLost      the connection broke or timed out               (retryable)
├── UnexpectedResponse  the response does not follow the API
├── ApiError            the server answered with an error               (retryable if 429, 502, 503 or 504)
├── FileChanged         the local file changed during its upload
└── FileReplaced        the version of the file that was being downloaded is no longer its newest
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

_UNAVAILABLE = {HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT}


class SatchelError(Exception):
    """Base class of the client's errors. If ``retryable`` is true, the same request may succeed later.

    ``code`` is the API's ``error_code``, which never changes, and ``status`` the HTTP status of its response.
    ``details`` are further members of the response, such as ``limit_bytes``.
    """

    code: str | None = None
    status: int | None = None
    details: Mapping[str, Any] = {}
    retryable = False
    retry_after: float | None = None


class InvalidUrl(SatchelError):
    """The server's address is not an http or https URL."""


class Unreachable(SatchelError):
    """The connection to the server could not be opened."""

    retryable = True


class ConnectionLost(SatchelError):
    """The connection was opened, then broke or timed out."""

    retryable = True


class UnexpectedResponse(SatchelError):
    """The response does not follow Satchel's API."""


class ApiError(SatchelError):
    """A response with an HTTP status of 400 or above. ``retry_after`` is the seconds to wait that the server named."""

    def __init__(
        self,
        status: int,
        detail: str,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{detail} ({code or f'HTTP {status}'})")
        self.status = status
        self.code = code
        self.details = details or {}
        self.retry_after = retry_after
        # A quota that waiting does not free has no Retry-After. A gateway's own error has no code.
        has_freed_quota = status == HTTPStatus.TOO_MANY_REQUESTS and (retry_after is not None or code is None)
        self.retryable = status in _UNAVAILABLE or has_freed_quota

    @property
    def fields(self) -> Mapping[str, str]:
        """Return why each field of the request was rejected, by its path, such as ``body.content.size``."""
        errors = self.details.get("errors")
        valid = [each for each in errors if isinstance(each, dict)] if isinstance(errors, list) else []
        return {str(each.get("field")): str(each.get("message")) for each in valid}


class FileChanged(SatchelError):
    """The local file changed during its upload."""


class FileReplaced(SatchelError):
    """The version of the file that was being downloaded is no longer its newest, or has no content any more."""
