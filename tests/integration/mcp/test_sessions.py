"""Consecutive calls on one session."""

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
from satchel.ports.tool_client import CallFailure, ProgressUpdate, ToolEvent, ToolResult
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, TIMEOUT, json_of


@pytest.fixture
def session(loop: EventLoop, tmp_path: Path) -> Iterator[Session]:
    entry = ServerEntry(command=["python", "-S", "raw.py"], cwd=str(SERVER_PROGRAMS))
    connection = StdioConnection(
        ServerProgram(entry, os.environ, 1 << 20, Isolation()), WorkspaceAccess(tmp_path, writes=True)
    )
    session = Session(loop.portal, connection)
    session.open(TIMEOUT)
    yield session
    session.close()


def test_call_started_on_the_result_of_another_gets_all_its_events(session: Session) -> None:
    first: queue.SimpleQueue[ToolEvent] = queue.SimpleQueue()
    second: queue.SimpleQueue[ToolEvent] = queue.SimpleQueue()

    def start_next(event: ToolEvent) -> None:
        first.put(event)
        session.start("progress", {"steps": 1}, second.put)

    session.start("pid", {}, start_next)

    assert isinstance(first.get(timeout=TIMEOUT), ToolResult)
    assert isinstance(second.get(timeout=TIMEOUT), ProgressUpdate)
    assert json_of(second.get(timeout=TIMEOUT)) == "done"
    assert first.empty()


def test_call_canceled_just_before_its_direct_answer_is_processed_leaves_no_warning(
    session: Session, loop: EventLoop
) -> None:
    events: queue.SimpleQueue[ToolEvent] = queue.SimpleQueue()
    call = session.start("nap", {"seconds": 60}, events.put)
    direct = session.connection.direct
    assert direct is not None

    def cancel_and_answer() -> None:
        call.cancel()  # takes effect when the event loop's thread is free
        direct.close()  # answers with an error, as the end of the server does

    loop.portal.call(cancel_and_answer)

    # A coroutine that never ran would be a warning, and so an error of this test.
    assert isinstance(events.get(timeout=TIMEOUT), CallFailure)
    assert events.empty()
