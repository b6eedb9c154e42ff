"""What the functions log of a turn is found by its id."""

import json
import time
from typing import Any

from tests.e2e.conftest import Somebody
from tests.e2e.system import System

PATIENCE = 10.0


def calls_of(system: System, turn_id: str) -> list[dict[str, Any]]:
    """Return the lines about calls that name the turn where every line names it."""
    lines = [json.loads(line) for line in system.said().splitlines() if line.startswith("{") and turn_id in line]
    return [line for line in lines if line.get("correlation_id") == turn_id and "tool" in line]


def test_a_line_about_a_call_names_its_turn_and_no_figures_are_printed(system: System, somebody: Somebody) -> None:
    person = somebody()
    asked = person.ask(person.session(), "/report.no_such_tool {}")
    deadline = time.monotonic() + PATIENCE
    while not (found := calls_of(system, asked["turn_id"])) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [(line["message"], line["tool"]) for line in found] == [("audit", "report.no_such_tool")]
    assert found[0]["function_request_id"]
    assert "CloudWatchMetrics" not in system.said()
