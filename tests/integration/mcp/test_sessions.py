"""A session is handed from call to call at any moment."""

import os
import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.session import Session
from satchel.adapters.mcp.stdio import ServerProgram, StdioConnection
from satchel.adapters.sandbox.policy import WorkspaceAccess
from satchel.domain.isolation import Isolation
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import ProgressUpdate, ToolEvent, ToolResult
from tests.integration.mcp.calling import ENDLESS, SERVERS, told


@pytest.fixture
def session(loop: EventLoop, tmp_path: Path) -> Iterator[Session]:
    entry = ServerEntry(command=["python", "-S", "raw.py"], cwd=str(SERVERS))
    wire = StdioConnection(
        ServerProgram(entry, os.environ, 1 << 20, Isolation()), WorkspaceAccess(tmp_path, writes=True)
    )
    session = Session(loop.portal, wire)
    session.open(ENDLESS)
    yield session
    session.close()


def test_a_call_that_starts_at_the_moment_of_another_ones_answer_hears_all_of_its_own(session: Session) -> None:
    first: queue.SimpleQueue[ToolEvent] = queue.SimpleQueue()
    second: queue.SimpleQueue[ToolEvent] = queue.SimpleQueue()

    def follow_at_once(signal: ToolEvent) -> None:
        first.put(signal)
        session.start("progress", {"steps": 1}, second.put)

    session.start("pid", {}, follow_at_once)

    assert isinstance(first.get(timeout=ENDLESS), ToolResult)
    assert isinstance(second.get(timeout=ENDLESS), ProgressUpdate)
    assert told(second.get(timeout=ENDLESS)) == "done"
    assert first.empty()
