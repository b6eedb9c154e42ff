"""Starting and ending a system, tried on small programs that behave and misbehave."""

import sys
from contextlib import suppress

import psutil
import pytest

from tests.e2e.system import SystemFailedError, running_system
from tests.processes import lives

SAY_READY = "print('noise'); print('ready on http://127.0.0.1:1'); signal.pause()"


def program(body: str) -> list[str]:
    return [sys.executable, "-c", f"import os, signal, sys, time\n{body}"]


def orderly(code: int = 0, said: str = SAY_READY) -> list[str]:
    return program(f"signal.signal(signal.SIGTERM, lambda *_: sys.exit({code}))\n{said}")


def test_a_system_is_given_when_it_is_ready_and_ended_in_order() -> None:
    with running_system(orderly()) as system:
        assert system.url == "http://127.0.0.1:1"
        assert 0 < system.ready_seconds < 60
        assert system.process.poll() is None
    assert system.process.returncode == 0


def test_settings_reach_it_and_those_of_the_person_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_MODEL", "the person's")
    host, port = "os.environ.get('SATCHEL_MODEL', 'none')", "os.environ['SATCHEL_PORT']"
    told = f"print('ready on http://' + {host} + ':' + {port}); signal.pause()"

    with running_system(orderly(said=told), settings={"SATCHEL_PORT": "7"}) as system:
        assert system.url == "http://none:7"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (program("sys.exit('no port')"), "ended with 1 before it was ready\nno port"),
        (program("print('working'); signal.pause()"), "not ready in time\nworking"),
    ],
)
def test_one_that_never_becomes_ready_is_told_with_what_it_said(command: list[str], said: str) -> None:
    with pytest.raises(SystemFailedError, match=said), running_system(command, start_seconds=1):
        pytest.fail("it was not ready")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (orderly(3), "ended with 3 after SIGTERM"),
        (program(SAY_READY), "ended with -15 after SIGTERM"),
        (program(f"signal.signal(signal.SIGTERM, signal.SIG_IGN)\n{SAY_READY}"), "still running 0.2 s after SIGTERM"),
    ],
)
def test_one_that_does_not_end_in_order_is_told_and_ended(command: list[str], said: str) -> None:
    with pytest.raises(SystemFailedError, match=said), running_system(command, stop_seconds=0.2) as system:
        pass
    assert system.process.returncode is not None


@pytest.mark.parametrize("where", ["sys.stderr", "open(log, 'w')"])
def test_one_that_writes_a_token_down_is_told_without_it(where: str) -> None:
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9." + "s" * 43
    folder = "folder = os.environ['TMPDIR'] + '/satchel-run-1/logs'; os.makedirs(folder); log = folder + '/report.log'"
    said = f"{folder}\nprint('GET /download?token={token}', file={where}, flush=True)\n{SAY_READY}"

    with (
        pytest.raises(SystemFailedError, match="tokens were logged:\nGET /download") as failed,
        running_system(orderly(said=said)),
    ):
        pass
    assert token not in str(failed.value)


def test_nothing_of_it_is_left_when_what_used_it_fails() -> None:
    child = "import subprocess; subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])"
    family: list[psutil.Process] = []

    with suppress(ZeroDivisionError), running_system(orderly(said=f"{child}\n{SAY_READY}")) as system:
        family += [psutil.Process(system.process.pid), *psutil.Process(system.process.pid).children()]
        _ = 1 / 0
    assert len(family) == 2
    _, left = psutil.wait_procs(family, timeout=5)
    assert [process for process in left if lives(process)] == []
