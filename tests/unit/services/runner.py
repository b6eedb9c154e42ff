"""A runner of one server over fakes."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.domain.calls import RunnerReport
from satchel.ports.runners import ArtifactOpener, CallOrder, InputFile, RunnerAnswer
from satchel.ports.tool_client import ToolResult
from satchel.services.calls.run_tool import CallPorts, RunTool
from tests.fakes.calls import FakeCalls, FakeReports
from tests.fakes.runners import FakeInputFetcher, FakeSchemaChecker, FakeWorkspaces, list_files, open_artifact
from tests.fakes.storage import FakeFileStore
from tests.fakes.system import FakeClock
from tests.fakes.tool_client import FakeToolClient
from tests.fakes.turns import FakeEvents, FakeTaskCallback

if TYPE_CHECKING:
    from satchel.domain.ids import UserName

NO_HEARTBEATS = 3600.0  # seconds until the first heartbeat


def result_of(payload: object) -> ToolResult:
    """Return a result with this structured content."""
    return ToolResult(raw={"content": [], "structuredContent": payload})


def writing(name: str, body: bytes = b"") -> Callable[[Path], None]:
    """Return the action of a tool that writes a file."""

    def write(workspace: Path) -> None:
        (workspace / name).write_bytes(body)

    return write


class Runner:
    """Run orders. By default, the tool returns a result after two seconds."""

    def __init__(self, base: Path) -> None:
        self.clock = FakeClock()
        self.client = FakeToolClient(self.clock, [(2, result_of({"results": {"rows": 3}}))])
        self.older_client = FakeToolClient(self.clock, [(2, result_of({"results": "asked"}))])
        self.workspaces = FakeWorkspaces(base)
        self.callback = FakeTaskCallback()
        self.store = FakeFileStore()
        self.reports = FakeReports()
        self.events = FakeEvents(self.clock)
        self.open_artifact: ArtifactOpener = open_artifact
        self.heartbeat_seconds = NO_HEARTBEATS
        self.claims = FakeCalls()
        self.open_state: Callable[[UserName], Path] | None = None

    def run(self, sent: CallOrder, claim: str = "runner") -> RunnerAnswer | None:
        """Run an order; ``claim`` is the claiming runner's name. Return the answer if Dispatch still waits for it."""
        run_tool = RunTool(
            client=self.client,
            older_client=self.older_client,
            workspaces=self.workspaces,
            fetch_inputs=FakeInputFetcher(self.store),
            open_artifact=self.open_artifact,
            list_files=list_files,
            find_problems=FakeSchemaChecker().find_problems,
            callback=self.callback,
            clock=self.clock,
            new_claim=lambda: claim,
            heartbeat_seconds=self.heartbeat_seconds,
            max_file_bytes=1000,
            input_seconds=300,
            open_state=self.open_state,
        )
        ports = CallPorts(store=self.store, reports=self.reports, events=self.events, claims=self.claims)
        return run_tool(sent, ports)

    def report(self, sent: CallOrder) -> RunnerReport:
        """Run an order and return the report."""
        self.run(sent)
        report = self.reports.read(sent)
        assert report is not None
        return report

    def upload(self, name: str) -> InputFile:
        """Store a file and return it as an input of an order."""
        self.store.put(name, io.BytesIO(b"a,b"), "text/csv")
        return InputFile(name=name, url=self.store.presign_get(name, 900), size=3, etag="e")
