"""Speaks to an example server in a process of its own, as Satchel does: raw results, progress as it comes."""

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolRequest, CallToolRequestParams
from pydantic import TypeAdapter

SERVERS = Path(__file__).parents[3] / "functions" / "servers"
RAW: TypeAdapter[Any] = TypeAdapter(dict[str, Any])


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
    """A session with a server that runs, and the progress that it has reported."""

    client: Client
    progress: list[tuple[float, float | None, str | None]] = field(default_factory=list)

    async def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Answers with the result as it stands on the wire, unknown keys included."""
        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments))
        raw: dict[str, Any] = await self.client.session.send_request(request, RAW, progress_callback=self._keep)
        return raw

    async def _keep(self, progress: float, total: float | None, message: str | None) -> None:
        self.progress.append((progress, total, message))


def converse(server: str, talk: Callable[[Session], Awaitable[None]], home: Path) -> str:
    """Starts the server isolated, as Satchel does, talks, ends it; returns what it wrote to standard error."""
    command = StdioServerParameters(
        command=sys.executable, args=["-I", "main.py"], cwd=SERVERS / server, env={"MPLCONFIGDIR": str(home)}
    )

    async def whole(stderr: TextIO) -> None:
        async with Client(stdio_client(command, errlog=stderr)) as client:
            await talk(Session(client))

    with (home / "stderr.txt").open("w") as stderr:
        anyio.run(whole, stderr)
    return (home / "stderr.txt").read_text()


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
