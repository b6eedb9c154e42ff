"""Consecutive calls on one session, and its end."""

import asyncio
import os
import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp import processes
from satchel.adapters.mcp.session import NotReadyError, Session
from satchel.adapters.mcp.stdio import ServerProgram, StdioConnection
from satchel.adapters.sandbox.policy import WorkspaceAccess
from satchel.domain.isolation import Isolation
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import CallFailure, ProgressUpdate, ToolEvent, ToolResult
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, TIMEOUT, json_of
from tests.processes import is_pid_alive


@pytest.fixture
def new_session(loop: EventLoop, tmp_path: Path) -> Session:
    """Return a session that has not been opened."""
    entry = ServerEntry(command=["python", "-S", "raw.py"], cwd=str(SERVER_PROGRAMS))
    connection = StdioConnection(
        ServerProgram(entry, os.environ, 1 << 20, Isolation()), WorkspaceAccess(tmp_path, writes=True)
    )
    return Session(loop.portal, connection)


@pytest.fixture
def session(new_session: Session) -> Iterator[Session]:
    session = new_session
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


def test_server_that_starts_while_its_session_times_out_is_killed(
    new_session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, begun, begins = processes.start, threading.Event(), threading.Event()
    pids: list[int] = []

    def time_out_during_the_start(_seconds: float) -> None:
        assert begun.wait(TIMEOUT)
        raise TimeoutError

    def start_late(*args: Any, **options: Any) -> processes.Server:  # noqa: ANN401  (whatever it takes)
        begun.set()
        begins.wait(TIMEOUT)
        server = start(*args, **options)
        pids.append(server.pid)
        return server

    monkeypatch.setattr(processes, "start", start_late)
    monkeypatch.setattr(new_session._ready, "result", time_out_during_the_start)  # noqa: SLF001  (a timeout in this moment)
    timer = threading.Timer(1, begins.set)
    timer.start()
    with pytest.raises(NotReadyError, match="did not answer"):
        new_session.open(TIMEOUT)
    timer.join()

    (pid,) = pids
    assert not is_pid_alive(pid)


def test_event_loop_that_ends_during_the_start_of_a_server_ends_the_wait_for_it(
    new_session: Session, loop: EventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    closing = threading.Timer(1, loop.close)

    async def wait(*_: object) -> None:
        closing.start()
        await asyncio.sleep(TIMEOUT)

    monkeypatch.setattr(Session, "_establish", wait)
    with pytest.raises(NotReadyError):
        new_session.open(TIMEOUT)
    closing.join()
