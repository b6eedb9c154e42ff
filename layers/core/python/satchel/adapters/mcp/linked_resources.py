"""Reads the resources that a tool's result links, so that their content is stored instead of an address.

Only the server knows addresses such as ``demo://report/7``, and it may forget them after the call. So the session that
ran the call reads them before it ends.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from mcp import ClientSession, MCPError
from mcp_types import ReadResourceRequest, ReadResourceRequestParams
from pydantic import TypeAdapter, ValidationError

logger = logging.getLogger(__name__)

MAX_LINKS = 20
"""The links of one result that are read. Further links stay links."""

_NOT_READ = ("file:", "data:", "http:", "https:")  # files and data have their own way; servers do not serve web pages
_RAW_RESULT: TypeAdapter[Any] = TypeAdapter(dict[str, Any])


async def embed_linked_resources(session: ClientSession, raw: dict[str, Any], max_bytes: int) -> dict[str, Any]:
    """Return the result of a tool with linked resources embedded. ``max_bytes`` limits their total size.

    A link that the server cannot read stays a link.
    """
    content = raw.get("content")
    if raw.get("isError") or not isinstance(content, list) or not any(map(_is_readable, content)):
        return raw
    blocks: list[Any] = []
    links = 0
    for block in content:
        links += _is_readable(block)
        embedded = await _read(session, block) if _is_readable(block) and links <= MAX_LINKS else []
        size = sum(map(_size, embedded))
        if not embedded or size > max_bytes:
            blocks.append(block)
            continue
        max_bytes -= size
        blocks += embedded
    return raw | {"content": blocks}


def _is_readable(block: object) -> bool:
    if not isinstance(block, Mapping) or block.get("type") != "resource_link":
        return False
    uri = block.get("uri")
    return isinstance(uri, str) and ":" in uri and not uri.lower().startswith(_NOT_READ)


async def _read(session: ClientSession, link: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the contents of a linked resource as embedded resources; none if the server cannot read it."""
    request = ReadResourceRequest(params=ReadResourceRequestParams(uri=link["uri"]))
    try:
        contents = (await session.send_request(request, _RAW_RESULT)).get("contents")
    except (MCPError, ValidationError) as error:
        logger.info("a linked resource cannot be read", extra={"reason": str(error)[:200]})
        return []
    usable = [each for each in contents or [] if isinstance(each, dict) and ("text" in each or "blob" in each)]
    # The names of a link describe its content; several contents have addresses of their own.
    names = {key: link[key] for key in ("name", "title", "description", "mimeType") if link.get(key)}
    described = [names | each for each in usable] if len(usable) == 1 else usable
    return [{"type": "resource", "resource": {"uri": link["uri"]} | each} for each in described]


def _size(block: Mapping[str, Any]) -> int:
    return sum(len(str(block["resource"].get(key) or "")) for key in ("text", "blob"))
