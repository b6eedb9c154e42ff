"""Lists a server's resources and prompts, and reads resources like tool calls."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from mcp import ClientSession, MCPError
from mcp_types import (
    CallToolRequest,
    CallToolRequestParams,
    PaginatedRequestParams,
    ReadResourceRequest,
    ReadResourceRequestParams,
)
from pydantic import ValidationError

from satchel.adapters.mcp.specs import to_prompt, to_resource, to_template
from satchel.domain.conversation import CallMethod
from satchel.domain.resources import MAX_OFFERED, Offers


async def list_offers(session: ClientSession, server: str) -> Offers:
    """Return at most ``MAX_OFFERED`` resources, templates and prompts each. A list ends where a page fails."""
    offered = session.server_capabilities
    offers = Offers()
    if offered and offered.resources is not None:
        resources = await _read_pages(session.list_resources, "resources")
        offers.resources = [found for each in resources if (found := to_resource(server, each))]
        templates = await _read_pages(session.list_resource_templates, "resource_templates")
        offers.templates = [pattern for each in templates if (pattern := to_template(server, each))]
    if offered and offered.prompts is not None:
        offers.prompts = [to_prompt(server, prompt) for prompt in await _read_pages(session.list_prompts, "prompts")]
    return offers.with_server(server)


async def _read_pages(read_page: Callable[..., Awaitable[Any]], field: str) -> list[Any]:
    found: list[Any] = []
    cursor: str | None = None
    with suppress(MCPError, ValidationError):
        for _ in range(MAX_OFFERED):
            page = await read_page(params=PaginatedRequestParams(cursor=cursor))
            found += getattr(page, field)
            cursor = page.next_cursor
            if cursor is None or len(found) >= MAX_OFFERED:
                break
    return found


def to_request(method: CallMethod, tool: str, arguments: dict[str, Any]) -> CallToolRequest | ReadResourceRequest:
    """Return the MCP request of a call."""
    if method == "resources/read":
        return ReadResourceRequest(params=ReadResourceRequestParams(uri=str(arguments.get("uri"))))
    return CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments))


def to_tool_result(raw: dict[str, Any]) -> dict[str, Any]:
    """Return the result of ``resources/read`` as that of a tool: each content becomes an embedded resource."""
    contents = raw.get("contents")
    return {"content": [{"type": "resource", "resource": each} for each in contents or [] if isinstance(each, dict)]}
