"""Convert errors to HTTP responses: a status and problem+json (RFC 9457) with an ``error_code``."""

import logging
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, JsonValue
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match, Route

from satchel.domain import errors

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"

_STATUS: list[tuple[type[errors.SatchelError], int]] = [
    (errors.NotFound, 404),
    (errors.NotAllowed, 403),
    (errors.TooLarge, 413),
    (errors.RangeNotSatisfiable, 416),
    (errors.InvalidRequest, 422),
    (errors.Conflict, 409),
    (errors.Changed, 412),
    (errors.StorageFull, 413),
    (errors.QuotaExceeded, 429),
    (errors.Unavailable, 503),
]
_TITLES = {
    400: "Bad request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    412: "Precondition failed",
    413: "Too large",
    416: "Range not satisfiable",
    422: "Invalid request",
    429: "Too many requests",
    500: "Internal error",
    503: "Unavailable",
}
_SCHEMA = {"$ref": "#/components/schemas/Problem"}
_EXAMPLES = {
    400: ("E_INVALID_REQUEST", "body: JSON decode error"),
    401: ("E_UNAUTHORIZED", "You are not signed in."),
    403: ("E_FORBIDDEN", "The user name must match [A-Za-z0-9][A-Za-z0-9._@+-]{0,63}."),
    404: ("E_SESSION_NOT_FOUND", "There is no such session."),
    409: ("E_TURN_RUNNING", "A turn is still running in this session."),
    412: ("E_CHANGED", "It was changed meanwhile. Read it again, then decide whether to change it."),
    413: ("E_TOO_LARGE", "The body may have at most 6000000 bytes."),
    416: ("E_RANGE", "The file has 4083 bytes."),
    422: ("E_INVALID_REQUEST", "body.message: Field required"),
    429: ("E_QUOTA_EXCEEDED", "You sent 120 messages in this minute, the maximum. Try again in 23 seconds."),
    500: ("E_INTERNAL", "An unexpected error occurred on the server; it has been logged."),
    503: ("E_UNAVAILABLE", "Another request is changing the session; try again."),
}
_RETRY_AFTER = {
    "Retry-After": {
        "description": "Seconds to wait before a repetition. The API sends it unless waiting does not help:"
        " `detail` says what does. The gateway never sends it.",
        "schema": {"type": "integer", "minimum": 1},
    }
}
_CHALLENGE = {"WWW-Authenticate": {"description": "How to sign in.", "schema": {"type": "string"}}}
_FORBIDDEN, _TOO_MANY = 403, 429
_HEADERS = {401: _CHALLENGE, 429: _RETRY_AFTER, 503: _RETRY_AFTER}
_UNAVAILABLE_SECONDS = 1
_METHOD_NOT_ALLOWED = 405
_MAX_REPORTED_FIELDS = 5
_HTTP_CODES = {404: "E_NOT_FOUND", 405: "E_METHOD_NOT_ALLOWED", 413: "E_TOO_LARGE"}


def _error_codes(kind: type[errors.SatchelError]) -> set[str]:
    return {kind.code}.union(*map(_error_codes, kind.__subclasses__()))


_CODES: list[JsonValue] = [*sorted({"E_UNAUTHORIZED", *_HTTP_CODES.values(), *_error_codes(errors.SatchelError)})]


class Problem(BaseModel):
    """An error. ``error_code`` never changes, ``detail`` is a text for users, and other fields describe the cause."""

    model_config = ConfigDict(extra="allow")

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    error_code: Annotated[str, Field(examples=["E_FILE_NOT_FOUND"], json_schema_extra={"x-extensible-enum": _CODES})]


def problem_response(status: int, code: str, detail: str, extra: dict[str, Any] | None = None) -> JSONResponse:
    """Return an error response. Its ``no-store`` header prevents caches from storing a 404 for an arbitrary time."""
    body = Problem(title=_TITLES.get(status, "Error"), status=status, detail=detail, error_code=code)
    content = {**(extra or {}), **body.model_dump()}
    return JSONResponse(content, status_code=status, media_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"})


def problem_responses(*statuses: int, signs_in: bool = True) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI descriptions of a route's error responses with these HTTP statuses.

    A route with 403 that needs sign-in (``signs_in``) also answers 429 to users who exceed their request rate.
    """
    return {
        status: {
            "description": _TITLES[status],
            "content": {MEDIA_TYPE: {"schema": _SCHEMA, "example": _example_problem(status)}},
            **({"headers": _HEADERS[status]} if status in _HEADERS else {}),
        }
        for status in (*statuses, *([_TOO_MANY] if signs_in and _FORBIDDEN in statuses else []))
    }


def _example_problem(status: int) -> dict[str, Any]:
    code, detail = _EXAMPLES[status]
    return Problem(title=_TITLES[status], status=status, detail=detail, error_code=code).model_dump()


class BodyTooLarge(HTTPException):
    """The request body exceeds the size limit.

    A subclass of HTTPException, because FastAPI answers 400 to any other exception while it reads a body.
    """

    def __init__(self, max_bytes: int) -> None:
        super().__init__(413, f"The body may have at most {max_bytes} bytes.")
        self.max_bytes = max_bytes

    def response(self) -> JSONResponse:
        """Return this error as a 413 response."""
        return problem_response(413, "E_TOO_LARGE", self.detail, {"limit_bytes": self.max_bytes})


def install_error_handlers(app: FastAPI, routes: Sequence[BaseRoute]) -> None:
    """Make the application answer every error with problem+json. ``routes`` are all routes of the application."""
    app.state.all_routes = routes
    app.add_exception_handler(errors.SatchelError, _handle_satchel_error)
    app.add_exception_handler(RequestValidationError, _handle_validation_error)
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(Exception, _handle_unexpected_error)


def _handle_satchel_error(request: Request, error: Exception) -> JSONResponse:
    del request
    if not isinstance(error, errors.SatchelError):  # pragma: no cover  (this handler receives only SatchelError)
        raise error
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    response = problem_response(status, error.code, error.message, error.details)
    if isinstance(error, errors.RangeNotSatisfiable):
        response.headers["Content-Range"] = f"bytes */{error.details['size']}"
    if isinstance(error, errors.QuotaExceeded) and error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, errors.Unavailable):
        response.headers["Retry-After"] = str(_UNAVAILABLE_SECONDS)
    return response


def _handle_validation_error(request: Request, error: Exception) -> JSONResponse:
    """Return a 422 response that names the invalid fields but not their values, which may be secret or large."""
    del request
    failures = error.errors() if isinstance(error, RequestValidationError) else []
    fields = [{"field": ".".join(map(str, each["loc"])), "message": str(each["msg"])} for each in failures]
    is_broken_json = any(each["type"] == "json_invalid" for each in failures)
    reported = "; ".join(f"{each['field']}: {each['message']}" for each in fields[:_MAX_REPORTED_FIELDS])
    detail = reported or "The request is not valid."
    return problem_response(400 if is_broken_json else 422, "E_INVALID_REQUEST", detail, {"errors": fields})


def _handle_http_error(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, BodyTooLarge):
        return error.response()
    if not isinstance(error, HTTPException):  # pragma: no cover  (this handler receives only HTTPException)
        raise error
    response = problem_response(
        error.status_code, _HTTP_CODES.get(error.status_code, "E_INVALID_REQUEST"), str(error.detail)
    )
    response.headers.update(error.headers or {})
    if error.status_code == _METHOD_NOT_ALLOWED:
        response.headers["Allow"] = ", ".join(_allowed_methods(request))
    return response


def _allowed_methods(request: Request) -> list[str]:
    """Return all methods of the request's path, for the header Allow. FastAPI would list only one route's methods."""
    routes: Sequence[BaseRoute] = request.app.state.all_routes
    matches = [route for route in routes if isinstance(route, Route) and route.matches(request.scope)[0] != Match.NONE]
    return sorted({method for route in matches for method in route.methods or ()})


def _handle_unexpected_error(request: Request, error: Exception) -> JSONResponse:
    logger.error("request failed", exc_info=error, extra={"method": request.method, "path": request.url.path})
    return problem_response(500, "E_INTERNAL", "An unexpected error occurred on the server; it has been logged.")
