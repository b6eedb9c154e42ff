"""Stopping under load: quickly, quietly, and leaving nothing behind."""

import socket
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

from tests.e2e.conftest import SERVERS
from tests.e2e.person import Person
from tests.e2e.system import System, running_system
from tests.processes import lives

TRIAL = SERVERS.with_name("trial.json")
TURNS = 10
MAX_SECONDS = 5.0
PATIENCE = 90.0


def _corner(person: Person) -> Path:
    return Path("/tmp") / person.name


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "the tools do not start"
        time.sleep(0.1)


def _load(system: System, call: str) -> list[Person]:
    """Start ten people's turns, and as many readers that wait for them."""
    people = [Person(system.url, f"load{uuid.uuid4().hex[:12]}@example.com") for _ in range(TURNS)]

    def ask(person: Person) -> None:
        session_id = person.session()
        turn = person.start(session_id, call)
        readers.submit(_read, person, session_id, turn["turn_id"])

    readers = ThreadPoolExecutor(TURNS)
    with ThreadPoolExecutor(TURNS) as pool:
        list(pool.map(ask, people))
    readers.shutdown(wait=False)
    return people


def _read(person: Person, session_id: str, turn_id: str) -> None:
    with suppress(httpx2.HTTPError, ValueError):
        person.events(session_id, turn_id)


def _stop(system: System, signal_name: str) -> None:
    """Stop it and check that nothing of it is left: no process, no port, no word of alarm."""
    processes = psutil.Process(system.process.pid).children(recursive=True)
    asked = time.monotonic()
    system.send(signal_name)
    assert system.process.wait(MAX_SECONDS) == 0
    assert time.monotonic() - asked < MAX_SECONDS
    assert "Traceback" not in system.said()
    assert [p for p in processes if lives(p)] == []
    with socket.create_server(("127.0.0.1", urlsplit(system.url).port or 0)):
        pass


@pytest.mark.parametrize("signal_name", ["SIGTERM", "SIGINT"])
def test_a_signal_under_load_ends_everything_within_five_seconds_and_leaves_neither_corner_nor_daemon(
    signal_name: str,
) -> None:
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(TRIAL)}) as system:
        people = _load(system, '/trial.haunt {"seconds": 60}')
        _wait(lambda: all((_corner(person) / "daemon.pid").exists() for person in people))
        _stop(system, signal_name)
        assert [person.name for person in people if _corner(person).exists()] == []
        assert "was not removed" not in system.said()  # no runner held one any more when they were cleared


def test_what_a_stop_leaves_of_its_own_is_at_most_logs_in_which_something_stands() -> None:
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(TRIAL)}) as system:
        person = Person(system.url, "quiet@example.com")
        person.ask(person.session(), '/trial.wait {"seconds": 0}')
        _stop(system, "SIGTERM")
        left = [path for path in system.temp.rglob("*") if not path.is_dir()]
        assert all(path.suffix == ".log" and path.stat().st_size for path in left)
        assert bool(left) == ("is kept in" in system.said())
        assert left or not list(system.temp.iterdir())
