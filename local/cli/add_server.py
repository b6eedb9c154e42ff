"""`satchel add-server`: add servers from a pasted configuration, a package name or a URL to mcp.json, if they start."""

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import typer

from local.cli.config_edit import read_editable, with_entry
from local.cli.errors import CliError, ExitCode, NewServerError, print_error
from mcp_config import ConfigFileError, jsonc, server_name
from mcp_config.layouts import find_layout
from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.server_config import describe_problems, environment_variables, load_config, resolve_variables
from satchel.bootstrap.process import isolation
from satchel.contract.errors import ToolCrashed
from satchel.domain.servers import Registry

_URL = re.compile(r"https?://(?P<host>[^/:]+).*")
_RUNNERS = {"npm": ("npx", ["-y"]), "pypi": ("uvx", [])}

Entries = Mapping[str, Mapping[str, Any]]


def add_servers(source: str, name: str | None, config: Path) -> ExitCode:
    """Try the servers of a source, and add those that list their tools. Return FAILURE if one does not."""
    try:
        entries = entries_of(source, name)
        failed = [server for server, entry in entries.items() if not _add(server, entry, config)]
    except CliError as error:
        print_error(str(error))
        return ExitCode.ERROR
    return ExitCode.FAILURE if failed else ExitCode.SUCCESS


def entries_of(source: str, name: str | None) -> Entries:
    """Return the entries of a source by server name: JSON, a URL, or a package (``npm:`` or ``pypi:`` and its name).

    A package name without prefix is one of npm if it has a scope (``@scope/name``), and otherwise one of PyPI.
    """
    if source.lstrip().startswith("{"):
        return _pasted(source, name)
    if match := _URL.fullmatch(source):
        transport = {"transport": "sse"} if source.rstrip("/").endswith("/sse") else {}
        return {name or _short_name(match["host"]): {"url": source, **transport}}
    kind, colon, package = source.partition(":")
    if not colon or kind not in _RUNNERS:
        kind, package = "npm" if source.startswith("@") else "pypi", source
    command, options = _RUNNERS[kind]
    short = package.rpartition("/")[2].partition("@")[0].partition("=")[0]
    return {name or _short_name(short): {"command": command, "args": [*options, package]}}


def _pasted(text: str, name: str | None) -> Entries:
    """Return the entries of a pasted configuration, which can be one entry without a name."""
    try:
        document = jsonc.parse(text)
    except ValueError as error:
        raise NewServerError(f"The text is not JSON: {error}.") from error
    if isinstance(document, dict) and {"command", "url"} & document.keys():
        if name is None:
            raise NewServerError("The entry has no name: add --name.")
        return {name: document}
    entries: Entries = find_layout(document).entries
    if name and len(entries) == 1:
        return {name: next(iter(entries.values()))}
    return {server_name(written) or written: entry for written, entry in entries.items()}


def _short_name(text: str) -> str:
    return server_name(text.removeprefix("mcp-server-").removeprefix("server-").replace(".", "-")) or "server"


def _add(server: str, entry: Mapping[str, Any], config: Path) -> bool:
    """Try a server and add its entry. Print the result, and return False if the server does not start."""
    content = read_editable(config)
    if server in content.names:
        raise NewServerError(f"A server {server!r} already exists: {config}. Choose another name with --name.")
    text = with_entry(content, server, entry)
    try:
        tools = _list_tools(server, _load(text, server, config), config)
    except (ToolCrashed, NewServerError) as error:
        print_error(f"{server} was not added: {error}")
        return False
    config.write_text(text, encoding="utf-8")
    typer.echo(f"Added {server} to {config}, with {len(tools)} tools: {', '.join(tools)}")
    typer.echo("Restart Satchel to use it.")
    return True


def _load(text: str, server: str, config: Path) -> Registry:
    """Return the registry of the new text, as if it were in the place of the file. Raise NewServerError."""
    with tempfile.NamedTemporaryFile("w", dir=config.absolute().parent, suffix=".json", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        try:
            loaded = load_config(Path(file.name))
        except ConfigFileError as error:
            raise NewServerError(str(error)) from error
    problems = [line for line in describe_problems(config, loaded.registry) if f"server {server!r}:" in line]
    if problems:
        raise NewServerError("; ".join(problems))
    return loaded.registry


def _list_tools(server: str, registry: Registry, config: Path) -> Sequence[str]:
    loop = EventLoop()
    fill = partial(resolve_variables, config, server, variables=environment_variables(os.environ))
    try:
        client = McpToolClient(server, registry.servers[server], loop, os.environ, fill=fill, isolation=isolation())
        with closing(client):
            return [tool.name for tool in client.list_tools()]
    finally:
        loop.close()
