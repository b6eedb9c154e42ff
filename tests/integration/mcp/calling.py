"""Calling tools of a server and waiting for their end."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from satchel.adapters.mcp.client import McpToolClient
from satchel.ports.tool_client import CallFailure, ProgressUpdate, RunningCall, ToolEvent, ToolResult

SERVERS = Path(__file__).parent / "servers"
ENDLESS = 30.0


@dataclass
class Caller:
    """Calls tools of one server as one person, and waits for their end."""

    client: McpToolClient
    workspace: Path

    def signals(self, tool: str, **arguments: Any) -> list[ToolEvent]:  # noqa: ANN401  (whatever a tool takes)
        with self.client.call(tool, arguments, self.workspace, writes=True) as running:
            return self.rest(running)

    def rest(self, running: RunningCall) -> list[ToolEvent]:
        heard: list[ToolEvent] = []
        while not heard or not isinstance(heard[-1], ToolResult | CallFailure):
            signal = running.receive(ENDLESS)
            assert signal is not None, "the call does not end"
            heard.append(signal)
        return heard

    def last(self, tool: str, **arguments: Any) -> ToolEvent:  # noqa: ANN401  (whatever a tool takes)
        return self.signals(tool, **arguments)[-1]

    def value(self, tool: str, **arguments: Any) -> Any:  # noqa: ANN401  (whatever a tool returns)
        return told(self.last(tool, **arguments))


def told(answer: ToolEvent | None) -> Any:  # noqa: ANN401  (whatever a tool returns)
    """Return the JSON in the answer's text."""
    assert isinstance(answer, ToolResult), answer
    return json.loads(answer.raw["content"][0]["text"])


def pids_of(running: RunningCall) -> list[int]:
    """Wait for a tool to tell, by its progress, its own pid and its daemon's."""
    signal = running.receive(ENDLESS)
    assert isinstance(signal, ProgressUpdate), signal
    pids: list[int] = json.loads(signal.message or "")
    return pids


class StartRaw(Protocol):
    """Makes a caller of the raw server."""

    def __call__(self, *flags: str, environ: dict[str, str] | None = None, **limits: Any) -> Caller: ...  # noqa: ANN401  (the client's own)
