"""Reads the apps that tools name (MCP Apps, SEP-1865): HTML pages with addresses ``ui://…``.

The session that ran the call reads the page before it ends, like linked resources. Servers made for older hosts
(MCP-UI) embed the page, or the address of a web page, in the result instead.
"""

import re
from html import escape
from typing import Any
from urllib.parse import urlsplit

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


_URL = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?([/?#][^\s]*)?")
_WEB_PAGE = (
    '<!doctype html><meta charset="utf-8">'
    "<style>html,body,iframe{{display:block;width:100%;height:100%;margin:0;border:0}}</style>"
    '<iframe src="{url}" title="{url}"></iframe>'
)


class _UnusableError(Exception):
    """The server returned something else than an HTML page."""


async def read_app(session: ClientSession, app: AppRequest | None, raw: dict[str, Any]) -> AppAnswer | None:
    """Return what an app gets of the result ``raw``, with the page if the call succeeded; None if the call has no app.

    The request names the page. Without a request, the result may embed it.
    """
    if app is None:
        page = _embedded_app(raw)
        return AppAnswer(result=raw, page=page) if page else None
    if app.uri is None or raw.get("isError"):
        return AppAnswer(result=raw)
    request = ReadResourceRequest(params=ReadResourceRequestParams(uri=app.uri))
    try:
        page = _to_page(app.uri, await session.send_request(request, _RAW_RESULT))
    except (MCPError, ValidationError, _UnusableError) as error:
        return AppAnswer(result=raw, problem=f"The app {app.uri} cannot be shown: {str(error)[:200]}")
    return AppAnswer(result=raw, page=page)


def without_app(answer: AppAnswer | None) -> dict[str, Any] | None:
    """Return the result without the content that is shown as an app, or None if the result embeds no app.

    Otherwise the page would become a second file, without its scripts.
    """
    content = answer.result.get("content") if answer and answer.page else None
    if not isinstance(content, list) or (index := _index_of_app(content)) is None:
        return None
    note = {"type": "text", "text": f"The user sees the app {content[index]['resource']['uri']}."}
    return answer.result | {"content": [*content[:index], note, *content[index + 1 :]]} if answer else None


def _index_of_app(content: list[Any]) -> int | None:
    """Return the position of the first embedded resource that is an app."""
    for index, block in enumerate(content):
        resource = block.get("resource") if isinstance(block, dict) and block.get("type") == "resource" else None
        if isinstance(resource, dict) and str(resource.get("uri")).startswith("ui://") and _is_shown(resource):
            return index
    return None


def _is_shown(resource: dict[str, Any]) -> bool:
    mime = str(resource.get("mimeType")).lower()
    return mime.startswith("text/html") or mime.partition(";")[0].strip() == "text/uri-list"


def _embedded_app(raw: dict[str, Any]) -> AppPage | None:
    content = raw.get("content")
    if raw.get("isError") or not isinstance(content, list) or (index := _index_of_app(content)) is None:
        return None
    resource = content[index]["resource"]
    try:
        if str(resource["mimeType"]).lower().startswith("text/html"):
            page = _to_page(resource["uri"], {"contents": [resource]})
            return _web_page(page.uri, page.html.strip()) if _URL.fullmatch(page.html.strip()) else page
        lines = [line.strip() for line in _text(resource).splitlines()]
    except _UnusableError:
        return None
    urls = [line for line in lines if _URL.fullmatch(line)]
    return _web_page(resource["uri"], urls[0]) if urls else None


def _web_page(uri: str, url: str) -> AppPage:
    """Return a page that shows a page of the web. The app may use no other origin."""
    place = urlsplit(url)
    csp = {"frameDomains": [f"{place.scheme}://{place.netloc}"]}
    return AppPage(uri=uri, html=_WEB_PAGE.format(url=escape(url, quote=True)), meta={"csp": csp})


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
