"""Handlers for environments of the tests; this file is imported by the child processes."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from local.runners.context import LambdaContext

_imported_in = os.getpid()
_together = threading.Barrier(2)


def describe(event: object, context: LambdaContext) -> object:
    """Tell everything that an invocation is given."""
    return {
        "event": event,
        "pid": os.getpid(),
        "tenant": context.tenant_id,
        "function": context.function_name,
        "arn": context.invoked_function_arn,
        "remaining": context.get_remaining_time_in_millis(),
        "request_id": context.aws_request_id,
        "environ": dict(os.environ),
        "parent": os.getppid(),
        "session": os.getsid(0),
        "imported_in": _imported_in,
    }


def echo(event: object, _context: LambdaContext) -> object:
    return event


def act(event: object, _context: LambdaContext) -> object:
    """Do what the event names."""
    actions = {
        "fail": _fail,
        "forge": _forge,
        "meet": _together.wait,
        "read": sys.stdin.read,
        "exit": lambda: os._exit(7),
        "set": lambda: {1, 2},
    }
    return actions[str(event)]()


def hold(event: object, _context: LambdaContext) -> None:
    """Start a server in a session of its own with an empty environment, tell its pid by a file, and hang."""
    server = subprocess.Popen(["/bin/sh", "-c", "sleep 1000 & wait"], start_new_session=True, env={})
    Path(str(event)).write_text(str(server.pid))
    time.sleep(1000)


def orphan(event: object, _context: LambdaContext) -> None:
    """Start what loses its parent at once, tell its pid by a file, and return."""
    command = ["/bin/sh", "-c", f"setsid sleep 1000 & echo $! > {event}"]
    subprocess.run(command, check=True, env={"PATH": os.environ["PATH"]})  # noqa: S603  (a path of the test's own)


def shutdown() -> None:
    """Leave a trace."""
    Path(os.environ["TRACE"]).write_text("ended by itself") if "TRACE" in os.environ else None


def _fail() -> None:
    raise KeyError("of the handler")


def _forge() -> str:
    print('{"id": "forged", "kind": "result", "payload": "forged"}', flush=True)  # noqa: T201  (that is what it tries)
    os.write(1, b"raw words\n")
    return "true"
