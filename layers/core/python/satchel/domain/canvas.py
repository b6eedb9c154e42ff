"""Dashboards that tools show in a frame: URL checks (clause v2:canvas:origins), and users' actions in dashboards."""

import re
from collections.abc import Collection
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from satchel.contract import Canvas, has_file_link, strip_base64
from satchel.domain.dashboard_tokens import MAX_TOOL_TOKEN_CHARS
from satchel.domain.ids import CallId, CanvasId, SessionId, UserName
from satchel.domain.responses import ResponseCanvas
from satchel.domain.size_limits import MAX_TEXT_CHARS, strip_and_truncate

MAX_DETAILS_BYTES = 8_192
_MAX_PORT = 65_535
_DEFAULT_PORTS = {"http": 80, "https": 443}
# Do not use urlsplit: a browser may find a different host in the same URL. This pattern accepts only plain hosts.
_WEB_URL = re.compile(
    r"(https?)://([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::([0-9]{1,5}))?(?=[/?#]|\Z)", re.IGNORECASE | re.ASCII
)
# Dashboard ids are part of request paths (which some gateways decode twice) and DynamoDB keys, so exclude "/" and "%".
CANVAS_ID_PATTERN = r"(?!\.{1,2}\Z)[^%/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,128}"
_CANVAS_ID = re.compile(CANVAS_ID_PATTERN)


class Dashboard(BaseModel):
    """A dashboard that passed the URL checks, and the session and tool call that opened the dashboard most recently."""

    canvas_id: CanvasId
    user: UserName
    session_id: SessionId
    call_id: CallId
    url: str
    opened_at: datetime


class CanvasAction(BaseModel):
    """An action that a user performed in a dashboard."""

    action_id: str
    canvas_id: CanvasId
    session_id: SessionId
    call_id: CallId
    user: UserName
    action: str
    details: dict[str, Any] = {}
    at: datetime


def is_canvas_id(text: str) -> bool:
    """Return True if the text can be a dashboard's id: 1 to 128 characters, no slashes, ``%`` or control characters."""
    return _CANVAS_ID.fullmatch(text) is not None


def origin_of(url: str) -> str | None:
    """Return a web URL's ``scheme://host[:port]`` in lower case, without a default port, or None for other URLs."""
    found = _WEB_URL.match(url)
    if found is None:
        return None
    scheme, host = found[1].lower(), found[2].lower()
    port = int(found[3]) if found[3] else _DEFAULT_PORTS[scheme]
    if port > _MAX_PORT:
        return None
    return f"{scheme}://{host}" if port == _DEFAULT_PORTS[scheme] else f"{scheme}://{host}:{port}"


def parse_origin(text: str) -> str:
    """Normalize an origin from the settings (lower case, no default port). Raise ValueError if it is not an origin."""
    found = _WEB_URL.match(text)
    origin = origin_of(text)
    if found is None or origin is None or text[found.end() :] not in {"", "/"}:
        raise ValueError(f"{text!r} is not an origin: use https://host or https://host:port, without path or wildcard")
    return origin


def rejection_reason(canvas: Canvas, origins: Collection[str]) -> str | None:
    """Return why a dashboard must not be shown, or None if it is an iframe with an id and an allowed URL."""
    if canvas.type != "iframe":
        return f"A canvas of type {canvas.type[:40]!r} cannot be shown; 'iframe' can."
    if not canvas.id or not canvas.url:
        return f"The canvas has no {'url' if canvas.id else 'id'}."
    if not is_canvas_id(canvas.id):
        return "The id of the canvas must have 1 to 128 characters, without slashes, % and control characters."
    if len(canvas.token or "") > MAX_TOOL_TOKEN_CHARS:
        return f"The token of the canvas has over {MAX_TOOL_TOKEN_CHARS} characters."
    return _url_rejection_reason(canvas.url, origins)


def _url_rejection_reason(url: str, origins: Collection[str]) -> str | None:
    origin = origin_of(url)
    if origin is None:
        return "The url of the canvas is not a web URL."
    if origin not in origins:
        return f"The origin {origin} is not on this deployment's list of origins for dashboards."
    if len(url) > MAX_TEXT_CHARS or has_file_link(url) or strip_base64(url) != url:
        return f"The url of the canvas has over {MAX_TEXT_CHARS} characters, or contains base64 or a link to a file."
    return None


def to_response_canvas(canvas: Canvas) -> ResponseCanvas:
    """Convert a dashboard for the turn's response. Omit its token; ``wants_token`` is True if the tool set one."""
    return ResponseCanvas(
        open=canvas.open,
        id=canvas.id or "",
        persistence=canvas.persistence,
        type=canvas.type,
        url=canvas.url or "",
        title=strip_and_truncate(canvas.title),
        mode=canvas.mode,
        wants_token="token" in canvas.model_fields_set,
    )
