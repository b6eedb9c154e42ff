"""Stop under load: within five seconds, without error output, processes or files left behind."""

import socket
import subprocess
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import psutil
import pytest

from tests.e2e.conftest import MCP_CONFIG
from tests.e2e.system_process import SystemProcess, running_system, serve_command
from tests.e2e.user_client import UserClient, run_user, wait_for_tools
from tests.priority import prioritized
from tests.processes import is_alive

SETTINGS = {"SATCHEL_MCP_CONFIG": str(MCP_CONFIG.with_name("trial.json")), "PYTHONFAULTHANDLER": "1"}
TURNS = 10
MAX_SECONDS = 5.0
TIMEOUT_SECONDS = 90.0


def _workspace(user: UserClient) -> Path:
    return Path("/tmp") / user.name


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "the tools did not start in time"
        time.sleep(0.1)


def _load(system: SystemProcess, call: str) -> list[UserClient]:
    """Start one turn for each of ten users, and a thread for each that reads its events. Return the users."""
    users = [UserClient(system.url, f"load{uuid.uuid4().hex[:12]}@example.com") for _ in range(TURNS)]

    def start(user: UserClient) -> None:
        session_id = user.create_session()
        turn = user.start_turn(session_id, call)
        readers.submit(_read_events, user, session_id, turn["turn_id"])

    readers = ThreadPoolExecutor(TURNS)
    with ThreadPoolExecutor(TURNS) as pool:
        list(pool.map(start, users))
    readers.shutdown(wait=False)
    return users


def _read_events(user: UserClient, session_id: str, turn_id: str) -> None:
    with suppress(httpx2.HTTPError, ValueError):
        user.events(session_id, turn_id)


def _stop(system: SystemProcess, signal_name: str) -> None:
    """Stop the system and check that no process, open port or traceback is left."""
    processes = psutil.Process(system.process.pid).children(recursive=True)
    with prioritized(system.process.pid):
        start = time.monotonic()
        system.send(signal_name)
        try:
            assert system.process.wait(MAX_SECONDS) == 0
        except subprocess.TimeoutExpired:
            system.send("SIGABRT")  # the output then says what each thread waits for
            system.process.wait()
            pytest.fail(f"the stop took more than {MAX_SECONDS} s:\n{system.output()}")
        assert time.monotonic() - start < MAX_SECONDS
    assert "Traceback" not in system.output()
    assert [p for p in processes if is_alive(p)] == []
    with socket.create_server(("127.0.0.1", urlsplit(system.url).port or 0)):
        pass


@pytest.mark.parametrize("signal_name", ["SIGTERM", "SIGINT"])
def test_signal_under_load_stops_within_five_seconds_and_deletes_workspaces(
    signal_name: str,
) -> None:
    with running_system(serve_command(), settings=SETTINGS) as system:
        wait_for_tools(system.url)
        users = _load(system, '/trial.wait_with_daemon {"seconds": 60}')
        _wait_until(lambda: all((_workspace(user) / "daemon.pid").exists() for user in users))
        _stop(system, signal_name)
        assert [user.name for user in users if _workspace(user).exists()] == []
        assert "was not removed" not in system.output()  # all runners had ended before the cleanup


def test_stop_leaves_only_nonempty_logs_and_reports_their_folder() -> None:
    with running_system(serve_command(), settings=SETTINGS) as system:
        user = UserClient(system.url, run_user("quiet"))
        wait_for_tools(system.url)
        user.ask(user.create_session(), '/trial.wait {"seconds": 0}')
        _stop(system, "SIGTERM")
        remaining = [path for path in system.temp_dir.rglob("*") if not path.is_dir()]
        assert all(path.suffix == ".log" and path.stat().st_size for path in remaining)
        assert bool(remaining) == ("is kept in" in system.output())
        assert remaining or {path.name for path in system.temp_dir.iterdir()} <= {"state"}  # the folder of the key
