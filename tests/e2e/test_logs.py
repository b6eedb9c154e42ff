"""Logs of the functions."""

import json
import time
from typing import Any

from tests.e2e.conftest import NewUser
from tests.e2e.system_process import SystemProcess

TIMEOUT_SECONDS = 60.0


def call_lines(system: SystemProcess, turn_id: str) -> list[dict[str, Any]]:
    """Return the log lines about calls whose correlation id is the turn id."""
    lines = [json.loads(line) for line in system.output().splitlines() if line.startswith("{") and turn_id in line]
    return [line for line in lines if line.get("correlation_id") == turn_id and "tool" in line]


def test_log_lines_of_a_call_have_the_turn_id_and_metrics_are_not_printed(
    system: SystemProcess, new_user: NewUser
) -> None:
    user = new_user()
    turn = user.ask(user.create_session(), "/report.no_such_tool {}")
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not (lines := call_lines(system, turn["turn_id"])) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [(line["message"], line["tool"]) for line in lines] == [("audit", "report.no_such_tool")]
    assert lines[0]["function_request_id"]
    assert "CloudWatchMetrics" not in system.output()
