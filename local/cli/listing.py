"""What `satchel tools` does: asks which tools there are, and tells them by server."""

import json
import textwrap
from collections.abc import Iterator

import httpx2
import typer

from local.cli.api import ApiClient
from local.cli.errors import CliError
from local.cli.text import one_line
from local.cli.wire import ServerListing, ToolListing

ALL_WELL, NOT_ALL_WELL, WENT_WRONG = 0, 1, 2
_WIDTH = 100


def list_tools(
    url: str, user: str | None, token: str | None, *, as_json: bool, transport: httpx2.BaseTransport | None = None
) -> int:
    """Ask and tell. Returns the exit code."""
    try:
        with ApiClient(url, user=user, token=token, transport=transport) as client:
            servers = client.tools().servers
    except CliError as error:
        typer.echo(f"satchel: {one_line(str(error))}", err=True)
        return WENT_WRONG
    lines = [_as_json(servers)] if as_json else [line for server in servers for line in _lines(server)]
    for line in lines:
        typer.echo(line)
    return NOT_ALL_WELL if any(server.status == "unavailable" for server in servers) else ALL_WELL


def _as_json(servers: list[ServerListing]) -> str:
    return json.dumps([server.model_dump() for server in servers], indent=2, ensure_ascii=False)


def _lines(server: ServerListing) -> Iterator[str]:
    about = f": {one_line(server.description)}" if server.description else ""
    yield f"{one_line(server.name)} ({server.status}){about}"
    if server.reason:
        yield f"  why: {one_line(server.reason)}"
    for tool in server.tools:
        yield f"  {one_line(tool.full_name)} {_arguments(tool)}"
        if said := one_line(tool.description.strip().partition("\n")[0]):
            yield f"    {textwrap.shorten(said, _WIDTH, placeholder=' …')}"


def _arguments(tool: ToolListing) -> str:
    """Write the arguments by name; those that may be left out stand in brackets."""
    properties, required = tool.input_schema.get("properties"), tool.input_schema.get("required") or []
    names = list(properties) if isinstance(properties, dict) else []
    return " ".join(one_line(name if name in required else f"[{name}]") for name in names)
