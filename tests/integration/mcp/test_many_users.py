"""Many users at once on one machine share few servers, and no server is left over."""

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.mcp.pool import PoolLimits
from satchel.contract.errors import ToolCrashed
from satchel.domain.servers import ServerEntry
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, StartRaw, ToolCaller, json_of
from tests.processes import find_children, is_pid_alive

USERS = 50
CALLS = 100
MAX_SERVERS = 8
MEMORY_MIB = 60  # of one such server, with a wide margin


def call(client: McpToolClient, workspace: Path, meanwhile: Callable[[], None] = lambda: None) -> int:
    """Run ``meanwhile`` during a call. Return the pid of the server."""
    with client.call("pid", {}, workspace, writes=True) as running:
        pid: int = json_of(running.receive(60))
        meanwhile()
        return pid


def server_memory() -> list[int]:
    """Return the memory of each running server, in bytes."""
    sizes = []
    for process in find_children("raw.py"):
        with suppress(psutil.NoSuchProcess):
            sizes.append(process.memory_info().rss)
    return sizes


class PeakUsage:
    """Maximum number of servers, and of their memory in bytes, measured during each call."""

    def __init__(self) -> None:
        self.servers = self.bytes = 0

    def measure(self) -> None:
        sizes = server_memory()
        self.servers, self.bytes = max(self.servers, len(sizes)), max(self.bytes, sum(sizes))


@pytest.fixture
def workspaces(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"user{number}" for number in range(USERS)]
    for workspace in paths:
        workspace.mkdir()
    return paths


def test_50_users_with_100_calls_share_8_servers(loop: EventLoop, workspaces: list[Path]) -> None:
    entry = ServerEntry(command=["python", "-S", "raw.py"], cwd=str(SERVER_PROGRAMS))
    client = McpToolClient("raw", entry, loop, os.environ, limits=PoolLimits(max_servers=MAX_SERVERS))
    peak = PeakUsage()
    with ThreadPoolExecutor(USERS) as executor:
        pids = list(executor.map(lambda number: call(client, workspaces[number % USERS], peak.measure), range(CALLS)))
        client.close()

    assert len(pids) == CALLS
    assert 1 < peak.servers <= MAX_SERVERS
    assert peak.bytes < MAX_SERVERS * MEMORY_MIB << 20
    assert server_memory() == []


def test_least_recently_used_server_is_evicted(start_raw: StartRaw, tmp_path: Path) -> None:
    client = start_raw(limits=PoolLimits(max_servers=2)).client
    workspaces = [tmp_path / name for name in "abc"]
    for workspace in workspaces:
        workspace.mkdir()
    first, second = (call(client, workspace) for workspace in workspaces[:2])
    assert call(client, workspaces[0]) == first
    third = call(client, workspaces[2])

    assert [is_pid_alive(pid) for pid in (first, second, third)] == [True, False, True]


def test_call_waits_while_all_servers_are_busy(start_raw: StartRaw) -> None:
    raw = start_raw(limits=PoolLimits(max_servers=1))
    waiting_call = threading.Thread(target=raw.value, args=("pid",))
    with raw.client.call("nap", {"seconds": 0.2}, raw.workspace, writes=True) as running:
        waiting_call.start()
        napped = json_of(running.receive(120))
        assert waiting_call.is_alive()
    waiting_call.join(120)

    assert not waiting_call.is_alive()
    assert raw.value("pid") == napped


def test_server_that_cannot_start_uses_no_capacity(loop: EventLoop, tmp_path: Path) -> None:
    entry = ServerEntry(command=["no-such-program"])
    client = McpToolClient("bad", entry, loop, os.environ, limits=PoolLimits(max_servers=1))
    for _ in range(3):
        with pytest.raises(ToolCrashed), client.call("pid", {}, tmp_path, writes=True):
            pass


def test_idle_server_ends_after_the_timeout(start_raw: StartRaw) -> None:
    raw: ToolCaller = start_raw(limits=PoolLimits(idle_seconds=10))
    pid = raw.value("pid")
    again = raw.value("pid")
    deadline = time.monotonic() + 60
    while is_pid_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)

    assert again == pid
    assert not is_pid_alive(pid)
    assert raw.value("pid") != pid
