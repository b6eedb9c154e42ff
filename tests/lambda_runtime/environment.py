"""A process that runs one function, as an execution environment of Lambda does."""

import os
import queue
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.sources import ROOT
from tests.lambda_runtime.runtime_api import FunctionError, Invocation, RuntimeApi

RUNTIME = Path(sys.prefix) / "lambda-runtime"
"""The packages of Lambda's runtime (requirements/lambda-runtime.txt), which `make` installs there."""

_PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
_POLL_SECONDS = 0.2
_RUNTIME_PORT = 9001
AWS_URL = f"http://127.0.0.1:{_RUNTIME_PORT + 1}"
"""The address of ``aws_listener`` in a process without a network."""
_RUNTIME_VARIABLES = {
    "AWS_EXECUTION_ENV": f"AWS_Lambda_{_PYTHON}",
    "LAMBDA_RUNTIME_DIR": "/var/runtime",
    "LAMBDA_TASK_ROOT": "/var/task",
    "LANG": "en_US.UTF-8",
    "LD_LIBRARY_PATH": "/var/lang/lib:/lib64:/usr/lib64:/var/runtime:/var/runtime/lib:/var/task:/var/task/lib:/opt/lib",
    "PATH": "/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin",
    "PYTHONPATH": "/opt/python:/var/runtime",
    "TZ": ":UTC",
}
"""The variables that Lambda sets for every function."""


@dataclass(frozen=True)
class Code:
    """The parts of a function. ``opt`` is the folder that the process finds as ``/opt``."""

    name: str
    folder: Path
    opt: Path
    variables: Mapping[str, str]


class Environment:
    """A process of a function. It can answer one invocation at a time.

    The process sees the function's code, its layers, the runtime and the interpreter, which are where Lambda has them.
    It finds neither this checkout nor packages that are installed for the interpreter. The interpreter finds its
    library by ``LD_LIBRARY_PATH`` alone.
    """

    def __init__(self, code: Code, log: Path, *, offline: bool = False) -> None:
        """Start the process.

        An ``offline`` process has no network. Its AWS requests can go to ``AWS_URL``, and arrive at ``aws_listener``.
        """
        self.log = log
        self.aws_listener: socket.socket | None = None
        if offline:
            ours, theirs = socket.socketpair()
            with ours, theirs:
                self._process = _start(code, log, _RUNTIME_PORT, theirs)
                theirs.close()
                _, fds, _, _ = socket.recv_fds(ours, 64, 2)
            listener, self.aws_listener = (socket.socket(fileno=fd) for fd in fds)
        else:
            listener = socket.create_server(("127.0.0.1", 0))
            self._process = _start(code, log, listener.getsockname()[1], None)
        self._api = RuntimeApi(listener)

    def invoke(self, invocation: Invocation) -> Any:  # noqa: ANN401  (any JSON)
        """Return the function's result. Raise FunctionError if it fails, ends or does not answer in time."""
        self._api.waiting.put(invocation)
        while time.time() < invocation.deadline:
            try:
                return invocation.result.result(timeout=_POLL_SECONDS)
            except FutureTimeoutError:
                if self._has_ended:
                    break
        raise self._failure()

    def stream(self, invocation: Invocation) -> Iterator[bytes]:
        """Yield the pieces of a streamed response as they come. Raise FunctionError as ``invoke``, and for trailers."""
        self._api.waiting.put(invocation)
        while time.time() < invocation.deadline:
            try:
                piece = invocation.pieces.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                if self._has_ended:
                    break
            else:
                if piece is None:
                    invocation.result.result()
                    return
                yield piece
        raise self._failure()

    @property
    def _has_ended(self) -> bool:
        return self._api.init_error is not None or self._process.poll() is not None

    def _failure(self) -> FunctionError:
        return FunctionError(f"{self._api.init_error or 'no answer'}\n{self.log.read_text(encoding='utf-8')[-3000:]}")

    def close(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()
        self._api.close()


def _start(code: Code, log: Path, port: int, channel: socket.socket | None) -> "subprocess.Popen[bytes]":
    """Start the runtime client in the sandbox, with Lambda's variables and those of the function alone."""
    if not RUNTIME.is_dir():
        raise FileNotFoundError(f"there is no {RUNTIME}; `make .venv/dev.stamp` installs it")
    variables = {
        **_RUNTIME_VARIABLES,
        "AWS_LAMBDA_FUNCTION_NAME": code.name,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
        **code.variables,
        "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{port}",
    }
    offline = [f"offline={channel.fileno()}:{port}"] if channel else []
    sandbox = [sys.executable, "-m", "tests.refused_calls.lambda_sandbox", *_sandbox(code), *offline, "--"]
    wrapper = [code.variables["AWS_LAMBDA_EXEC_WRAPPER"]] if "AWS_LAMBDA_EXEC_WRAPPER" in code.variables else []
    clean = ["/usr/bin/env", "-i", "-C", "/var/task", *(f"{name}={value}" for name, value in variables.items())]
    with log.open("ab") as file:
        return subprocess.Popen(  # noqa: S603  (fixed arguments)
            [*sandbox, *clean, *wrapper, f"/var/lang/bin/{_PYTHON}", "-m", "awslambdaric", "handler.handler"],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{ROOT / 'layers/core/python'}"},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            pass_fds=[channel.fileno()] if channel else [],
        )


def _sandbox(code: Code) -> list[str]:
    site = Path("/var/lang/lib") / _PYTHON / "site-packages"
    nothing = RUNTIME.with_name("lambda-nothing")
    nothing.mkdir(exist_ok=True)
    binds = {
        Path("/var/lang"): Path(os.path.realpath(sys.base_prefix)),
        site: nothing,
        Path("/var/runtime"): RUNTIME,
        Path("/var/task"): code.folder,
        Path("/opt"): code.opt,
    }
    return [f"hide={ROOT}", "empty=/var", *(f"bind={source}:{target}" for target, source in binds.items())]
