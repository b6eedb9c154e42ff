"""Helpers that call the tools of a server and wait for the events of the calls."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from satchel.adapters.mcp.client import McpToolClient
from satchel.domain.inputs import InputAnswer
from satchel.ports.tool_client import (
    Answers,
    AskedQuestion,
    CallOutcome,
    ProgressUpdate,
    RunningCall,
    ToolEvent,
    ToolResult,
)

SERVER_PROGRAMS = Path(__file__).parent / "server_programs"
TIMEOUT = 120.0


@dataclass
class ToolCaller:
    """Calls tools of one server for one user, and waits until they end."""

    client: McpToolClient
    workspace: Path

    def events(self, tool: str, answers: Answers | None = None, **arguments: Any) -> list[ToolEvent]:  # noqa: ANN401  (whatever a tool takes)
        with self.client.call(tool, arguments, self.workspace, writes=True, answers=answers) as running:
            return self.remaining(running)

    def answered(self, tool: str, *answers: InputAnswer, **arguments: Any) -> list[ToolEvent]:  # noqa: ANN401  (whatever a tool takes)
        """Call a tool and answer its questions. Return all events."""
        given = iter(answers)
        with self.client.call(tool, arguments, self.workspace, writes=True, can_ask=True) as running:
            events: list[ToolEvent] = []
            while not events or not isinstance(events[-1], CallOutcome):
                event = running.receive(TIMEOUT)
                assert event is not None, "the call does not end"
                events.append(event)
                if isinstance(event, AskedQuestion) and (answer := next(given, None)):
                    running.reply(event.id, answer)
            return events

    def remaining(self, running: RunningCall) -> list[ToolEvent]:
        events: list[ToolEvent] = []
        while not events or not isinstance(events[-1], CallOutcome):
            event = running.receive(TIMEOUT)
            assert event is not None, "the call does not end"
            events.append(event)
        return events

    def outcome(self, tool: str, answers: Answers | None = None, **arguments: Any) -> ToolEvent:  # noqa: ANN401  (whatever a tool takes)
        return self.events(tool, answers, **arguments)[-1]

    def value(self, tool: str, **arguments: Any) -> Any:  # noqa: ANN401  (whatever a tool returns)
        return json_of(self.outcome(tool, **arguments))


def json_of(result: ToolEvent | None) -> Any:  # noqa: ANN401  (any JSON)
    """Return the JSON in the text of a result."""
    assert isinstance(result, ToolResult), result
    return json.loads(result.raw["content"][0]["text"])


def pids_of(running: RunningCall) -> list[int]:
    """Wait for the progress event in which a tool reports its own pid and the pid of its daemon."""
    event = running.receive(TIMEOUT)
    assert isinstance(event, ProgressUpdate), event
    pids: list[int] = json.loads(event.message or "")
    return pids


class StartRaw(Protocol):
    """Creates a caller of the raw server."""

    def __call__(self, *flags: str, environ: dict[str, str] | None = None, **limits: Any) -> ToolCaller: ...  # noqa: ANN401  (options of the client)
