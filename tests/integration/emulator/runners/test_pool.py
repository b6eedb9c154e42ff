import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import psutil
import pytest

from local.emulator.runners import process_tree
from local.emulator.runners.context import InvocationError
from local.emulator.runners.functions import RunnerFunction
from local.emulator.runners.pool import EnvironmentPool
from tests.priority import prioritized
from tests.processes import is_pid_alive

HANDLERS = "tests.integration.emulator.handlers.basic"
MakePool = Callable[..., EnvironmentPool]
TIMEOUT_SECONDS = 60.0  # no process of these tests ends by itself within this time


def function(name: str, timeout: float = 900.0, **settings: str) -> RunnerFunction:
    """Return a function that runs the handler ``name`` of handlers/basic.py."""
    return RunnerFunction(name=name, target=f"{HANDLERS}:{name}", settings=settings, timeout=timeout)


def describe(pool: EnvironmentPool, tenant: str, event: object = None, arn: str = "") -> dict[str, Any]:
    """Return the result of the handler ``describe``."""
    return cast("dict[str, Any]", pool.invoke("describe", tenant, event, arn=arn))


def eventually(condition: Callable[[], object]) -> None:
    """Wait until the condition is met."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "the condition was not met in time"
        time.sleep(0.005)


def pid_in(path: Path) -> int:
    """Wait until a handler has written a process id to the file, and return it."""
    eventually(lambda: path.exists() and path.read_text().strip())
    return int(path.read_text())


@pytest.fixture
def make_pool(tmp_path: Path) -> Iterator[MakePool]:
    """Return a factory of pools. At the end, no process and no thread of theirs may remain."""
    before = set(psutil.Process().children())  # may include a system that other tests use
    pools: list[EnvironmentPool] = []

    def make(
        *functions: RunnerFunction,
        idle_seconds: float = 300,
        max_environments: int = 16,
        grace_seconds: float = 1,
    ) -> EnvironmentPool:
        logs = tmp_path / "logs"
        pool = EnvironmentPool(
            functions,
            log_dir=logs,
            max_environments=max_environments,
            idle_seconds=idle_seconds,
            grace_seconds=grace_seconds,
        )
        pools.append(pool)
        return pool

    yield make
    for pool in pools:
        pool.close()
    assert set(psutil.Process().children()) <= before
    assert not [thread for thread in threading.enumerate() if thread.name == "runner-supervisor"]


class TestInvoking:
    @pytest.mark.clause("v2.1:isolation:users-apart")
    def test_each_function_and_tenant_has_its_own_environment(self, make_pool: MakePool) -> None:
        pool = make_pool(function("describe"), function("echo"))
        pids = [describe(pool, tenant)["pid"] for tenant in ("alice", "bob", "alice")]
        pool.invoke("echo", "alice", {})
        assert pids[0] == pids[2] != pids[1]
        assert set(pool.pids()) == {("describe", "alice"), ("describe", "bob"), ("echo", "alice")}

    def test_handler_gets_event_context_and_settings(self, make_pool: MakePool) -> None:
        pool = make_pool(function("describe", timeout=60, SATCHEL_SERVER="report"))
        description = describe(pool, "alice@example.com", {"a": [1, "ü"]}, arn="arn:f")
        assert description["event"] == {"a": [1, "ü"]}
        assert (description["tenant"], description["function"], description["arn"]) == (
            "alice@example.com",
            "describe",
            "arn:f",
        )
        assert 50_000 < description["remaining"] <= 60_000
        assert description["request_id"]
        assert description["environ"]["SATCHEL_SERVER"] == "report"

    def test_environment_does_not_inherit_secrets_of_the_parent(
        self,
        make_pool: MakePool,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("SECRET_OF_THE_PARENT", "x")
        assert "SECRET_OF_THE_PARENT" not in describe(make_pool(function("describe")), "alice")["environ"]

    def test_invocations_of_one_environment_run_concurrently(self, make_pool: MakePool) -> None:
        pool = make_pool(function("act"))
        with ThreadPoolExecutor(2) as two:
            positions = set(two.map(lambda _: pool.invoke("act", "alice", "meet"), range(2)))
        assert positions == {0, 1}

    def test_large_events_and_results_are_transferred(self, make_pool: MakePool) -> None:
        event = {"text": "x" * 3_000_000}
        assert make_pool(function("echo")).invoke("echo", "alice", event) == event

    def test_asynchronous_invocation_returns_at_once(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("hold"), function("echo"))
        pool.invoke("echo", "alice", {})  # so that the fork server has imported its modules
        started = time.monotonic()
        assert pool.invoke("hold", "alice", str(tmp_path / "pid"), asynchronous=True) is None
        assert time.monotonic() - started < 10
        assert pid_in(tmp_path / "pid")

    def test_handler_exception_is_raised_with_its_type(self, make_pool: MakePool) -> None:
        with pytest.raises(InvocationError, match="of the handler") as raised:
            make_pool(function("act")).invoke("act", "alice", "fail")
        assert raised.value.error_type == "KeyError"
        assert any("_fail" in line for line in raised.value.stack_trace or [])

    def test_result_that_is_not_json_raises_marshal_error(self, make_pool: MakePool) -> None:
        with pytest.raises(InvocationError) as raised:
            make_pool(function("act")).invoke("act", "alice", "set")
        assert raised.value.error_type == "Runtime.MarshalError"

    def test_handler_import_error_is_raised_and_logged(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(RunnerFunction(name="f", target="no_such_module:handler"))
        with pytest.raises(InvocationError, match="no_such_module"):
            pool.invoke("f", "alice", {})
        assert "Traceback" in (tmp_path / "logs/f-alice.log").read_text()

    def test_print_goes_to_the_log_and_cannot_forge_a_response(self, make_pool: MakePool, tmp_path: Path) -> None:
        assert make_pool(function("act")).invoke("act", "alice", "forge") == "true"
        log = (tmp_path / "logs/act-alice.log").read_text()
        assert "forged" in log
        assert "raw output" in log

    def test_handler_that_reads_standard_input_does_not_consume_invocations(self, make_pool: MakePool) -> None:
        pool = make_pool(function("act"))
        assert pool.invoke("act", "alice", "read") == ""
        assert pool.invoke("act", "alice", "forge") == "true"


class TestKilling:
    def test_processes_of_a_killed_environment_are_killed(
        self,
        make_pool: MakePool,
        tmp_path: Path,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        pool = make_pool(function("hold"))
        pool.invoke("hold", "alice", str(tmp_path / "pid"), asynchronous=True)
        server = pid_in(tmp_path / "pid")
        os.kill(pool.pids()["hold", "alice"], signal.SIGKILL)
        eventually(lambda: not is_pid_alive(server))
        eventually(lambda: "Runtime.ExitError" in caplog.text)
        assert "signal 9" in caplog.text
        assert pool.pids() == {}

    def test_exit_fails_the_invocation_and_the_next_one_gets_a_new_environment(self, make_pool: MakePool) -> None:
        pool = make_pool(function("act"))
        with pytest.raises(InvocationError, match="exit status 7") as raised:
            pool.invoke("act", "alice", "exit")
        assert raised.value.error_type == "Runtime.ExitError"
        assert pool.invoke("act", "alice", "forge") == "true"

    def test_environment_of_another_tenant_is_not_affected(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("hold"))
        for tenant in ("alice", "bob"):
            pool.invoke("hold", tenant, str(tmp_path / tenant), asynchronous=True)
        servers = {tenant: pid_in(tmp_path / tenant) for tenant in ("alice", "bob")}
        os.kill(pool.pids()["hold", "alice"], signal.SIGKILL)
        eventually(lambda: not is_pid_alive(servers["alice"]))
        assert is_pid_alive(servers["bob"])
        assert list(pool.pids()) == [("hold", "bob")]

    def test_unrelated_children_of_the_parent_are_not_affected(self, make_pool: MakePool) -> None:
        pool = make_pool(function("act"))
        with subprocess.Popen(
            [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True
        ) as unrelated:
            with pytest.raises(InvocationError):
                pool.invoke("act", "alice", "exit")
            pool.close()
            assert unrelated.poll() is None

    def test_orphan_of_a_killed_environment_is_killed(
        self,
        make_pool: MakePool,
        tmp_path: Path,
    ) -> None:
        pool = make_pool(function("orphan"))
        pool.invoke("orphan", "alice", str(tmp_path / "pid"))
        orphan = pid_in(tmp_path / "pid")
        assert is_pid_alive(orphan)
        os.kill(pool.pids()["orphan", "alice"], signal.SIGKILL)
        eventually(lambda: not is_pid_alive(orphan))

    def test_timeout_kills_the_environment(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("hold", timeout=10))
        with pytest.raises(InvocationError) as raised:
            pool.invoke("hold", "alice", str(tmp_path / "pid"))
        assert raised.value.error_type == "Sandbox.Timedout"
        eventually(lambda: not pool.pids())
        eventually(lambda: not is_pid_alive(pid_in(tmp_path / "pid")))

    @pytest.mark.parametrize("handler", ["hold", "orphan"])
    def test_environments_end_with_all_their_processes_if_the_parent_is_killed(
        self,
        tmp_path: Path,
        handler: str,
    ) -> None:
        program = (
            "import sys, time\n"
            "from pathlib import Path\n"
            "from local.emulator.runners.functions import RunnerFunction\n"
            "from local.emulator.runners.pool import EnvironmentPool\n"
            f"function = RunnerFunction(name='f', target='{HANDLERS}:{handler}')\n"
            f"pool = EnvironmentPool([function], log_dir=Path({str(tmp_path)!r}))\n"
            f"pool.invoke('f', 'alice', {str(tmp_path / 'pid')!r}, asynchronous=True)\n"
            "print(pool.pids()['f', 'alice'], flush=True)\n"
            "time.sleep(1000)\n"
        )
        environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[4])}
        command = [sys.executable, "-c", program]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environ) as parent:  # noqa: S603  (the program above)
            assert parent.stdout
            environment = int(parent.stdout.readline())
            server = pid_in(tmp_path / "pid")
            parent.kill()
        eventually(lambda: not is_pid_alive(environment) and not is_pid_alive(server))


class TestEnding:
    def test_ten_busy_environments_are_closed_within_ten_seconds(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("hold"))
        for number in range(10):
            pool.invoke("hold", f"user{number}", str(tmp_path / str(number)), asynchronous=True)
        servers = [pid_in(tmp_path / str(number)) for number in range(10)]
        with prioritized():
            started = time.monotonic()
            pool.close()
            assert time.monotonic() - started < 10
        assert not any(is_pid_alive(server) for server in servers)

    def test_environment_that_does_not_end_in_time_is_killed(self, make_pool: MakePool) -> None:
        pool = make_pool(function("echo"), grace_seconds=0.3)
        pool.invoke("echo", "alice", {})
        os.kill(pool.pids()["echo", "alice"], signal.SIGSTOP)
        started = time.monotonic()
        pool.close()
        assert 0.3 <= time.monotonic() - started < 10

    def test_close_waits_until_a_slow_machine_has_ended_all_environments(
        self, make_pool: MakePool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kill_orphans = process_tree.kill_orphans

        def kill_slowly(pids: set[int]) -> None:
            time.sleep(1)
            kill_orphans(pids)

        monkeypatch.setattr(process_tree, "kill_orphans", kill_slowly)
        pool = make_pool(function("echo"), grace_seconds=0.3)
        for number in range(4):
            pool.invoke("echo", f"user{number}", {})
        pids = list(pool.pids().values())
        pool.close()
        assert not any(is_pid_alive(pid) for pid in pids)
        assert "runner-supervisor" not in [thread.name for thread in threading.enumerate()]

    def test_close_calls_the_shutdown_function_of_the_module(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("echo", TRACE=str(tmp_path / "trace")), grace_seconds=TIMEOUT_SECONDS)
        pool.invoke("echo", "alice", {})
        pool.close()
        assert (tmp_path / "trace").read_text() == "ended by itself"

    def test_sigterm_calls_the_shutdown_function_of_the_module(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("echo", TRACE=str(tmp_path / "trace")))
        pool.invoke("echo", "alice", {})
        os.kill(pool.pids()["echo", "alice"], signal.SIGTERM)
        eventually(lambda: not pool.pids())
        assert (tmp_path / "trace").read_text() == "ended by itself"

    def test_who_waits_when_the_pool_closes_is_describe(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("hold"))
        with ThreadPoolExecutor(1) as one:
            waiting = one.submit(pool.invoke, "hold", "alice", str(tmp_path / "pid"))
            pid_in(tmp_path / "pid")
            pool.close()
            assert isinstance(waiting.exception(TIMEOUT_SECONDS), InvocationError)

    def test_closed_pool_rejects_invocations(self, make_pool: MakePool) -> None:
        pool = make_pool(function("echo"))
        pool.close()
        with pytest.raises(InvocationError, match="stopping") as raised:
            pool.invoke("echo", "alice", {})
        assert raised.value.error_type == "ServiceException"

    def test_idle_environment_ends_and_busy_one_does_not(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("echo"), function("hold"), idle_seconds=0.3)
        pool.invoke("hold", "alice", str(tmp_path / "pid"), asynchronous=True)
        pool.invoke("echo", "alice", {})
        eventually(lambda: list(pool.pids()) == [("hold", "alice")])
        assert is_pid_alive(pid_in(tmp_path / "pid"))
        assert pool.invoke("echo", "alice", {"again": 1}) == {"again": 1}

    def test_full_pool_ends_the_least_recently_used_environment(self, make_pool: MakePool) -> None:
        pool = make_pool(function("echo"), max_environments=2)
        for tenant in ("alice", "bob", "alice", "carol"):
            pool.invoke("echo", tenant, {})
        eventually(lambda: len(pool.pids()) == 2)
        assert set(pool.pids()) == {("echo", "alice"), ("echo", "carol")}
