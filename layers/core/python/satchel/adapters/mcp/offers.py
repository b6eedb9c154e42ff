"""Lists a server's resources and prompts, and requests them like tool calls."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from mcp import ClientSession, MCPError
from mcp_types import (
    CallToolRequest,
    CallToolRequestParams,
    CompleteRequest,
    CompleteRequestParams,
    CompletionArgument,
    CompletionContext,
    GetPromptRequest,
    GetPromptRequestParams,
    PaginatedRequestParams,
    PromptReference,
    ReadResourceRequest,
    ReadResourceRequestParams,
)
from pydantic import ValidationError

from satchel.adapters.mcp.specs import to_prompt, to_resource, to_template
from satchel.domain.conversation import CallMethod
from satchel.domain.resources import MAX_OFFERED, OfferMethod, Offers
from satchel.ports.tool_client import Answers

CallRequest = CallToolRequest | ReadResourceRequest | GetPromptRequest | CompleteRequest


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


def to_request(
    method: CallMethod | OfferMethod, name: str, arguments: dict[str, Any], answers: Answers | None = None
) -> CallRequest:
    """Return the MCP request of a call. ``name`` is the tool or the prompt.

    To complete an argument of a prompt, ``arguments`` has its name as ``argument``, and the values as ``arguments``.
    ``answers`` continue a call that ended with questions.
    """
    if answers is not None:
        continued = {"input_responses": answers.responses or None, "request_state": answers.state}
        return CallToolRequest(
            params=CallToolRequestParams.model_validate({"name": name, "arguments": arguments, **continued})
        )
    if method == "resources/read":
        return ReadResourceRequest(params=ReadResourceRequestParams(uri=str(arguments.get("uri"))))
    if method == "prompts/get":
        return GetPromptRequest(params=GetPromptRequestParams(name=name, arguments=arguments))
    if method == "completion/complete":
        values = dict(arguments["arguments"])
        argument = CompletionArgument(name=arguments["argument"], value=values.pop(arguments["argument"], ""))
        context = CompletionContext(arguments=values)
        return CompleteRequest(
            params=CompleteRequestParams(ref=PromptReference(name=name), argument=argument, context=context)
        )
    return CallToolRequest(params=CallToolRequestParams(name=name, arguments=arguments))


def to_tool_result(request: CallRequest, raw: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a request in the form of a tool's result.

    Each content of a resource becomes an embedded resource. The messages of a prompt become one message.
    """
    if isinstance(request, ReadResourceRequest):
        contents = raw.get("contents") or []
        return {"content": [{"type": "resource", "resource": each} for each in contents if isinstance(each, dict)]}
    if isinstance(request, GetPromptRequest):
        return {"content": _flatten(raw.get("messages"))}
    return raw


def _flatten(messages: object) -> list[dict[str, Any]]:
    """Return the content of all messages. If they are a dialog, each text begins with the role of its message."""
    found = [each for each in messages if isinstance(each, dict)] if isinstance(messages, list) else []
    is_dialog = len({each.get("role") for each in found}) > 1
    blocks: list[dict[str, Any]] = []
    for message in found:
        content = message.get("content")
        label = f"{str(message.get('role')).capitalize()}: " if is_dialog else ""
        for block in content if isinstance(content, list) else [content]:
            if isinstance(block, dict):
                is_text = block.get("type") == "text"
                blocks.append(block | {"text": f"{label}{block.get('text')}"} if is_text else block)
    return blocks
