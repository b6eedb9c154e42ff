"""Converts the tools, resources and prompts in an MCP server's lists to Satchel's records."""

from typing import Any

from mcp_types import Icon as McpIcon
from mcp_types import Prompt as McpPrompt
from mcp_types import Resource as McpResource
from mcp_types import ResourceTemplate as McpTemplate
from mcp_types import Tool

from satchel.domain.arguments import FILE_OBJECT
from satchel.domain.conversation import Icon, ToolHints, ToolSpec
from satchel.domain.resources import READ_RESOURCE, Offers, Prompt, PromptArgument, Resource, ResourceTemplate

_MAX_ICONS = 4
_MAX_ICON_CHARS = 16_384
_MAX_CHARS = 200
_MAX_ADDRESS_CHARS = 1000
_NAMED_RESOURCES = 20
_ICON_SCHEMES = ("https://", "data:image/")


def to_spec(server: str, tool: Tool) -> ToolSpec:
    """Return the record of a tool."""
    hints = tool.annotations
    return ToolSpec(
        server=server,
        name=tool.name,
        title=tool.title or (hints.title if hints else None),
        description=tool.description or "",
        input_schema=_with_file_names(tool.input_schema, tool.meta),
        output_schema=tool.output_schema,
        hints=hints
        and ToolHints(
            read_only=hints.read_only_hint,
            destructive=hints.destructive_hint,
            idempotent=hints.idempotent_hint,
            open_world=hints.open_world_hint,
        ),
        icons=to_icons(tool.icons),
        for_model=_is_for("model", tool.meta),
        for_app=_is_for("app", tool.meta),
        app_uri=_app_uri(tool.meta),
        needs_task=tool.execution is not None and tool.execution.task_support == "required",
    )


def _with_file_names(schema: dict[str, Any], meta: dict[str, Any] | None) -> dict[str, Any]:
    """Let the model name files in the arguments that ``_meta["openai/fileParams"]`` lists.

    The server expects objects with a link, which only Satchel can make. A call gets them in place of the names.
    """
    named, properties = (meta or {}).get("openai/fileParams"), schema.get("properties")
    if not isinstance(named, list) or not isinstance(properties, dict):
        return schema
    changed = {name: _file_names(old) for name, old in properties.items() if name in named and isinstance(old, dict)}
    return {**schema, "properties": properties | changed}


def _file_names(schema: dict[str, Any]) -> dict[str, Any]:
    name: dict[str, Any] = {"type": "string"}
    is_list = schema.get("type") == "array" or "items" in schema
    names = {"type": "array", "items": name} if is_list else name
    labels = {key: schema[key] for key in ("title", "description") if key in schema}
    return {"description": "Name or key of a file"} | labels | names | {FILE_OBJECT: True}


def to_icons(icons: list[McpIcon] | None) -> list[Icon]:
    """Return the icons, except long ones and those with other than ``https:`` and ``data:`` URLs."""
    usable = [
        Icon(src=icon.src, mime=icon.mime_type, sizes=icon.sizes or [])
        for icon in icons or []
        if icon.src.startswith(_ICON_SCHEMES) and len(icon.src) <= _MAX_ICON_CHARS
    ]
    return usable[:_MAX_ICONS]


def _is_for(caller: str, meta: dict[str, Any] | None) -> bool:
    """Return False if ``_meta.ui.visibility`` (MCP Apps) lists callers, ``model`` or ``app``, but not this one."""
    visibility = _ui(meta).get("visibility")
    return not isinstance(visibility, list) or not visibility or caller in visibility


def _app_uri(meta: dict[str, Any] | None) -> str | None:
    """Return the address of the tool's app (MCP Apps): ``_meta.ui.resourceUri``, or the name in older versions."""
    uri = _ui(meta).get("resourceUri") or (meta or {}).get("ui/resourceUri")
    return uri if isinstance(uri, str) and uri.startswith("ui://") and len(uri) <= _MAX_ADDRESS_CHARS else None


def _ui(meta: dict[str, Any] | None) -> dict[str, Any]:
    ui = (meta or {}).get("ui")
    return ui if isinstance(ui, dict) else {}


def to_resource(server: str, resource: McpResource) -> Resource | None:
    """Return the record of a resource, or None if its address is too long."""
    if len(resource.uri) > _MAX_ADDRESS_CHARS:
        return None
    texts = _texts(resource)
    return Resource(server=server, uri=resource.uri, mime=resource.mime_type, size=resource.size, **texts)


def to_template(server: str, template: McpTemplate) -> ResourceTemplate | None:
    """Return the record of a template, or None if its pattern is too long."""
    if len(template.uri_template) > _MAX_ADDRESS_CHARS:
        return None
    texts = _texts(template)
    return ResourceTemplate(server=server, uri_template=template.uri_template, mime=template.mime_type, **texts)


def to_prompt(server: str, prompt: McpPrompt) -> Prompt:
    """Return the record of a prompt."""
    arguments = [
        PromptArgument(
            name=each.name, description=(each.description or "")[:_MAX_CHARS], required=each.required is True
        )
        for each in prompt.arguments or []
    ]
    return Prompt(server=server, arguments=arguments, **_texts(prompt))


def read_resource_tool(server: str, offers: Offers) -> ToolSpec | None:
    """Return the tool that reads a server's resources, or None if the server has none."""
    addresses = [each.uri for each in offers.resources] + [each.uri_template for each in offers.templates]
    if not addresses:
        return None
    named = "".join(f"\n- {address}" for address in addresses[:_NAMED_RESOURCES])
    more = len(addresses) - _NAMED_RESOURCES
    return ToolSpec(
        server=server,
        name=READ_RESOURCE,
        title="Read a resource",
        description=f"Read a resource of this server into a file of the session. Resources:{named}"
        + (f"\nand {more} more" if more > 0 else ""),
        input_schema={
            "type": "object",
            "properties": {"uri": {"type": "string", "description": "The address; fill in the parts in braces."}},
            "required": ["uri"],
            "additionalProperties": False,
        },
        hints=ToolHints(read_only=True),
        method="resources/read",
    )


def _texts(each: McpResource | McpTemplate | McpPrompt) -> dict[str, Any]:
    title = each.title and each.title[:_MAX_CHARS]
    return {"name": each.name[:_MAX_CHARS], "title": title, "description": (each.description or "")[:_MAX_CHARS]}
