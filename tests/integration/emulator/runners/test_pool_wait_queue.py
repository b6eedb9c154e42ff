"""More users than environments: their calls queue, and the number of processes and their memory stay limited."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

import psutil
import pytest

from local.emulator.runners.context import InvocationError
from local.emulator.runners.fork_server import ForkServer
from local.emulator.runners.functions import RunnerFunction
from local.emulator.runners.pool import EnvironmentPool
from tests.fakes.invocation_listener import FakeInvocationListener

USERS = 50
CALLS = 100
MAX_ENVIRONMENTS = 8
MAX_WAIT_SECONDS = 500  # of the last call; on an idle machine, all calls end within seconds
MEMORY_MIB = 250  # of an environment with its server, with a wide margin
TOOLS = RunnerFunction(name="many-users", target="tests.integration.emulator.handlers.mcp_tool:handler")
HOLD = RunnerFunction(name="hold", target="tests.integration.emulator.handlers.basic:hold")
ECHO = RunnerFunction(name="echo", target="tests.integration.emulator.handlers.basic:echo")


def eventually(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "the condition was not met in time"
        time.sleep(0.005)


def running_processes() -> dict[str, int]:
    """Return how many environments and servers run, and how many bytes of memory they use."""
    totals = {"environments": 0, "servers": 0, "bytes": 0}
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if name := process_type(process):
                totals["bytes"] += process.memory_info().rss
                totals[name] += 1
    return totals


def process_type(process: psutil.Process) -> str | None:
    """Return ``servers``, ``environments`` or None. A fork that becomes a server is not a child of this process."""
    if "raw.py" in process.cmdline():
        return "servers"
    return "environments" if process.name() == TOOLS.name and process.ppid() == os.getpid() else None


@contextmanager
def measuring_maximum() -> Iterator[dict[str, int]]:
    """Yield the maximum of each value of ``running_processes``, measured every 50 ms."""
    maximum, done = running_processes(), threading.Event()

    def measure() -> None:
        while not done.wait(0.05):
            maximum.update({key: max(maximum[key], value) for key, value in running_processes().items()})

    measuring = threading.Thread(target=measure)
    measuring.start()
    try:
        yield maximum
    finally:
        done.set()
        measuring.join()


@pytest.fixture
def listener() -> FakeInvocationListener:
    return FakeInvocationListener()


@pytest.fixture
def small_pool(tmp_path: Path, listener: FakeInvocationListener) -> Iterator[EnvironmentPool]:
    """A pool of one environment, in which a call waits for half a second."""
    logs = tmp_path / "logs"
    with EnvironmentPool(
        [HOLD, ECHO],
        log_dir=logs,
        max_environments=1,
        max_starting=2,
        max_wait_seconds=0.5,
        listener_for=lambda _: listener,
    ) as pool:
        yield pool


def occupy(pool: EnvironmentPool, path: Path) -> None:
    """Keep the only environment busy."""
    pool.invoke("hold", "alice", str(path), asynchronous=True)
    eventually(path.exists)


@pytest.mark.timeout(600)
def test_100_calls_of_50_users_share_8_environments_and_servers(tmp_path: Path) -> None:
    homes = tmp_path / "homes"
    homes.mkdir()
    users = [f"user{number % USERS}" for number in range(CALLS)]
    fork_server = ForkServer(["tests.integration.emulator.handlers.mcp_tool"])
    logs = tmp_path / "logs"
    with (
        measuring_maximum() as maximum,
        EnvironmentPool(
            [TOOLS],
            log_dir=logs,
            max_environments=MAX_ENVIRONMENTS,
            max_wait_seconds=MAX_WAIT_SECONDS,
            fork_server=fork_server,
        ) as pool,
        ThreadPoolExecutor(CALLS) as executor,
    ):
        results = executor.map(lambda user: pool.invoke(TOOLS.name, user, str(homes)), users)
        responses = [cast("dict[str, int]", response) for response in results]

    assert len(responses) == CALLS
    assert len({response["environment"] for response in responses}) >= USERS
    assert 1 < maximum["environments"] <= MAX_ENVIRONMENTS
    assert 1 < maximum["servers"] <= MAX_ENVIRONMENTS
    assert maximum["bytes"] < MAX_ENVIRONMENTS * MEMORY_MIB << 20
    assert running_processes() == {"environments": 0, "servers": 0, "bytes": 0}


def test_idle_environment_makes_room_for_a_waiting_call(tmp_path: Path) -> None:
    with EnvironmentPool([ECHO], log_dir=tmp_path / "logs", max_environments=1) as pool:
        for tenant in ("alice", "bob", "alice"):
            assert pool.invoke("echo", tenant, tenant) == tenant
            assert list(pool.pids()) == [("echo", tenant)]


def test_environment_unused_for_the_longest_time_makes_room_but_never_a_busy_one(tmp_path: Path) -> None:
    with EnvironmentPool([HOLD, ECHO], log_dir=tmp_path / "logs", max_environments=3) as pool:
        occupy(pool, tmp_path / "pid")
        for tenant in ("bob", "carol", "bob", "dave"):
            pool.invoke("echo", tenant, {})
        assert set(pool.pids()) == {("hold", "alice"), ("echo", "bob"), ("echo", "dave")}


@pytest.fixture
def starting_pool(tmp_path: Path, listener: FakeInvocationListener) -> Iterator[EnvironmentPool]:
    """A pool with room for many environments, of which one starts at a time."""
    logs = tmp_path / "logs"
    with EnvironmentPool([HOLD, ECHO], log_dir=logs, max_starting=1, listener_for=lambda _: listener) as pool:
        yield pool


def test_environment_starts_when_the_one_before_has_answered(
    starting_pool: EnvironmentPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("local.emulator.runners.pool._START_SECONDS", 600.0)
    with ThreadPoolExecutor(USERS) as executor:
        tenants = [f"user{number}" for number in range(USERS)]
        results = executor.map(lambda tenant: starting_pool.invoke("echo", tenant, tenant), tenants)
        assert list(results) == tenants


def test_starting_environment_makes_others_wait(
    starting_pool: EnvironmentPool,
    listener: FakeInvocationListener,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("local.emulator.runners.pool._START_SECONDS", 600.0)
    with ThreadPoolExecutor(1) as one:
        occupy(starting_pool, tmp_path / "pid")
        waiting = one.submit(starting_pool.invoke, "echo", "bob", {})
        eventually(lambda: listener.calls)
        assert list(starting_pool.pids()) == [("hold", "alice")]
        starting_pool.close()
        assert isinstance(waiting.exception(60), InvocationError)


def test_environment_starts_soon_after_one_whose_first_call_is_slow(
    starting_pool: EnvironmentPool, tmp_path: Path
) -> None:
    occupy(starting_pool, tmp_path / "pid")
    assert starting_pool.invoke("echo", "bob", "Hello") == "Hello"
    assert set(starting_pool.pids()) == {("hold", "alice"), ("echo", "bob")}


def test_failed_asynchronous_call_is_reported_to_its_listener(
    small_pool: EnvironmentPool, listener: FakeInvocationListener, tmp_path: Path
) -> None:
    occupy(small_pool, tmp_path / "pid")
    os.kill(small_pool.pids()["hold", "alice"], signal.SIGKILL)
    eventually(lambda: listener.failures)
    assert listener.failures == ["Runtime exited with error: signal 9"]


def test_calls_that_end_with_the_pool_are_not_reported_as_failed(
    small_pool: EnvironmentPool, listener: FakeInvocationListener, tmp_path: Path
) -> None:
    occupy(small_pool, tmp_path / "pid")
    small_pool.close()
    assert listener.failures == []


def test_call_that_waits_too_long_fails_with_the_reason(
    small_pool: EnvironmentPool, listener: FakeInvocationListener, tmp_path: Path
) -> None:
    occupy(small_pool, tmp_path / "pid")
    with pytest.raises(InvocationError) as raised:
        small_pool.invoke("echo", "bob", {})
    reason = "No tool environment became free within 0.5 s: at most 1 run, and at most 2 start at the same time."
    assert (raised.value.error_type, str(raised.value)) == ("TooManyRequestsException", reason)
    assert listener.reasons == [reason]
    assert list(small_pool.pids()) == [("hold", "alice")]


def test_canceled_call_leaves_the_queue_silently(
    small_pool: EnvironmentPool, listener: FakeInvocationListener, tmp_path: Path
) -> None:
    occupy(small_pool, tmp_path / "pid")
    listener.is_cancelled = True
    assert small_pool.invoke("echo", "bob", {}, asynchronous=True) is None
    assert (listener.calls, listener.reasons) == (1, [])


def test_second_call_of_the_same_user_does_not_wait(
    small_pool: EnvironmentPool, listener: FakeInvocationListener, tmp_path: Path
) -> None:
    occupy(small_pool, tmp_path / "first")
    occupy(small_pool, tmp_path / "second")
    assert listener.calls == 0


def test_waiting_call_fails_if_the_pool_closes(tmp_path: Path) -> None:
    pool = EnvironmentPool([HOLD, ECHO], log_dir=tmp_path / "logs", max_environments=1)
    with pool, ThreadPoolExecutor(1) as one:
        occupy(pool, tmp_path / "pid")
        waiting: Future[object] = one.submit(pool.invoke, "echo", "bob", {})
        pool.close()
        error = waiting.exception(60)
    assert isinstance(error, InvocationError)
    assert error.error_type == "ServiceException"
