"""Helper that calls the tools of a sandboxed server and collects the outcome."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from satchel.adapters.mcp.client import McpToolClient
from satchel.ports.tool_client import BlockedAccess, CallFailure, OutsideChange, ToolEvent, ToolResult

SANDBOXED_TOOLS = Path(__file__).parent / "sandboxed_tools"
TIMEOUT = 120.0


@dataclass(frozen=True)
class CallOutcome:
    """Result or failure of a call, the blocked paths with operations, and the paths changed outside the workspace."""

    end: ToolResult | CallFailure
    blocked: list[str]
    operations: list[str | None]
    changed_outside: list[str]

    @property
    def results(self) -> Any:  # noqa: ANN401  (whatever a tool returns)
        """Return the results of a successful call."""
        assert isinstance(self.end, ToolResult), self.end
        assert not self.end.raw.get("isError"), self.end.raw
        return self.end.raw["structuredContent"]["results"]

    @property
    def error(self) -> str:
        """Return the error text of a failed tool."""
        assert isinstance(self.end, ToolResult), self.end
        assert self.end.raw["isError"]
        text: str = self.end.raw["content"][0]["text"]
        return text


@dataclass(frozen=True)
class SandboxedServer:
    """Calls the tools of one server for one user."""

    client: McpToolClient
    workspace: Path

    def call(self, tool: str, *, writes: bool = True, **arguments: object) -> CallOutcome:
        events: list[ToolEvent] = []
        with self.client.call(tool, arguments, self.workspace, writes=writes) as running:
            while not events or not isinstance(events[-1], ToolResult | CallFailure):
                event = running.receive(TIMEOUT)
                assert event is not None, "the call does not end"
                events.append(event)
        end = events[-1]
        assert isinstance(end, ToolResult | CallFailure)
        blocked = [event for event in events if isinstance(event, BlockedAccess)]
        return CallOutcome(
            end=end,
            blocked=[event.path for event in blocked],
            operations=[event.operation for event in blocked],
            changed_outside=[event.path for event in events if isinstance(event, OutsideChange)],
        )
