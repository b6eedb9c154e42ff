"""An example server in its own process, with a client that shows raw results and progress."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolRequest, CallToolRequestParams, Tool
from pydantic import TypeAdapter

SERVERS = Path(__file__).parents[3] / "functions" / "servers"
RAW: TypeAdapter[Any] = TypeAdapter(dict[str, Any])
Progress = tuple[float, float | None, str | None]
"""The progress, the total and the message of a progress notification."""


@dataclass(frozen=True)
class User:
    """A user with a unique name, and the folder /tmp/{name}/ that tools may write."""

    name: str
    folder: Path

    def upload(self, name: str, content: bytes) -> str:
        """Write a file where Satchel would put it, and return the path for the tool."""
        path = self.folder / "input_files" / name
        path.write_bytes(content)
        return str(path)


@dataclass
class Session:
    """A session with a running server."""

    client: Client

    async def call(self, tool: str, on_progress: Callable[[Progress], None], **arguments: object) -> dict[str, Any]:
        """Return the raw result, including unknown keys, and call ``on_progress`` for each notification."""
        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments))

        async def forward(progress: float, total: float | None, message: str | None) -> None:
            on_progress((progress, total, message))

        raw: dict[str, Any] = await self.client.session.send_request(request, RAW, progress_callback=forward)
        return raw


@dataclass(frozen=True)
class Server:
    """A running server. Its session runs in an event loop in another thread."""

    session: Session
    portal: BlockingPortal

    def tools(self) -> list[Tool]:
        """Return the list of its tools."""
        return self.portal.call(self.session.client.list_tools).tools

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Return the raw result."""

        async def call() -> dict[str, Any]:
            return await self.session.call(tool, lambda _: None, **arguments)

        return self.portal.call(call)


@contextmanager
def running(server: str, home: Path) -> Iterator[Server]:
    """Start the server isolated (`python -I`), as Satchel does, and stop it at the end."""
    command = StdioServerParameters(
        command=sys.executable, args=["-I", "main.py"], cwd=SERVERS / server, env={"MPLCONFIGDIR": str(home)}
    )
    with (
        (home / "stderr.txt").open("w") as errlog,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(stdio_client(command, errlog=errlog))) as client,
    ):
        yield Server(Session(client), portal)


def python(*arguments: str, server: str) -> subprocess.CompletedProcess[bytes]:
    """Run the interpreter in a server's folder with empty input."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=SERVERS / server, input=b"", capture_output=True, check=True, timeout=180)  # noqa: S603  fixed arguments


def payload(result: dict[str, Any]) -> dict[str, Any]:
    """Return the structured content of a result. The result also contains the same JSON as text."""
    assert result["isError"] is False
    assert [json.loads(block.pop("text")) for block in result["content"]] == [result["structuredContent"]]
    assert result["content"] == [{"type": "text"}]
    structured: dict[str, Any] = result["structuredContent"]
    return structured


def error_message(result: dict[str, Any]) -> str:
    """Return the message of an error result, which has one text block and no structured content."""
    assert result["isError"] is True
    assert "structuredContent" not in result
    (block,) = result["content"]
    return str(block["text"])
