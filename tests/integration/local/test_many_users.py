"""More people than there is room for on one machine: they wait in line, and the machine stays as it is."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

import psutil
import pytest

from local.runners.context import InvocationError
from local.runners.functions import RunnerFunction
from local.runners.pool import EnvironmentPool
from tests.fakes.attendant import Attendant

PEOPLE = 50
CALLS = 100
MOST = 8
MEMORY_MIB = 250  # of an environment with its server, with a wide margin
TOOLS = RunnerFunction(name="many-users", target="tests.integration.local.tool_handlers:handler")
HOLD = RunnerFunction(name="hold", target="tests.integration.local.runner_handlers:hold")
ECHO = RunnerFunction(name="echo", target="tests.integration.local.runner_handlers:echo")


def eventually(condition: Callable[[], object], within: float = 10) -> None:
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


def alive() -> dict[str, int]:
    """Return how many environments and servers there are, and what they hold (bytes)."""
    found = {"environments": 0, "servers": 0, "bytes": 0}
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if kind := kind_of(process):
                found["bytes"] += process.memory_info().rss
                found[kind] += 1
    return found


def kind_of(process: psutil.Process) -> str | None:
    """A fork that is just becoming a server has its environment's name, but it is no child of ours."""
    if "raw.py" in process.cmdline():
        return "servers"
    return "environments" if process.name() == TOOLS.name and process.ppid() == os.getpid() else None


@contextmanager
def counting() -> Iterator[dict[str, int]]:
    """Look all the time how many processes there are and what they hold."""
    most, done = alive(), threading.Event()

    def look() -> None:
        while not done.wait(0.05):
            most.update({key: max(most[key], value) for key, value in alive().items()})

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield most
    finally:
        done.set()
        looking.join()


@pytest.fixture
def attendant() -> Attendant:
    return Attendant()


@pytest.fixture
def one_place(tmp_path: Path, attendant: Attendant) -> Iterator[EnvironmentPool]:
    """A machine with room for one environment, where a call waits for half a second."""
    logs = tmp_path / "logs"
    with EnvironmentPool([HOLD, ECHO], log_dir=logs, most=1, patience=0.5, attend=lambda _: attendant) as pool:
        yield pool


def hold(pool: EnvironmentPool, path: Path) -> None:
    """Keep the only environment busy."""
    pool.invoke("hold", "alice", str(path), asynchronous=True)
    eventually(path.exists)


def test_fifty_people_with_a_hundred_calls_share_eight_environments_and_eight_servers(tmp_path: Path) -> None:
    homes = tmp_path / "homes"
    homes.mkdir()
    people = [f"user{number % PEOPLE}" for number in range(CALLS)]
    preload = ["tests.integration.local.tool_handlers"]
    with (
        counting() as most,
        EnvironmentPool([TOOLS], log_dir=tmp_path / "logs", most=MOST, preload=preload) as pool,
        ThreadPoolExecutor(CALLS) as everybody,
    ):
        called = everybody.map(lambda person: pool.invoke(TOOLS.name, person, str(homes)), people)
        answers = [cast("dict[str, int]", answer) for answer in called]

    assert len(answers) == CALLS
    assert len({answer["environment"] for answer in answers}) >= PEOPLE
    assert 1 < most["environments"] <= MOST
    assert 1 < most["servers"] <= MOST
    assert most["bytes"] < MOST * MEMORY_MIB << 20
    assert alive() == {"environments": 0, "servers": 0, "bytes": 0}


def test_who_waits_for_an_idle_environments_place_is_given_it(tmp_path: Path) -> None:
    with EnvironmentPool([ECHO], log_dir=tmp_path / "logs", most=1) as pool:
        for tenant in ("alice", "bob", "alice"):
            assert pool.invoke("echo", tenant, tenant) == tenant
            assert list(pool.pids()) == [("echo", tenant)]


def test_a_call_that_finds_no_place_in_time_is_refused_with_the_reason(
    one_place: EnvironmentPool, attendant: Attendant, tmp_path: Path
) -> None:
    hold(one_place, tmp_path / "pid")
    with pytest.raises(InvocationError) as raised:
        one_place.invoke("echo", "bob", {})
    reason = "All 1 places for tools are taken; none was free within 0.5 s."
    assert (raised.value.error_type, str(raised.value)) == ("TooManyRequestsException", reason)
    assert attendant.reasons == [reason]
    assert list(one_place.pids()) == [("hold", "alice")]


def test_a_call_that_nobody_wants_any_more_leaves_the_line_without_a_word(
    one_place: EnvironmentPool, attendant: Attendant, tmp_path: Path
) -> None:
    hold(one_place, tmp_path / "pid")
    attendant.wanted = False
    assert one_place.invoke("echo", "bob", {}, asynchronous=True) is None
    assert (attendant.asked, attendant.reasons) == (1, [])


def test_a_second_call_of_the_person_whose_environment_it_is_does_not_wait(
    one_place: EnvironmentPool, attendant: Attendant, tmp_path: Path
) -> None:
    hold(one_place, tmp_path / "first")
    hold(one_place, tmp_path / "second")
    assert attendant.asked == 0


def test_who_waits_when_the_machine_stops_is_told(one_place: EnvironmentPool, tmp_path: Path) -> None:
    hold(one_place, tmp_path / "pid")
    with ThreadPoolExecutor(1) as one:
        waiting: Future[object] = one.submit(one_place.invoke, "echo", "bob", {})
        one_place.close()
        error = waiting.exception(5)
    assert isinstance(error, InvocationError)
    assert error.error_type == "ServiceException"
