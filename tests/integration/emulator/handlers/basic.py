"""Handlers without AWS. The child processes import this module."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from local.emulator.runners.context import LambdaContext

_imported_in = os.getpid()
_barrier = threading.Barrier(2)


def describe(event: object, context: LambdaContext) -> object:
    """Return all that the handler can see of its invocation and its process."""
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
    """Do the action that the event names."""
    actions = {
        "fail": _fail,
        "forge": _forge,
        "meet": _barrier.wait,
        "read": sys.stdin.read,
        "exit": lambda: os._exit(7),
        "set": lambda: {1, 2},
    }
    return actions[str(event)]()


def hold(event: object, _context: LambdaContext) -> None:
    """Start a server in its own session with an empty environment, write its pid to the file ``event``, and hang."""
    server = subprocess.Popen(["/bin/sh", "-c", "sleep 1000 & wait"], start_new_session=True, env={})
    Path(str(event)).write_text(str(server.pid))
    time.sleep(1000)


def orphan(event: object, _context: LambdaContext) -> None:
    """Start a process that is orphaned at once, write its pid to the file ``event``, and return."""
    command = ["/bin/sh", "-c", f"setsid sleep 1000 & echo $! > {event}"]
    subprocess.run(command, check=True, env={"PATH": os.environ["PATH"]})  # noqa: S603  (the test chose the path)


def shutdown() -> None:
    """Write a trace file, if the environment variable TRACE names one."""
    Path(os.environ["TRACE"]).write_text("ended by itself") if "TRACE" in os.environ else None


def _fail() -> None:
    raise KeyError("of the handler")


def _forge() -> str:
    print('{"id": "forged", "kind": "result", "payload": "forged"}', flush=True)  # noqa: T201  (the forged response)
    os.write(1, b"raw output\n")
    return "true"
