"""The runner's use case with its real client and a real server, but with AWS in memory."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.json_schema import JsonSchemaChecker
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.sandbox.probe import find_layers
from satchel.adapters.system_clock import SystemClock
from satchel.adapters.workspace_files import fetch_inputs, list_files, open_artifact
from satchel.adapters.workspaces import LocalWorkspaces
from satchel.domain.ids import call_id
from satchel.domain.servers import ServerEntry
from satchel.services.calls.run_tool import CallPorts, RunTool
from satchel.settings import InputSettings, RunnerSettings
from tests.fakes.calls import FakeCalls, FakeReports
from tests.fakes.storage import FakeFileStore
from tests.fakes.turns import FakeEvents, FakeTaskCallback
from tests.unit.services.orders import TURN_ID, order

_MAX_FILE_BYTES = 1 << 30


class InMemoryRunner:
    """Runs calls of one server. ``area`` is the parent directory of the workspaces."""

    def __init__(self, entry: ServerEntry, area: Path) -> None:
        self._entry = entry
        self._area = LocalWorkspaces(area)
        self._loop = EventLoop()
        self._isolation = find_layers()
        self._calls = 0
        self._clock = SystemClock()
        self.client = self._new_client()
        self._run = self._use_case()  # once, as in a runner (``run_tool_use_case``)

    def call(self, tool: str, arguments: dict[str, object]) -> object:
        """Run a call from its order to its stored outcome and return the results. Raises ValueError if it failed."""
        self._calls += 1
        call = call_id(TURN_ID, 0, self._calls)
        call_order = order().model_copy(update={"tool": tool, "arguments": arguments, "call_id": call})
        reports = FakeReports()
        ports = CallPorts(store=FakeFileStore(), reports=reports, events=FakeEvents(self._clock), claims=FakeCalls())
        self._run(call_order, ports)
        outcome = reports.read(call_order)
        if outcome is None or outcome.is_error:
            raise ValueError(f"{tool} failed: {outcome}")
        return outcome.results

    def restart(self) -> None:
        """Stop the server. The next call starts a new one."""
        self.client.close()
        self.client = self._new_client()
        self._run = self._use_case()

    def close(self) -> None:
        """Stop the server and the event loop."""
        self.client.close()
        self._loop.close()

    def _new_client(self) -> McpToolClient:
        return McpToolClient("bench", self._entry, self._loop, os.environ, isolation=self._isolation)

    def _use_case(self) -> RunTool:
        return RunTool(
            client=self.client,
            older_client=self.client,
            workspaces=self._area,
            fetch_inputs=fetch_inputs,
            open_artifact=open_artifact,
            list_files=list_files,
            find_problems=JsonSchemaChecker().find_problems,
            callback=FakeTaskCallback(),
            clock=self._clock,
            new_claim=lambda: str(uuid4()),
            heartbeat_seconds=RunnerSettings().beat_seconds,
            max_file_bytes=_MAX_FILE_BYTES,
            input_seconds=InputSettings().input_in_call_seconds,
        )


@contextmanager
def in_memory_runner(entry: ServerEntry) -> Iterator[InMemoryRunner]:
    """Yield a runner and close it at the end."""
    with tempfile.TemporaryDirectory(prefix="satchel-bench-") as area:
        runner = InMemoryRunner(entry, Path(area))
        try:
            yield runner
        finally:
            runner.close()
