"""The whole system as a process of its own, for as long as a benchmark or a test needs it."""

import ctypes
import os
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

from tests.tokens import lines_with_tokens, logs_of

ROOT = Path(__file__).resolve().parents[2]
READY = re.compile(r"^ready on (http://\S+)\s", re.MULTILINE)
LOOK_SECONDS = 0.005  # between two looks for the ready line; the error of ``ready_seconds``
START_SECONDS = 60.0
STOP_SECONDS = 10.0
SHOWN_CHARS = 4_000  # of what the system said, when it failed


_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


def _end_with_parent() -> None:
    """Let it end in order, too, when a killed test run can end nothing any more; Linux knows how."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


class SystemFailedError(Exception):
    """It did not become ready, or did not end as it should; says what it wrote last."""


@dataclass(frozen=True)
class System:
    """A running system: its address and its process. ``ready_seconds`` is the time from its start to its ready line.

    ``temp`` is its directory for temporary files, which nobody else uses.
    """

    url: str
    process: "subprocess.Popen[bytes]"
    ready_seconds: float
    output: IO[bytes]
    temp: Path

    def said(self) -> str:
        """Return all that it has written so far."""
        return _text(self.output)

    def send(self, name: str) -> None:
        """Send it a signal, by name."""
        self.process.send_signal(signal.Signals[name])


def free_port() -> int:
    """Find a port that nobody holds at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def serve_command(port: int) -> list[str]:
    """Return the command that serves Satchel, with this interpreter."""
    return [sys.executable, "-m", "local.cli.main", "serve", "--port", str(port)]


@contextmanager
def running_system(
    command: Sequence[str] | None = None,
    *,
    settings: Mapping[str, str] | None = None,
    start_seconds: float = START_SECONDS,
    stop_seconds: float = STOP_SECONDS,
) -> Iterator[System]:
    """Start the system, wait until it is ready, and end it by SIGTERM.

    The person's own SATCHEL_ variables do not reach it; ``settings`` do. Raises SystemFailedError when it is not ready
    in time, ends too late or with another code than 0, or has written a token into a log; its process group is gone in
    any case.
    """
    with tempfile.TemporaryFile() as said, tempfile.TemporaryDirectory(prefix="satchel-e2e-") as temp:
        started = time.monotonic()
        process = subprocess.Popen(  # noqa: S603  (our own command, or a test's)
            command or serve_command(free_port()),
            cwd=ROOT,
            env=environment({"TMPDIR": temp, **(settings or {})}),
            stdout=said,  # a file, since a pipe that nobody reads would fill and stop it
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for us: we end it in order
            preexec_fn=_end_with_parent,  # noqa: PLW1509  (one call of the C library, made ready before the fork)
        )
        try:
            url = _ready_url(process, said, started + start_seconds)
            yield System(url, process, time.monotonic() - started, said, Path(temp))
            _stop(process, said, stop_seconds)
            _refuse_tokens(said, Path(temp))
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Return this process's environment with ``settings`` in the place of the person's own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SATCHEL_")}
    return {**kept, "PYTHONUNBUFFERED": "1", **settings}


def _ready_url(process: "subprocess.Popen[bytes]", said: IO[bytes], deadline: float) -> str:
    while time.monotonic() < deadline:
        if found := READY.search(_text(said)):
            return found[1]
        if (code := process.poll()) is not None:
            raise SystemFailedError(f"ended with {code} before it was ready\n{_tail(said)}")
        time.sleep(LOOK_SECONDS)
    raise SystemFailedError(f"not ready in time\n{_tail(said)}")


def _stop(process: "subprocess.Popen[bytes]", said: IO[bytes], seconds: float) -> None:
    process.send_signal(signal.SIGTERM)  # nothing happens where it has ended already
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        raise SystemFailedError(f"still running {seconds:g} s after SIGTERM\n{_tail(said)}") from None
    if code != 0:
        raise SystemFailedError(f"ended with {code} after SIGTERM\n{_tail(said)}")


def _refuse_tokens(said: IO[bytes], temp: Path) -> None:
    """Whatever a test was about: nothing that was written down lets anybody fetch a file."""
    written = [_text(said), *(log.read_text(errors="replace") for log in logs_of(temp))]
    if found := [line for text in written for line in lines_with_tokens(text)]:
        raise SystemFailedError("tokens were logged:\n" + "\n".join(found[:10]))


def _text(said: IO[bytes]) -> str:
    """Read all of it by position: the process writes through the same open file and must not be moved."""
    return os.pread(said.fileno(), os.fstat(said.fileno()).st_size, 0).decode(errors="replace")


def _tail(said: IO[bytes]) -> str:
    return _text(said)[-SHOWN_CHARS:]
