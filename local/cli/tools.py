"""`satchel tools`: list the tools that the user can use, grouped by server."""

import json
import textwrap
from collections.abc import Iterator, Sequence

import typer

from local.cli.connection import Connection, run_with_client
from local.cli.errors import ExitCode
from local.cli.text import one_line
from satchel_client import Client
from satchel_client.models import ToolServer, ToolSpec

_MAX_DESCRIPTION_CHARS = 100


def list_tools(connection: Connection, *, as_json: bool) -> ExitCode:
    """Print the servers and their tools. Return FAILURE if a server is unavailable."""

    def run(client: Client) -> ExitCode:
        servers = client.servers()
        lines = [_as_json(servers)] if as_json else [line for server in servers for line in _lines(server)]
        for line in lines:
            typer.echo(line)
        is_unavailable = any(server.status == "unavailable" for server in servers)
        return ExitCode.FAILURE if is_unavailable else ExitCode.SUCCESS

    return run_with_client(connection, run)


def _as_json(servers: Sequence[ToolServer]) -> str:
    return json.dumps([server.model_dump(mode="json") for server in servers], indent=2, ensure_ascii=False)


def _lines(server: ToolServer) -> Iterator[str]:
    description = f": {one_line(server.description)}" if server.description else ""
    yield f"{one_line(server.name)} ({server.status}){description}"
    if server.reason:
        yield f"  why: {one_line(server.reason)}"
    for tool in server.tools:
        yield f"  {one_line(f'{tool.server}.{tool.name}')} {_arguments(tool)}"
        if words := _words(tool):
            yield f"    {words}"
        if summary := one_line(tool.description.strip().partition("\n")[0]):
            yield f"    {textwrap.shorten(summary, _MAX_DESCRIPTION_CHARS, placeholder=' …')}"


def _words(tool: ToolSpec) -> str:
    """Return the tool's title, and what its server says about its effects."""
    hints = tool.hints
    effect = "only reads" if hints and hints.read_only else "may destroy data" if hints and hints.destructive else ""
    return ", ".join(filter(None, [one_line(tool.title or ""), effect]))


def _arguments(tool: ToolSpec) -> str:
    """Return the names of the tool's arguments, with optional arguments in brackets."""
    properties, required = tool.input_schema.get("properties"), tool.input_schema.get("required") or []
    names = list(properties) if isinstance(properties, dict) else []
    return " ".join(one_line(name if name in required else f"[{name}]") for name in names)
