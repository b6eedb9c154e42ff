"""Stopping under load: quickly, quietly, and leaving nothing behind."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from urllib.parse import urlsplit

import httpx2
import psutil
import pytest

from tests.e2e.conftest import SERVERS
from tests.e2e.person import Person
from tests.e2e.system import System, running_system

TURNS = 10
MOST_SECONDS = 5.0


def _load(system: System) -> list[psutil.Process]:
    """Ten turns that run, and as many readers that wait for them; return all processes of the system."""
    people = [Person(system.url, f"load{number}@example.com") for number in range(TURNS)]

    def ask(person: Person) -> None:
        session_id = person.session()
        turn = person.start(session_id, '/trial.wait {"seconds": 60}')
        readers.submit(_read, person, session_id, turn["turn_id"])

    readers = ThreadPoolExecutor(TURNS)
    with ThreadPoolExecutor(TURNS) as pool:
        list(pool.map(ask, people))
    deadline = time.monotonic() + 60
    own = psutil.Process(system.process.pid)
    while len([p for p in own.children(recursive=True) if "main.py" in p.cmdline()]) < TURNS:
        assert time.monotonic() < deadline, "the tools do not start"
        time.sleep(0.2)
    readers.shutdown(wait=False)
    return own.children(recursive=True)


def _read(person: Person, session_id: str, turn_id: str) -> None:
    with suppress(httpx2.HTTPError, ValueError):
        person.events(session_id, turn_id)


@pytest.mark.parametrize("signal_name", ["SIGTERM", "SIGINT"])
def test_a_signal_under_load_ends_everything_within_five_seconds_without_a_traceback(signal_name: str) -> None:
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(SERVERS)}) as system:
        processes = _load(system)
        asked = time.monotonic()
        system.send(signal_name)
        assert system.process.wait(MOST_SECONDS) == 0
        assert time.monotonic() - asked < MOST_SECONDS
        assert "Traceback" not in system.said()
        assert [p for p in processes if p.is_running() and p.status() != psutil.STATUS_ZOMBIE] == []
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", urlsplit(system.url).port or 0))
