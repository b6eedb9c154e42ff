"""A server behind walls, and what comes of calling its tools."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from satchel.adapters.mcp.client import McpToolClient
from satchel.ports.tool_client import BlockedAccess, CallFailure, OutsideChange, ToolEvent, ToolResult

SERVERS = Path(__file__).parent / "servers"
ENDLESS = 120.0


@dataclass(frozen=True)
class Called:
    """What came of a call: the answer or the failure, the paths that the tool was refused, and what changed outside."""

    end: ToolResult | CallFailure
    refused: list[str]
    strayed: list[str]

    @property
    def results(self) -> Any:  # noqa: ANN401  (whatever a tool returns)
        """Return the results of a call that went well."""
        assert isinstance(self.end, ToolResult), self.end
        assert not self.end.raw.get("isError"), self.end.raw
        return self.end.raw["structuredContent"]["results"]

    @property
    def error(self) -> str:
        """Return what a tool said that failed."""
        assert isinstance(self.end, ToolResult), self.end
        assert self.end.raw["isError"]
        text: str = self.end.raw["content"][0]["text"]
        return text


@dataclass(frozen=True)
class Walled:
    """Calls tools as one person."""

    client: McpToolClient
    workspace: Path

    def call(self, tool: str, *, writes: bool = True, **arguments: object) -> Called:
        signals: list[ToolEvent] = []
        with self.client.call(tool, arguments, self.workspace, writes=writes) as running:
            while not signals or not isinstance(signals[-1], ToolResult | CallFailure):
                signal = running.receive(ENDLESS)
                assert signal is not None, "the call does not end"
                signals.append(signal)
        end = signals[-1]
        assert isinstance(end, ToolResult | CallFailure)
        refused = [signal.path for signal in signals if isinstance(signal, BlockedAccess)]
        return Called(end, refused, [signal.path for signal in signals if isinstance(signal, OutsideChange)])
