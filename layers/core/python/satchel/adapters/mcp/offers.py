"""Lists a server's resources and prompts, and reads resources like tool calls."""

from contextlib import suppress
from typing import Any

from mcp import ClientSession, MCPError
from mcp_types import CallToolRequest, CallToolRequestParams, ReadResourceRequest, ReadResourceRequestParams
from pydantic import ValidationError

from satchel.adapters.mcp.specs import to_prompt, to_resource, to_template
from satchel.domain.conversation import CallMethod
from satchel.domain.resources import Offers


async def list_offers(session: ClientSession, server: str) -> Offers:
    """Return the first page of the server's resources, templates and prompts. A list that fails is empty."""
    offered = session.server_capabilities
    offers = Offers()
    if offered and offered.resources is not None:
        with suppress(MCPError, ValidationError):
            resources = (await session.list_resources()).resources
            offers.resources = [found for each in resources if (found := to_resource(server, each))]
        with suppress(MCPError, ValidationError):
            templates = (await session.list_resource_templates()).resource_templates
            offers.templates = [pattern for each in templates if (pattern := to_template(server, each))]
    if offered and offered.prompts is not None:
        with suppress(MCPError, ValidationError):
            offers.prompts = [to_prompt(server, prompt) for prompt in (await session.list_prompts()).prompts]
    return offers.with_server(server)


def to_request(method: CallMethod, tool: str, arguments: dict[str, Any]) -> CallToolRequest | ReadResourceRequest:
    """Return the MCP request of a call."""
    if method == "resources/read":
        return ReadResourceRequest(params=ReadResourceRequestParams(uri=str(arguments.get("uri"))))
    return CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments))


def to_tool_result(raw: dict[str, Any]) -> dict[str, Any]:
    """Return the result of ``resources/read`` as that of a tool: each content becomes an embedded resource."""
    contents = raw.get("contents")
    return {"content": [{"type": "resource", "resource": each} for each in contents or [] if isinstance(each, dict)]}
