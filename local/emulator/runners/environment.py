"""The program of one execution environment (a process that serves one function and one tenant).

``fork_server_main`` runs this program in each forked process. The program imports the handler once, and then serves the
invocations that it reads from standard input. Each invocation gets its own thread; the handler limits its own
concurrency. The program ends when the parent process closes the standard input pipe or dies.
"""

import contextlib
import faulthandler
import importlib
import json
import os
import select
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterable, Iterator
from types import FrameType, ModuleType
from typing import BinaryIO, cast

from local.emulator.runners import process_tree
from local.emulator.runners.context import Handler, InvocationError, LambdaContext, error_payload
from local.emulator.runners.messages import Invocation, LineBuffer, encode_line

_CHUNK_BYTES = 1 << 16
_SHUTDOWN_SECONDS = 0.8  # maximum for the handler's ``shutdown``; the parent kills this process after one second


class Environment:
    """Runs one Lambda handler for the invocations of one tenant."""

    def __init__(self, function: str, handler: Handler, responses: BinaryIO) -> None:
        self._function = function
        self._handler = handler
        self._responses = responses
        self._write_lock = threading.Lock()

    def serve(self, invocations: Iterable[bytes]) -> None:
        """Read an invocation from each line of ``invocations``, and run it in a new thread, until there are no more."""
        for line in invocations:
            invocation = cast("Invocation", json.loads(line))
            threading.Thread(target=self._run, args=(invocation,), daemon=True, name=invocation["id"]).start()

    def _run(self, invocation: Invocation) -> None:
        response = self._respond(invocation)
        with self._write_lock, contextlib.suppress(BrokenPipeError):  # the parent has died and needs no response
            self._responses.write(response)
            self._responses.flush()

    def _respond(self, invocation: Invocation) -> bytes:
        request_id = invocation["id"]
        try:
            result = self._handler(invocation["event"], self._context(invocation))
        except BaseException as error:  # noqa: BLE001  (any exception of a handler is a response, even SystemExit)
            return encode_line({"id": request_id, "kind": "error", "payload": error_payload(error, request_id)})
        try:
            return encode_line({"id": request_id, "kind": "result", "payload": result})
        except (TypeError, ValueError) as error:
            marshal_error = InvocationError("Runtime.MarshalError", f"Unable to marshal response: {error}")
            return encode_line({"id": request_id, "kind": "error", "payload": error_payload(marshal_error, request_id)})

    def _context(self, invocation: Invocation) -> LambdaContext:
        return LambdaContext(
            function_name=self._function,
            invoked_function_arn=invocation["arn"],
            deadline=time.monotonic() + invocation["remaining"],
            tenant_id=invocation["tenant"],
            asynchronous=invocation["asynchronous"],
            aws_request_id=invocation["id"],
        )


def main(target: str, function: str) -> None:
    """Serve invocations until the parent closes the pipe or sends SIGTERM. Then end this process and its descendants.

    ``target`` names the handler as ``module:attribute``. ``function`` becomes the name of this process. The first line
    of the input contains this process's environment variables. The fork server never gets them, so that its forks
    cannot contain another environment's secrets.
    """
    invocations, responses = _take_over_pipes()
    process_tree.set_process_name(function)
    lines = _read_lines(invocations, _report_signals())
    os.environ.clear()
    os.environ.update(json.loads(next(lines, b"{}")))
    process_tree.become_subreaper()
    faulthandler.enable()
    signal.signal(signal.SIGTERM, _raise_system_exit)
    module: ModuleType | None = None
    try:
        module, handler = _load(target)
        Environment(function, handler, responses).serve(lines)
    except ImportError as error:
        responses.write(encode_line({"id": "", "kind": "import_error", "payload": error_payload(error, "")}))
        responses.flush()
        raise
    finally:
        _shut_down(module)


def mark() -> None:
    """Mark this process and its future children, so that the parent process finds them after this process has died."""
    with contextlib.suppress(PermissionError):  # some containers forbid this mark; then orphaned tools may survive
        process_tree.mark_process()


def _report_signals() -> int:
    """Let each signal that has a handler write a byte to a pipe. Return the descriptor to read from."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def _read_lines(stream: int, signals: int) -> Iterator[bytes]:
    """Yield the lines of the stream until it ends.

    A read alone would not notice a signal that arrives immediately before it, because Python runs the signal's handler
    in this thread, after the read.
    """
    lines = LineBuffer()
    while True:
        readable, _, _ = select.select([stream, signals], [], [])
        if signals in readable:
            os.read(signals, _CHUNK_BYTES)
        if stream in readable:
            chunk = os.read(stream, _CHUNK_BYTES)
            if not chunk:
                return
            yield from lines.feed(chunk)


def _take_over_pipes() -> tuple[int, BinaryIO]:
    """Return the pipes for invocations and responses, moved from descriptors 0 and 1 to other descriptors.

    If the pipes stayed at descriptors 0 and 1, printed text could forge a response, and a tool that reads standard
    input could consume invocations.
    """
    invocations, responses = os.dup(0), os.dup(1)  # copies are not inherited, so no child process keeps them open
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return invocations, open(responses, "wb")  # noqa: PTH123  (a descriptor, open until the end)


def _load(target: str) -> tuple[ModuleType, Handler]:
    """Import the handler. Raise ImportError if its module raises any exception, as Lambda does."""
    module_name, _, attribute = target.partition(":")
    try:
        module = importlib.import_module(module_name)
        return module, cast("Handler", getattr(module, attribute))
    except Exception as error:
        raise ImportError(f"Unable to import {target}: {type(error).__name__}: {error}") from error


def _raise_system_exit(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit


def _shut_down(module: ModuleType | None) -> None:
    """Call the handler module's ``shutdown``, kill all descendants, and exit without waiting for other threads."""
    error = sys.exc_info()[1]
    failed = error is not None and not isinstance(error, SystemExit)
    if failed:
        traceback.print_exception(error)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    shutdown = getattr(module, "shutdown", None)
    if callable(shutdown):
        thread = threading.Thread(target=shutdown, daemon=True, name="shutdown")
        thread.start()
        thread.join(_SHUTDOWN_SECONDS)
    process_tree.kill_descendants()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(failed)
