"""Many people at once on one machine: few servers, all served, nothing left."""

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
from tests.integration.mcp.calling import SERVERS, Caller, StartRaw, told
from tests.processes import children_with, pid_lives

PEOPLE = 50
CALLS = 100
MOST = 8
MEMORY_MIB = 60  # of one such server, with a wide margin


def call(client: McpToolClient, workspace: Path, meanwhile: Callable[[], None] = lambda: None) -> int:
    """Return the id of the process that answered; it is kept until ``meanwhile`` is done."""
    with client.call("pid", {}, workspace, writes=True) as running:
        pid: int = told(running.receive(60))
        meanwhile()
        return pid


def servers() -> list[int]:
    """Return the memory (bytes) of each server that lives."""
    found = []
    for process in children_with("raw.py"):
        with suppress(psutil.NoSuchProcess):
            found.append(process.memory_info().rss)
    return found


class Census:
    """Looks, from within each call, how many servers there are and what they hold."""

    def __init__(self) -> None:
        self.servers = self.bytes = 0

    def look(self) -> None:
        alive = servers()
        self.servers, self.bytes = max(self.servers, len(alive)), max(self.bytes, sum(alive))


@pytest.fixture
def homes(tmp_path: Path) -> list[Path]:
    found = [tmp_path / f"user{number}" for number in range(PEOPLE)]
    for workspace in found:
        workspace.mkdir()
    return found


def test_fifty_people_with_a_hundred_calls_are_served_by_eight_servers(loop: EventLoop, homes: list[Path]) -> None:
    entry = ServerEntry(command=["python", "-S", "raw.py"], cwd=str(SERVERS))
    client = McpToolClient("raw", entry, loop, os.environ, bounds=PoolLimits(most=MOST))
    most = Census()
    with ThreadPoolExecutor(PEOPLE) as everybody:
        pids = list(everybody.map(lambda number: call(client, homes[number % PEOPLE], most.look), range(CALLS)))
        client.close()

    assert len(pids) == CALLS
    assert 1 < most.servers <= MOST
    assert most.bytes < MOST * MEMORY_MIB << 20
    assert servers() == []


def test_the_server_that_was_not_used_for_longest_makes_room(start_raw: StartRaw, tmp_path: Path) -> None:
    client = start_raw(bounds=PoolLimits(most=2)).client
    homes = [tmp_path / name for name in "abc"]
    for workspace in homes:
        workspace.mkdir()
    first, second = (call(client, workspace) for workspace in homes[:2])
    assert call(client, homes[0]) == first
    third = call(client, homes[2])

    assert [pid_lives(pid) for pid in (first, second, third)] == [True, False, True]


def test_who_finds_all_servers_in_use_waits_for_one(start_raw: StartRaw) -> None:
    raw = start_raw(bounds=PoolLimits(most=1))
    waiting = threading.Thread(target=raw.value, args=("pid",))
    with raw.client.call("nap", {"seconds": 0.2}, raw.workspace, writes=True) as running:
        waiting.start()
        napped = told(running.receive(30))
        assert waiting.is_alive()
    waiting.join(30)

    assert not waiting.is_alive()
    assert raw.value("pid") == napped


def test_a_server_that_cannot_start_keeps_no_place(loop: EventLoop, tmp_path: Path) -> None:
    entry = ServerEntry(command=["no-such-program"])
    client = McpToolClient("bad", entry, loop, os.environ, bounds=PoolLimits(most=1))
    for _ in range(3):
        with pytest.raises(ToolCrashed), client.call("pid", {}, tmp_path, writes=True):
            pass


def test_a_server_that_nobody_uses_ends_after_a_while(start_raw: StartRaw) -> None:
    raw: Caller = start_raw(bounds=PoolLimits(idle_seconds=0.2))
    pid = raw.value("pid")
    again = raw.value("pid")
    ends = time.monotonic() + 10
    while pid_lives(pid) and time.monotonic() < ends:
        time.sleep(0.01)

    assert again == pid
    assert not pid_lives(pid)
    assert raw.value("pid") != pid
