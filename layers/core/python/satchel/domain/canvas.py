"""Dashboards that a tool wants shown in a frame (spec 2 §3): admitted by origin, known by id, used by their owner."""

import re
from collections.abc import Collection
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from satchel.contract import Canvas, strip_blobs
from satchel.domain.ids import CallId, CanvasId, SessionId, UserName
from satchel.domain.responses import ResponseCanvas
from satchel.domain.size_limits import MAX_TEXT_CHARS, strip_and_truncate

MAX_DETAILS_BYTES = 8_192
_MAX_PORT = 65_535
_DEFAULT_PORTS = {"http": 80, "https": 443}
# Not urlsplit: what it reads as path or user a browser may read as host. Here, whatever is not plainly a host is none.
_WEB_URL = re.compile(
    r"(https?)://([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::([0-9]{1,5}))?(?=[/?#]|\Z)", re.IGNORECASE | re.ASCII
)
# It stands, percent-encoded, in the path of a request, which some gateways decode twice, and in the key of an item.
CANVAS_ID_PATTERN = r"(?!\.{1,2}\Z)[^%/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,128}"
_CANVAS_ID = re.compile(CANVAS_ID_PATTERN)


class Dashboard(BaseModel):
    """A dashboard that was admitted: whose it is, and which call of which session opened it last."""

    canvas_id: CanvasId
    user: UserName
    session_id: SessionId
    call_id: CallId
    url: str
    opened_at: datetime


class CanvasAction(BaseModel):
    """What a person did in a dashboard, and who it was."""

    action_id: str
    canvas_id: CanvasId
    session_id: SessionId
    call_id: CallId
    user: UserName
    action: str
    details: dict[str, Any] = {}
    at: datetime


def is_canvas_id(text: str) -> bool:
    """Tell whether a text may be the id of a dashboard: up to 128 characters, no slash, ``%`` or control character."""
    return _CANVAS_ID.fullmatch(text) is not None


def origin_of(url: str) -> str | None:
    """Return ``scheme://host[:port]`` of a web address, in lower case, without the standard port; else None."""
    found = _WEB_URL.match(url)
    if found is None:
        return None
    scheme, host = found[1].lower(), found[2].lower()
    port = int(found[3]) if found[3] else _DEFAULT_PORTS[scheme]
    if port > _MAX_PORT:
        return None
    return f"{scheme}://{host}" if port == _DEFAULT_PORTS[scheme] else f"{scheme}://{host}:{port}"


def parse_origin(text: str) -> str:
    """Read one entry of the list of origins, and return it in its one form. Raises ValueError."""
    found = _WEB_URL.match(text)
    origin = origin_of(text)
    if found is None or origin is None or text[found.end() :] not in {"", "/"}:
        raise ValueError(f"{text!r} is no origin: write https://host or https://host:port, without path or wildcard")
    return origin


def rejection_reason(canvas: Canvas, origins: Collection[str]) -> str | None:
    """Return why a dashboard may not be shown; None where it may: a frame with an id and a url of a listed origin."""
    if canvas.type != "iframe":
        return f"A canvas of type {canvas.type[:40]!r} cannot be shown; 'iframe' can."
    if not canvas.id or not canvas.url:
        return f"The canvas has no {'url' if canvas.id else 'id'}."
    if not is_canvas_id(canvas.id):
        return "The id of the canvas is to be of 1 to 128 characters, without slashes, % and control characters."
    return _url_rejection_reason(canvas.url, origins)


def _url_rejection_reason(url: str, origins: Collection[str]) -> str | None:
    origin = origin_of(url)
    if origin is None:
        return "The url of the canvas is no web address."
    if origin not in origins:
        return f"The origin {origin} is not on this deployment's list of origins for dashboards."
    if len(url) > MAX_TEXT_CHARS or strip_blobs(url) != url:
        return f"The url of the canvas is over {MAX_TEXT_CHARS} characters, or holds base64 or a link to a file."
    return None


def to_response_canvas(canvas: Canvas) -> ResponseCanvas:
    """Return a dashboard without refusal as it is kept and shown: that a token was asked for, never the tool's own."""
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
