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

from local.runners.context import InvocationError
from local.runners.functions import RunnerFunction
from local.runners.pool import EnvironmentPool
from tests.processes import pid_lives

HANDLERS = "tests.integration.local.runner_handlers"
MakePool = Callable[..., EnvironmentPool]


def function(name: str, timeout: float = 900.0, **settings: str) -> RunnerFunction:
    """Return the function of a handler of runner_handlers.py, under the handler's name."""
    return RunnerFunction(name=name, target=f"{HANDLERS}:{name}", settings=settings, timeout=timeout)


def told(pool: EnvironmentPool, tenant: str, event: object = None, arn: str = "") -> dict[str, Any]:
    """Return what ``describe`` says of an invocation."""
    return cast("dict[str, Any]", pool.invoke("describe", tenant, event, arn=arn))


def eventually(condition: Callable[[], object], within: float = 5) -> None:
    """Wait for another process to do its part."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


def pid_in(path: Path) -> int:
    """Return the process id that a handler has written, when it has."""
    eventually(lambda: path.exists() and path.read_text().strip())
    return int(path.read_text())


@pytest.fixture
def make_pool(tmp_path: Path) -> Iterator[MakePool]:
    """Make pools; in the end, nothing that they started may be left."""
    before = set(psutil.Process().children())  # theirs come and go: a system that other tests use may be among them
    pools: list[EnvironmentPool] = []

    def make(
        *functions: RunnerFunction,
        idle_seconds: float = 300,
        most: int = 16,
        grace: float = 1,
    ) -> EnvironmentPool:
        logs = tmp_path / "logs"
        pool = EnvironmentPool(functions, log_dir=logs, most=most, idle_seconds=idle_seconds, grace=grace)
        pools.append(pool)
        return pool

    yield make
    for pool in pools:
        pool.close()
    assert set(psutil.Process().children()) <= before
    assert not [thread for thread in threading.enumerate() if thread.name == "runner-supervisor"]


class TestInvoking:
    @pytest.mark.clause("v2.1:isolation:users-apart")
    def test_an_environment_is_one_of_its_function_and_tenant(self, make_pool: MakePool) -> None:
        pool = make_pool(function("describe"), function("echo"))
        pids = [told(pool, tenant)["pid"] for tenant in ("alice", "bob", "alice")]
        pool.invoke("echo", "alice", {})
        assert pids[0] == pids[2] != pids[1]
        assert set(pool.pids()) == {("describe", "alice"), ("describe", "bob"), ("echo", "alice")}

    def test_a_handler_is_told_what_lambda_would_tell_it(self, make_pool: MakePool) -> None:
        pool = make_pool(function("describe", timeout=60, SATCHEL_SERVER="report"))
        seen = told(pool, "alice@example.com", {"a": [1, "ü"]}, arn="arn:f")
        assert seen["event"] == {"a": [1, "ü"]}
        assert (seen["tenant"], seen["function"], seen["arn"]) == ("alice@example.com", "describe", "arn:f")
        assert 50_000 < seen["remaining"] <= 60_000
        assert seen["request_id"]
        assert seen["environ"]["SATCHEL_SERVER"] == "report"

    def test_an_environment_has_none_of_its_parents_secrets(
        self,
        make_pool: MakePool,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("SECRET_OF_THE_PARENT", "x")
        assert "SECRET_OF_THE_PARENT" not in told(make_pool(function("describe")), "alice")["environ"]

    def test_invocations_of_one_environment_run_at_the_same_time(self, make_pool: MakePool) -> None:
        pool = make_pool(function("act"))
        with ThreadPoolExecutor(2) as two:
            met = set(two.map(lambda _: pool.invoke("act", "alice", "meet"), range(2)))
        assert met == {0, 1}

    def test_large_events_and_results_pass(self, make_pool: MakePool) -> None:
        event = {"text": "x" * 3_000_000}
        assert make_pool(function("echo")).invoke("echo", "alice", event) == event

    def test_an_asynchronous_invocation_returns_at_once(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("hold"))
        started = time.monotonic()
        assert pool.invoke("hold", "alice", str(tmp_path / "pid"), asynchronous=True) is None
        assert time.monotonic() - started < 10
        assert pid_in(tmp_path / "pid")

    def test_a_handlers_exception_arrives_with_its_type(self, make_pool: MakePool) -> None:
        with pytest.raises(InvocationError, match="of the handler") as raised:
            make_pool(function("act")).invoke("act", "alice", "fail")
        assert raised.value.error_type == "KeyError"
        assert any("_fail" in line for line in raised.value.stack_trace or [])

    def test_a_result_that_is_not_json_is_an_error(self, make_pool: MakePool) -> None:
        with pytest.raises(InvocationError) as raised:
            make_pool(function("act")).invoke("act", "alice", "set")
        assert raised.value.error_type == "Runtime.MarshalError"

    def test_a_handler_that_cannot_be_imported_is_said_so(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(RunnerFunction(name="f", target="no_such_module:handler"))
        with pytest.raises(InvocationError, match="no_such_module"):
            pool.invoke("f", "alice", {})
        assert "Traceback" in (tmp_path / "logs/f-alice.log").read_text()

    def test_a_print_goes_to_the_log_and_forges_no_answer(self, make_pool: MakePool, tmp_path: Path) -> None:
        assert make_pool(function("act")).invoke("act", "alice", "forge") == "true"
        log = (tmp_path / "logs/act-alice.log").read_text()
        assert "forged" in log
        assert "raw words" in log

    def test_a_handler_that_reads_its_input_eats_no_invocations(self, make_pool: MakePool) -> None:
        pool = make_pool(function("act"))
        assert pool.invoke("act", "alice", "read") == ""
        assert pool.invoke("act", "alice", "forge") == "true"


class TestDying:
    def test_what_a_killed_environment_had_started_dies_with_it(
        self,
        make_pool: MakePool,
        tmp_path: Path,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        pool = make_pool(function("hold"))
        pool.invoke("hold", "alice", str(tmp_path / "pid"), asynchronous=True)
        server = pid_in(tmp_path / "pid")
        os.kill(pool.pids()["hold", "alice"], signal.SIGKILL)
        eventually(lambda: not pid_lives(server), within=1)
        eventually(lambda: "Runtime.ExitError" in caplog.text, within=1)
        assert "signal 9" in caplog.text
        assert pool.pids() == {}

    def test_who_waits_is_told_and_the_next_invocation_has_a_new_environment(self, make_pool: MakePool) -> None:
        pool = make_pool(function("act"))
        with pytest.raises(InvocationError, match="exit status 7") as raised:
            pool.invoke("act", "alice", "exit")
        assert raised.value.error_type == "Runtime.ExitError"
        assert pool.invoke("act", "alice", "forge") == "true"

    def test_a_neighbour_is_not_touched(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("hold"))
        for tenant in ("alice", "bob"):
            pool.invoke("hold", tenant, str(tmp_path / tenant), asynchronous=True)
        servers = {tenant: pid_in(tmp_path / tenant) for tenant in ("alice", "bob")}
        os.kill(pool.pids()["hold", "alice"], signal.SIGKILL)
        eventually(lambda: not pid_lives(servers["alice"]))
        assert pid_lives(servers["bob"])
        assert list(pool.pids()) == [("hold", "bob")]

    def test_other_children_of_the_process_are_not_touched(self, make_pool: MakePool) -> None:
        pool = make_pool(function("act"))
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True) as own:
            with pytest.raises(InvocationError):
                pool.invoke("act", "alice", "exit")
            pool.close()
            assert own.poll() is None

    def test_an_orphan_of_a_living_environment_dies_with_the_environment(
        self,
        make_pool: MakePool,
        tmp_path: Path,
    ) -> None:
        pool = make_pool(function("orphan"))
        pool.invoke("orphan", "alice", str(tmp_path / "pid"))
        left = pid_in(tmp_path / "pid")
        assert pid_lives(left)
        os.kill(pool.pids()["orphan", "alice"], signal.SIGKILL)
        eventually(lambda: not pid_lives(left), within=1)

    def test_an_invocation_that_takes_too_long_costs_the_environment(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("hold", timeout=0.5))
        with pytest.raises(InvocationError) as raised:
            pool.invoke("hold", "alice", str(tmp_path / "pid"))
        assert raised.value.error_type == "Sandbox.Timedout"
        eventually(lambda: not pool.pids())
        eventually(lambda: not pid_lives(pid_in(tmp_path / "pid")), within=1)

    @pytest.mark.parametrize("handler", ["hold", "orphan"])
    def test_children_end_themselves_and_all_theirs_when_the_parent_is_killed(
        self,
        tmp_path: Path,
        handler: str,
    ) -> None:
        program = (
            "import sys, time\n"
            "from pathlib import Path\n"
            "from local.runners.functions import RunnerFunction\n"
            "from local.runners.pool import EnvironmentPool\n"
            f"function = RunnerFunction(name='f', target='{HANDLERS}:{handler}')\n"
            f"pool = EnvironmentPool([function], log_dir=Path({str(tmp_path)!r}))\n"
            f"pool.invoke('f', 'alice', {str(tmp_path / 'pid')!r}, asynchronous=True)\n"
            "print(pool.pids()['f', 'alice'], flush=True)\n"
            "time.sleep(1000)\n"
        )
        environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[3])}
        command = [sys.executable, "-c", program]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environ) as parent:  # noqa: S603  (the text above)
            assert parent.stdout
            environment = int(parent.stdout.readline())
            server = pid_in(tmp_path / "pid")
            parent.kill()
        eventually(lambda: not pid_lives(environment) and not pid_lives(server), within=3)


class TestEnding:
    def test_ten_busy_environments_are_closed_in_time(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("hold"))
        for number in range(10):
            pool.invoke("hold", f"user{number}", str(tmp_path / str(number)), asynchronous=True)
        servers = [pid_in(tmp_path / str(number)) for number in range(10)]
        started = time.monotonic()
        pool.close()
        assert time.monotonic() - started < 10
        assert not any(pid_lives(server) for server in servers)

    def test_an_environment_that_does_not_end_by_itself_is_killed(self, make_pool: MakePool) -> None:
        pool = make_pool(function("echo"), grace=0.3)
        pool.invoke("echo", "alice", {})
        os.kill(pool.pids()["echo", "alice"], signal.SIGSTOP)
        started = time.monotonic()
        pool.close()
        assert 0.3 <= time.monotonic() - started < 10

    def test_the_handlers_module_may_end_its_servers_itself(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("echo", TRACE=str(tmp_path / "trace")))
        pool.invoke("echo", "alice", {})
        pool.close()
        assert (tmp_path / "trace").read_text() == "ended by itself"

    def test_a_termination_signal_is_a_proper_end_too(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("echo", TRACE=str(tmp_path / "trace")))
        pool.invoke("echo", "alice", {})
        os.kill(pool.pids()["echo", "alice"], signal.SIGTERM)
        eventually(lambda: not pool.pids())
        assert (tmp_path / "trace").read_text() == "ended by itself"

    def test_who_waits_when_the_pool_closes_is_told(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("hold"))
        with ThreadPoolExecutor(1) as one:
            waiting = one.submit(pool.invoke, "hold", "alice", str(tmp_path / "pid"))
            pid_in(tmp_path / "pid")
            pool.close()
            assert isinstance(waiting.exception(5), InvocationError)

    def test_a_closed_pool_starts_nothing(self, make_pool: MakePool) -> None:
        pool = make_pool(function("echo"))
        pool.close()
        with pytest.raises(InvocationError, match="stopping") as raised:
            pool.invoke("echo", "alice", {})
        assert raised.value.error_type == "ServiceException"

    def test_an_idle_environment_is_ended_and_a_busy_one_is_not(self, make_pool: MakePool, tmp_path: Path) -> None:
        pool = make_pool(function("echo"), function("hold"), idle_seconds=0.3)
        pool.invoke("hold", "alice", str(tmp_path / "pid"), asynchronous=True)
        pool.invoke("echo", "alice", {})
        eventually(lambda: list(pool.pids()) == [("hold", "alice")])
        assert pid_lives(pid_in(tmp_path / "pid"))
        assert pool.invoke("echo", "alice", {"again": 1}) == {"again": 1}

    def test_above_their_number_the_one_unused_for_longest_is_ended(self, make_pool: MakePool) -> None:
        pool = make_pool(function("echo"), most=2)
        for tenant in ("alice", "bob", "alice", "carol"):
            pool.invoke("echo", tenant, {})
        eventually(lambda: len(pool.pids()) == 2)
        assert set(pool.pids()) == {("echo", "alice"), ("echo", "carol")}
