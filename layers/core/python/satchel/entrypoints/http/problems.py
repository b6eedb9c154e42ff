"""Every error that the application answers is problem+json (RFC 9457) with an ``error_code``; mapped here alone."""

import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match, Route

from satchel.domain import errors

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"

_STATUS: list[tuple[type[errors.SatchelError], int]] = [
    (errors.NotFound, 404),
    (errors.NotAllowed, 403),
    (errors.TooLarge, 413),
    (errors.Unsatisfiable, 416),
    (errors.InvalidRequest, 422),
    (errors.Conflict, 409),
    (errors.Unavailable, 503),
]
_TITLES = {
    400: "Bad request",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    413: "Too large",
    416: "Range not satisfiable",
    422: "Invalid request",
    500: "Internal error",
    503: "Unavailable",
}
_SCHEMA = {"$ref": "#/components/schemas/Problem"}
_EXAMPLES = {
    400: ("E_INVALID_REQUEST", "body: JSON decode error"),
    403: ("E_FORBIDDEN", "The user name must match [A-Za-z0-9][A-Za-z0-9._@+-]{0,63}."),
    404: ("E_SESSION_NOT_FOUND", "There is no such session."),
    409: ("E_TURN_RUNNING", "A turn is still running in this session."),
    413: ("E_TOO_LARGE", "The body may have 6000000 bytes."),
    416: ("E_RANGE", "The file has 4083 bytes."),
    422: ("E_INVALID_REQUEST", "body.message: Field required"),
    503: ("E_UNAVAILABLE", "The session was busy; try again."),
}
_OTHER_METHOD = 405
_HTTP_CODES = {404: "E_NOT_FOUND", 405: "E_METHOD_NOT_ALLOWED", 413: "E_TOO_LARGE"}


class Problem(BaseModel):
    """What went wrong. ``error_code`` is stable, ``detail`` is for people; further members name what was wrong."""

    model_config = ConfigDict(extra="allow")

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    error_code: str = Field(examples=["E_FILE_NOT_FOUND"])


def problem(status: int, code: str, detail: str, extra: dict[str, Any] | None = None) -> JSONResponse:
    """Return a problem as a response. No cache keeps it: some would answer a 404 for as long as they like."""
    body = Problem(title=_TITLES.get(status, "Error"), status=status, detail=detail, error_code=code)
    told = {**(extra or {}), **body.model_dump()}
    return JSONResponse(told, status_code=status, media_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"})


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what OpenAPI is told of the errors of a route."""
    return {
        status: {
            "description": _TITLES[status],
            "content": {MEDIA_TYPE: {"schema": _SCHEMA, "example": _example(status)}},
        }
        for status in statuses
    }


def _example(status: int) -> dict[str, Any]:
    code, detail = _EXAMPLES[status]
    return Problem(title=_TITLES[status], status=status, detail=detail, error_code=code).model_dump()


class BodyTooLong(HTTPException):
    """The body goes over the limit. An HTTPException, since FastAPI makes any other that meets a body a 400."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(413, f"The body may have {max_bytes} bytes.")
        self.max_bytes = max_bytes

    def answer(self) -> JSONResponse:
        """Return it as a response."""
        return problem(413, "E_TOO_LARGE", self.detail, {"limit_bytes": self.max_bytes})


def install(app: FastAPI, routes: Sequence[BaseRoute]) -> None:
    """Make the application answer every error this way; ``routes`` are all that it has."""
    app.state.all_routes = routes
    app.add_exception_handler(errors.SatchelError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


def _ours(request: Request, error: Exception) -> JSONResponse:
    del request
    if not isinstance(error, errors.SatchelError):  # pragma: no cover  (what it is installed for)
        raise error
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    answer = problem(status, error.code, error.message, error.details)
    if isinstance(error, errors.Unsatisfiable):
        answer.headers["Content-Range"] = f"bytes */{error.details['size']}"
    return answer


def _invalid(request: Request, error: Exception) -> JSONResponse:
    """Name the fields that do not fit; what was sent is not echoed (it may be large, secret, or no text at all)."""
    del request
    found = error.errors() if isinstance(error, RequestValidationError) else []
    fields = [{"field": ".".join(map(str, item["loc"])), "message": str(item["msg"])} for item in found]
    broken = any(item["type"] == "json_invalid" for item in found)
    detail = "; ".join(f"{item['field']}: {item['message']}" for item in fields[:5]) or "The request is not valid."
    return problem(400 if broken else 422, "E_INVALID_REQUEST", detail, {"errors": fields})


def _http(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, BodyTooLong):
        return error.answer()
    if not isinstance(error, HTTPException):  # pragma: no cover  (what it is installed for)
        raise error
    answer = problem(error.status_code, _HTTP_CODES.get(error.status_code, "E_INVALID_REQUEST"), str(error.detail))
    answer.headers.update(error.headers or {})
    if error.status_code == _OTHER_METHOD:
        answer.headers["Allow"] = ", ".join(_methods(request))
    return answer


def _methods(request: Request) -> list[str]:
    """Return all methods of a path; the router names those of the first route alone (RFC 9110 §10.2.1)."""
    routes: Sequence[BaseRoute] = request.app.state.all_routes
    found = [route for route in routes if isinstance(route, Route) and route.matches(request.scope)[0] != Match.NONE]
    return sorted({method for route in found for method in route.methods or ()})


def _unexpected(request: Request, error: Exception) -> JSONResponse:
    logger.error("request failed", exc_info=error, extra={"method": request.method, "path": request.url.path})
    return problem(500, "E_INTERNAL", "Something went wrong on our side; it has been logged.")
