"""A runner of one server, with what its call's credentials reach."""

import io
from collections.abc import Callable
from pathlib import Path

from satchel.domain.calls import RunnerReport
from satchel.ports.runners import ArtifactOpener, CallOrder, InputFile
from satchel.ports.tool_client import ToolResult
from satchel.services.calls.run_tool import CallPorts, RunTool
from satchel.services.calls.runner_report import read_outcome
from tests.fakes.calls import FakeCalls
from tests.fakes.clock import FakeClock
from tests.fakes.events import FakeEvents
from tests.fakes.file_store import FakeFileStore
from tests.fakes.tool_client import FakeToolClient
from tests.fakes.workflow import FakeTaskCallback
from tests.fakes.workspaces import FakeInputFetcher, FakeWorkspaces, list_made, open_inside

SLOW = 3600.0  # seconds between beats where no beat is wanted


def answered(payload: object) -> ToolResult:
    """Return an answer with this structured content."""
    return ToolResult(raw={"content": [], "structuredContent": payload})


def writing(name: str, body: bytes = b"") -> Callable[[Path], None]:
    """Return what a tool does that writes a file."""

    def act(workspace: Path) -> None:
        (workspace / name).write_bytes(body)

    return act


class Runner:
    """Runs orders; its one call has been written by Think. Unless told otherwise its tool answers after two seconds."""

    def __init__(self, base: Path) -> None:
        self.clock = FakeClock()
        self.client = FakeToolClient(self.clock, [(2, answered({"results": {"rows": 3}}))])
        self.area = FakeWorkspaces(base)
        self.callback = FakeTaskCallback()
        self.store = FakeFileStore()
        self.events = FakeEvents(self.clock)
        self.open_artifact: ArtifactOpener = open_inside
        self.beat_seconds = SLOW
        self.claims = FakeCalls()

    def run(self, sent: CallOrder, claim: str = "runner") -> None:
        """Run an order."""
        run_tool = RunTool(
            client=self.client,
            area=self.area,
            fetch=FakeInputFetcher(self.store),
            open_artifact=self.open_artifact,
            list_files=list_made,
            callback=self.callback,
            clock=self.clock,
            new_claim=lambda: claim,
            heartbeat_seconds=self.beat_seconds,
            max_file_bytes=1000,
        )
        run_tool(sent, CallPorts(store=self.store, events=self.events, claims=self.claims))

    def outcome(self, sent: CallOrder) -> RunnerReport:
        """Run an order and return what was handed over."""
        self.run(sent)
        kept = read_outcome(self.store, sent.outcome_key)
        assert kept is not None
        return kept

    def uploaded(self, name: str) -> InputFile:
        """Put a file into the store and return it as an order names it."""
        self.store.put(name, io.BytesIO(b"a,b"), "text/csv")
        return InputFile(name=name, url=self.store.link(name, 900), size=3, etag="e")
