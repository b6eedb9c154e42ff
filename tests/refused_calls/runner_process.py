"""A runner that lists and calls a tool once for each case, in a fork without the system calls of that case.

``python -m tests.refused_calls.runner_process CASES``: each case is a list of refused calls and an error number, and
the output has a line of JSON for each case. The variables of the runner are in the environment.
"""

import json
import os
import signal
import sys
import traceback
from datetime import UTC, datetime, timedelta
from typing import Any

from functions.run_tool.handler import handler, shutdown
from satchel.domain.ids import UserName
from satchel.ports.runners import CallOrder
from tests import service_models
from tests.refused_calls import refused_calls
from tests.unit.services.orders import order

SERVER = "worker"
_MAX_SECONDS = 120


def main(cases: list[tuple[list[str], int]]) -> None:
    """Run all cases, one after the other."""
    service_models.cache_service_models()
    for number, (refused, error) in enumerate(cases):
        child = os.fork()
        if child == 0:
            os._exit(_run_case(number, refused, error))
        _, status = os.waitpid(child, 0)
        if status:
            print(json.dumps({"case": number, "error": f"exit status {status}"}), flush=True)  # noqa: T201  (the output of this program)


def call_order(number: int) -> CallOrder:
    """Return the order for a case, by a new user, whose workspace does not exist yet."""
    user = UserName(f"user{number}@example.com")
    soon = datetime.now(UTC) + timedelta(seconds=_MAX_SECONDS)
    changes = {"user": user, "tool": "work", "arguments": {"username": user}, "waits_until": soon}
    return order().model_copy(update=changes)


def _run_case(number: int, refused: list[str], error: int) -> int:
    signal.alarm(_MAX_SECONDS)
    refused_calls.refuse(refused, error)
    try:
        listed: dict[str, Any] = handler({"action": "list", "server": SERVER}, None)
        ended: dict[str, Any] = handler({"server": SERVER, **call_order(number).model_dump(mode="json")}, None)
        shutdown()
        tools = [tool["name"] for tool in listed["tools"]]
        result: dict[str, Any] = {"case": number, "tools": tools, "isolation": listed["isolation"]}
        result["report"] = ended["answer"]["report"]
    except BaseException:  # noqa: BLE001  (the test reports it)
        result = {"case": number, "error": traceback.format_exc()}
    print(json.dumps(result), flush=True)  # noqa: T201  (the output of this program)
    return 0


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
