"""What one execution environment does once ``forkserver`` has given birth to it.

It imports the handler once, then serves the invocations that it reads from standard input, several at a time: the
handler does its own queueing. It ends when standard input ends, be it that the parent closed it or that it died.
"""

import contextlib
import faulthandler
import importlib
import json
import os
import signal
import sys
import threading
import time
import traceback
from types import FrameType, ModuleType
from typing import BinaryIO, cast

from local.runners import trees
from local.runners.context import Handler, InvocationError, LambdaContext, error_payload
from local.runners.wire import Invocation, encode

_LAST_WORDS = 0.8  # seconds for the handler's own shutdown; its parent kills after one


class Environment:
    """Runs one handler for the invocations of one tenant."""

    def __init__(self, function: str, handler: Handler, answers: BinaryIO) -> None:
        self._function = function
        self._handler = handler
        self._answers = answers
        self._writing = threading.Lock()

    def serve(self, invocations: BinaryIO) -> None:
        """Start a thread for every invocation until there are no more to come."""
        for line in invocations:
            invocation = cast("Invocation", json.loads(line))
            threading.Thread(target=self._run, args=(invocation,), daemon=True, name=invocation["id"]).start()

    def _run(self, invocation: Invocation) -> None:
        answer = self._answer(invocation)
        with self._writing, contextlib.suppress(BrokenPipeError):  # the parent died: so does this process, in a moment
            self._answers.write(answer)
            self._answers.flush()

    def _answer(self, invocation: Invocation) -> bytes:
        request_id = invocation["id"]
        try:
            result = self._handler(invocation["event"], self._context(invocation))
        except BaseException as error:  # noqa: BLE001  (whatever a handler raises, SystemExit too, is the answer)
            return encode({"id": request_id, "kind": "error", "payload": error_payload(error, request_id)})
        try:
            return encode({"id": request_id, "kind": "result", "payload": result})
        except (TypeError, ValueError) as error:
            marshal = InvocationError("Runtime.MarshalError", f"Unable to marshal response: {error}")
            return encode({"id": request_id, "kind": "error", "payload": error_payload(marshal, request_id)})

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
    """Serve until the parent closes the pipe or sends SIGTERM, then end with everything that was started.

    ``target`` is the handler as ``module:attribute``, ``function`` the name by which the process can be told.
    """
    invocations, answers = _claim_pipes()
    trees.name(function)
    with contextlib.suppress(PermissionError):  # under some container managers: then killed trees leave orphans
        trees.mark()
    trees.adopt_orphans()
    faulthandler.enable()
    signal.signal(signal.SIGTERM, _leave)
    module: ModuleType | None = None
    try:
        module, handler = _load(target)
        Environment(function, handler, answers).serve(invocations)
    except ImportError as error:
        answers.write(encode({"id": "", "kind": "broken", "payload": error_payload(error, "")}))
        answers.flush()
        raise
    finally:
        _end(module)


def _claim_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Take the two pipes away from 0 and 1, where a print would forge an answer and a tool would eat invocations."""
    invocations, answers = os.dup(0), os.dup(1)  # not inheritable, so no grandchild holds them open
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return open(invocations, "rb"), open(answers, "wb")  # noqa: PTH123  (fds, until the end)


def _load(target: str) -> tuple[ModuleType, Handler]:
    """Import the handler. Raises ImportError with Lambda's name for it whatever the module raised."""
    module_name, _, attribute = target.partition(":")
    try:
        module = importlib.import_module(module_name)
        return module, cast("Handler", getattr(module, attribute))
    except Exception as error:
        raise ImportError(f"Unable to import {target}: {type(error).__name__}: {error}") from error


def _leave(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit


def _end(module: ModuleType | None) -> None:
    """Let the handler end its servers, kill what is left of them, and go without waiting for any thread."""
    error = sys.exc_info()[1]
    failed = error is not None and not isinstance(error, SystemExit)
    if failed:
        traceback.print_exception(error)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    shutdown = getattr(module, "shutdown", None)
    if callable(shutdown):
        closing = threading.Thread(target=shutdown, daemon=True, name="shutdown")
        closing.start()
        closing.join(_LAST_WORDS)
    trees.kill_descendants()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(failed)
