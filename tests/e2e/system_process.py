"""The whole system in a process of its own, for the duration of a test or a benchmark."""

import ctypes
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.e2e.prepared_system import ForkedProcess, prepared_system
from tests.e2e.user_client import LOCAL_KEY
from tests.tokens import lines_with_tokens, runner_logs

ROOT = Path(__file__).resolve().parents[2]
READY = re.compile(r"^ready on (http://\S+)\s", re.MULTILINE)
POLL_SECONDS = 0.005  # between two searches for the ready line; the error of ``ready_seconds``
START_SECONDS = 180.0
STOP_SECONDS = 60.0
TAIL_CHARS = 4_000  # of the output, in error messages
_PORTS = range(20_000, 32_000)

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


def _end_with_parent() -> None:
    """Let the kernel send SIGTERM to the system if the test run is killed and cannot stop the system itself (Linux)."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


Process = subprocess.Popen[bytes] | ForkedProcess


class SystemFailed(Exception):
    """The system did not become ready, did not stop in order, or logged a token. The message has its last output."""


@dataclass(frozen=True)
class SystemProcess:
    """A running system. ``ready_seconds`` is the time from its start to its ready line.

    ``temp_dir`` is its directory for temporary files, which no other process uses.
    """

    url: str
    process: Process
    ready_seconds: float
    output_file: IO[bytes]
    temp_dir: Path

    def output(self) -> str:
        """Return the output so far."""
        return _text(self.output_file)

    def kill(self) -> None:
        """End the server at once, as a crash does, and wait until it has ended."""
        self.process.kill()
        self.process.wait()

    def send(self, name: str) -> None:
        """Send a signal by its name."""
        self.process.send_signal(signal.Signals[name])


def free_port() -> int:
    """Return a free port that no other test process gets from this function before this process ends (on Linux).

    It is below the ports that the kernel gives to clients and to servers that name no port.
    """
    for port in random.sample(_PORTS, len(_PORTS)):
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            if _reserve(port):
                return port
    raise SystemFailed("no port is free")


def _reserve(port: int) -> bool:
    """Return True if no other process has reserved the port. The kernel ends the reservation with this process."""
    if sys.platform != "linux":
        return True
    reservation = socket.socket(socket.AF_UNIX)
    try:
        reservation.bind(f"\0satchel-test-port-{port}")  # an abstract name, which has no file
    except OSError:
        reservation.close()
        return False
    reservation.detach()
    return True


def serve_command(port: int | None = None) -> list[str]:
    """Return the command that serves Satchel with this interpreter, by default on a free port."""
    return [sys.executable, "-m", "local.cli.main", "serve", "--port", str(port or free_port())]


@contextmanager
def running_system(
    command: Sequence[str] | None = None,
    *,
    settings: Mapping[str, str] | None = None,
    start_seconds: float = START_SECONDS,
    stop_seconds: float = STOP_SECONDS,
) -> Iterator[SystemProcess]:
    """Start the system, wait until it is ready, and stop it with SIGTERM, unless ``kill`` has ended it.

    Without a command, the system is a fork of a process that has already imported it, which is several times as fast.
    With ``serve_command()``, it is a new process, as for users: for tests of the start, and for measurements.
    It gets the variables in ``settings``, but none of the developer's SATCHEL_ variables. Its key is ``LOCAL_KEY``.
    Raises SystemFailed if it is not ready in time, stops too late or with an exit code other than 0, or has logged a
    token. In any case, its process group is killed at the end.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory(prefix="satchel-e2e-") as temp_dir:
        start = time.monotonic()
        environ = environment({"TMPDIR": temp_dir, "XDG_STATE_HOME": f"{temp_dir}/state", **(settings or {})})
        process = (
            _start(command, environ, output)
            if command
            else prepared_system().start(["serve", "--port", str(free_port())], environ, output)
        )
        try:
            url = _wait_until_ready(process, output, start + start_seconds)
            yield SystemProcess(url, process, time.monotonic() - start, output, Path(temp_dir))
            if process.poll() != -signal.SIGKILL:  # the test has not killed it
                _stop(process, output, stop_seconds)
            _check_for_tokens(output, Path(temp_dir))
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _start(command: Sequence[str], environ: Mapping[str, str], output: IO[bytes]) -> Process:
    return subprocess.Popen(  # noqa: S603  (our own command, or a test's)
        command,
        cwd=ROOT,
        env=environ,
        stdout=output,  # a file, because a pipe without a reader would fill up and block the system
        stderr=subprocess.STDOUT,
        start_new_session=True,  # Ctrl-C reaches only the test run, which stops the system in order
        preexec_fn=_end_with_parent,  # noqa: PLW1509  (one call of the C library, which is loaded before the fork)
    )


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Return this process's environment with ``settings`` in place of the developer's SATCHEL_ variables.

    The key of the local system is ``LOCAL_KEY``, also for the commands that send requests to that system. Its data are
    in memory, unless the settings say otherwise.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SATCHEL_")}
    defaults = {"PYTHONUNBUFFERED": "1", "SATCHEL_LOCAL_KEY": LOCAL_KEY, "SATCHEL_DATA": "memory"}
    defaults["SATCHEL_CHAT_TITLES"] = "false"  # each request to a fake model is one that its test plans
    return {**inherited, **defaults, **settings}


def _wait_until_ready(process: Process, output: IO[bytes], deadline: float) -> str:
    while time.monotonic() < deadline:
        if match := READY.search(_text(output)):
            return match[1]
        if (code := process.poll()) is not None:
            raise SystemFailed(f"ended with {code} before it was ready\n{_tail(output)}")
        time.sleep(POLL_SECONDS)
    raise SystemFailed(f"not ready in time\n{_tail(output)}")


def _stop(process: Process, output: IO[bytes], seconds: float) -> None:
    process.send_signal(signal.SIGTERM)  # has no effect if the process has ended already
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        raise SystemFailed(f"still running {seconds:g} s after SIGTERM\n{_tail(output)}") from None
    if code != 0:
        raise SystemFailed(f"ended with {code} after SIGTERM\n{_tail(output)}")


def _check_for_tokens(output: IO[bytes], temp_dir: Path) -> None:
    """Raise SystemFailed if a token is in the output or in a runner's log, whatever the test is about."""
    texts = [_text(output), *(log.read_text(errors="replace") for log in runner_logs(temp_dir))]
    if lines := [line for text in texts for line in lines_with_tokens(text)]:
        raise SystemFailed("tokens were logged:\n" + "\n".join(lines[:10]))


def _text(output: IO[bytes]) -> str:
    """Return the whole output. Reads by offset, because the process writes through the same file position."""
    return os.pread(output.fileno(), os.fstat(output.fileno()).st_size, 0).decode(errors="replace")


def _tail(output: IO[bytes]) -> str:
    return _text(output)[-TAIL_CHARS:]
