"""Start and stop of a system process, with small programs in its place."""

import sys
from contextlib import suppress

import psutil
import pytest

from tests.e2e.system_process import START_SECONDS, STOP_SECONDS, SystemFailed, running_system
from tests.processes import is_alive

PRINT_READY = "print('noise'); print('ready on http://127.0.0.1:1'); signal.pause()"


def program(body: str) -> list[str]:
    return [sys.executable, "-c", f"import os, signal, sys, time\n{body}"]


def graceful(code: int = 0, body: str = PRINT_READY) -> list[str]:
    return program(f"signal.signal(signal.SIGTERM, lambda *_: sys.exit({code}))\n{body}")


def test_system_is_ready_inside_the_context_and_stopped_after_it() -> None:
    with running_system(graceful()) as system:
        assert system.url == "http://127.0.0.1:1"
        assert 0 < system.ready_seconds < START_SECONDS
        assert system.process.poll() is None
    assert system.process.returncode == 0


def test_settings_reach_the_system_and_variables_of_the_developer_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_MODEL", "the developer's")
    host, port = "os.environ.get('SATCHEL_MODEL', 'none')", "os.environ['SATCHEL_PORT']"
    body = f"print('ready on http://' + {host} + ':' + {port}); signal.pause()"

    with running_system(graceful(body=body), settings={"SATCHEL_PORT": "7"}) as system:
        assert system.url == "http://none:7"


@pytest.mark.parametrize(
    ("command", "start_seconds", "message"),
    [
        (program("sys.exit('no port')"), START_SECONDS, "ended with 1 before it was ready\nno port"),
        (program("print('working'); signal.pause()"), 10, "not ready in time\nworking"),
    ],
)
def test_system_that_never_becomes_ready_fails_with_its_output(
    command: list[str], start_seconds: float, message: str
) -> None:
    with pytest.raises(SystemFailed, match=message), running_system(command, start_seconds=start_seconds):
        pytest.fail("the system was not ready")


@pytest.mark.parametrize(
    ("command", "stop_seconds", "message"),
    [
        (graceful(3), STOP_SECONDS, "ended with 3 after SIGTERM"),
        (program(PRINT_READY), STOP_SECONDS, "ended with -15 after SIGTERM"),
        (
            program(f"signal.signal(signal.SIGTERM, signal.SIG_IGN)\n{PRINT_READY}"),
            0.2,
            "still running 0.2 s after SIGTERM",
        ),
    ],
)
def test_system_that_does_not_stop_in_order_fails_and_is_killed(
    command: list[str], stop_seconds: float, message: str
) -> None:
    with pytest.raises(SystemFailed, match=message), running_system(command, stop_seconds=stop_seconds) as system:
        pass
    assert system.process.returncode is not None


@pytest.mark.parametrize("stream", ["sys.stderr", "open(log, 'w')"])
def test_system_that_logs_a_token_fails_with_the_token_redacted(stream: str) -> None:
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9." + "s" * 43
    folder = "folder = os.environ['TMPDIR'] + '/satchel-run-1/logs'; os.makedirs(folder); log = folder + '/report.log'"
    body = f"{folder}\nprint('GET /download?token={token}', file={stream}, flush=True)\n{PRINT_READY}"

    with (
        pytest.raises(SystemFailed, match="tokens were logged:\nGET /download") as failed,
        running_system(graceful(body=body)),
    ):
        pass
    assert token not in str(failed.value)


def test_all_processes_are_killed_if_the_body_of_the_context_fails() -> None:
    child = "import subprocess; subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])"
    processes: list[psutil.Process] = []

    with suppress(ZeroDivisionError), running_system(graceful(body=f"{child}\n{PRINT_READY}")) as system:
        processes += [psutil.Process(system.process.pid), *psutil.Process(system.process.pid).children()]
        _ = 1 / 0
    assert len(processes) == 2
    _, alive = psutil.wait_procs(processes, timeout=60)
    assert [process for process in alive if is_alive(process)] == []
