"""Reads the apps that tools name (MCP Apps, SEP-1865): HTML pages with addresses ``ui://…``.

The session that ran the call reads the page before it ends, like linked resources.
"""

from typing import Any

import pybase64
from mcp import ClientSession, MCPError
from mcp.client.extension import advertise
from mcp_types import ReadResourceRequest, ReadResourceRequestParams
from pydantic import TypeAdapter, ValidationError

from satchel.contract import APP_MIME
from satchel.domain.apps import APP_EXTENSION, MAX_APP_BYTES, AppPage
from satchel.ports.tool_client import AppAnswer, AppRequest

APPS = advertise(APP_EXTENSION, {"mimeTypes": [APP_MIME]})
"""Tells servers that results may be shown by apps. Servers may hide their apps from other clients."""

_RAW_RESULT: TypeAdapter[Any] = TypeAdapter(dict[str, Any])


class _UnusableError(Exception):
    """The server returned something else than an HTML page."""


async def read_app(session: ClientSession, app: AppRequest, raw: dict[str, Any]) -> AppAnswer:
    """Return what an app gets of the result ``raw``, with the page if the request names one and the call succeeded."""
    if app.uri is None or raw.get("isError"):
        return AppAnswer(result=raw)
    request = ReadResourceRequest(params=ReadResourceRequestParams(uri=app.uri))
    try:
        page = _to_page(app.uri, await session.send_request(request, _RAW_RESULT))
    except (MCPError, ValidationError, _UnusableError) as error:
        return AppAnswer(result=raw, problem=f"The app {app.uri} cannot be shown: {str(error)[:200]}")
    return AppAnswer(result=raw, page=page)


def _to_page(uri: str, raw: dict[str, Any]) -> AppPage:
    contents = raw.get("contents")
    content = contents[0] if isinstance(contents, list) and contents else None
    if not isinstance(content, dict):
        raise _UnusableError("the server returned no content")
    mime = content.get("mimeType")
    if not isinstance(mime, str) or not mime.lower().startswith("text/html"):
        raise _UnusableError(f"its type is {str(mime)[:100]!r}, not {APP_MIME!r}")
    html = _text(content)
    if len(html.encode()) > MAX_APP_BYTES:
        raise _UnusableError(f"it is larger than {MAX_APP_BYTES >> 20} MiB")
    meta = content.get("_meta")
    ui = meta.get("ui") if isinstance(meta, dict) else None
    return AppPage(uri=uri, html=html, meta=ui if isinstance(ui, dict) else {})


def _text(content: dict[str, Any]) -> str:
    text, blob = content.get("text"), content.get("blob")
    if isinstance(text, str):
        return text
    try:
        return pybase64.b64decode(str(blob), validate=True).decode()
    except ValueError as error:
        raise _UnusableError("it is not text in UTF-8") from error
