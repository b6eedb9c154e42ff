"""The server ``bench`` in this process: what its tools do, and who has called them."""

import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from satchel.domain.conversation import ToolSpec
from satchel.ports.tool_client import CallFailure, ProgressUpdate, ToolEvent, ToolResult

_TEXT = {"type": "string"}
_ARGUMENTS = {
    "write": {"name": _TEXT, "text": _TEXT, "username": _TEXT},
    "ask": {"name": _TEXT, "text": _TEXT, "username": _TEXT},
    "say": {"size": {"type": "integer"}},
    "wait": {},
}


class Running:
    """Implements ``ports.tool_client.RunningCall``."""

    def __init__(self) -> None:
        self._signals: queue.SimpleQueue[ToolEvent] = queue.SimpleQueue()
        self.killed = threading.Event()

    def say(self, *signals: ToolEvent) -> None:
        for signal in signals:
            self._signals.put(signal)

    def receive(self, timeout: float) -> ToolEvent | None:
        try:
            return self._signals.get(timeout=timeout)
        except queue.Empty:
            return None

    def kill(self) -> None:
        self.killed.set()
        self.say(CallFailure(crashed=True, message="The call was ended"))


class Bench:
    """Implements ``ports.tool_client.ToolClient``. ``wait`` never answers; ``waiting`` are its calls."""

    def __init__(self) -> None:
        self.called: list[str] = []
        self.waiting: queue.SimpleQueue[Running] = queue.SimpleQueue()

    @contextmanager
    def call(self, tool: str, arguments: dict[str, Any], workspace: Path | None, *, writes: bool) -> Iterator[Running]:
        assert writes is ("username" in _ARGUMENTS[tool])
        self.called.append(tool)
        running = Running()
        running.say(ProgressUpdate(progress=1, total=2))
        if tool == "wait":
            self.waiting.put(running)
        else:
            running.say(_answer(arguments, workspace))
        yield running

    def list_tools(self) -> Sequence[ToolSpec]:
        return [
            ToolSpec(server="bench", name=name, input_schema={"type": "object", "properties": arguments})
            for name, arguments in _ARGUMENTS.items()
        ]

    def close(self) -> None:
        """Nothing is left open."""


def _answer(arguments: dict[str, Any], workspace: Path | None) -> ToolResult:
    if workspace is None:
        return _structured({"results": "x" * arguments["size"]})
    (workspace / arguments["name"]).write_text(arguments["text"], encoding="utf-8")
    artifact = {"name": arguments["name"], "path": arguments["name"], "mime": "text/plain"}
    return _structured({"results": arguments["text"], "artifacts": [artifact]})


def _structured(payload: dict[str, Any]) -> ToolResult:
    return ToolResult(raw={"content": [], "structuredContent": payload})
