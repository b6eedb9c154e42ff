"""Speaks to an example server in a process of its own, as Satchel does: raw results, progress as it comes."""

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
"""How far a call is, of how much, and what is done."""


@dataclass(frozen=True)
class User:
    """A user that nobody else is, and the folder /tmp/{name}/ that a tool of theirs may write."""

    name: str
    folder: Path

    def upload(self, name: str, content: bytes) -> str:
        """Puts a file where Satchel would; answers with the path that the tool is given."""
        path = self.folder / "input_files" / name
        path.write_bytes(content)
        return str(path)


@dataclass
class Session:
    """A session with a server that runs."""

    client: Client

    async def call(self, tool: str, hear: Callable[[Progress], None], **arguments: object) -> dict[str, Any]:
        """Answers with the result as it stands on the wire, unknown keys included; tells progress as it comes."""
        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments))

        async def keep(progress: float, total: float | None, message: str | None) -> None:
            hear((progress, total, message))

        raw: dict[str, Any] = await self.client.session.send_request(request, RAW, progress_callback=keep)
        return raw


@dataclass(frozen=True)
class Server:
    """A server that runs, whose session lives in a loop of its own, in another thread."""

    session: Session
    portal: BlockingPortal

    def tools(self) -> list[Tool]:
        """Answers with the list of its tools."""
        return self.portal.call(self.session.client.list_tools).tools

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Answers with the result as it stands on the wire."""

        async def ask() -> dict[str, Any]:
            return await self.session.call(tool, lambda _: None, **arguments)

        return self.portal.call(ask)


@contextmanager
def running(server: str, home: Path) -> Iterator[Server]:
    """Starts the server isolated, as Satchel does, and ends it."""
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
    """Runs the interpreter in a server's folder, with nothing to read."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=SERVERS / server, input=b"", capture_output=True, check=True, timeout=30)  # noqa: S603  all of it stands in the tests


def payload(result: dict[str, Any]) -> dict[str, Any]:
    """What a tool returned: it travels twice, as structured content and as the text of the same JSON."""
    assert result["isError"] is False
    assert [json.loads(block.pop("text")) for block in result["content"]] == [result["structuredContent"]]
    assert result["content"] == [{"type": "text"}]
    structured: dict[str, Any] = result["structuredContent"]
    return structured


def refusal(result: dict[str, Any]) -> str:
    """The sentence of a tool that refused: one block of text, marked as an error, and nothing structured."""
    assert result["isError"] is True
    assert "structuredContent" not in result
    (block,) = result["content"]
    return str(block["text"])
