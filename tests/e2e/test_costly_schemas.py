"""Tools with input schemas that are costly to check do not block other requests."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import UserClient, run_user

MCP_SERVERS = Path(__file__).parents[1] / "mcp_servers"
HEALTH_SECONDS, LOAD_FACTOR = 0.2, 3  # on a busy machine, the time of the control phase replaces the limit
GIVE_UP_SECONDS = 5.0
PAUSE_SECONDS = 0.01  # between two health requests
CALLS = {
    "unique": {"items": [{"number": number} for number in range(1_000)]},
    "doubled": {"any": 1},
    "words": {"text": "a" * 40 + "!"},
}
"""The arguments of each tool. A checker without a budget takes half a second for the first, hours for the others."""
CONTROL = "unique", {"items": [{"number": 1}]}


@pytest.fixture
def system_with_costly_schemas(tmp_path: Path) -> Iterator[SystemProcess]:
    entry = {"command": ["python", "costly_schemas.py"], "cwd": str(MCP_SERVERS)}
    (tmp_path / "mcp.json").write_text(json.dumps({"costly": entry}))
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(tmp_path / "mcp.json")}) as system:
        yield system


def health_times(user: UserClient, action: Callable[[], object]) -> list[float]:
    """Run the action in a thread, and return the seconds of each health request that is sent meanwhile.

    Ends with the action, or with the first health request that has no answer after ``GIVE_UP_SECONDS``.
    """
    times: list[float] = []
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    with user.client() as client:
        while thread.is_alive():
            start = time.monotonic()
            try:
                assert client.get("/api/health", timeout=GIVE_UP_SECONDS).is_success
            except httpx2.TimeoutException:
                return [*times, time.monotonic() - start]
            times.append(time.monotonic() - start)
            thread.join(PAUSE_SECONDS)
    return times


def call(user: UserClient, session_id: str, tool: str, arguments: object) -> object:
    turn = user.ask(session_id, f"/costly.{tool} {json.dumps(arguments)}")
    return [(result["error_code"], result["results"]) for result in turn["tool_calls"]]


@pytest.mark.timeout(300)
def test_health_answers_while_costly_schemas_are_checked(system_with_costly_schemas: SystemProcess) -> None:
    user = UserClient(system_with_costly_schemas.url, run_user("costly"))
    user.wait_for_tools()
    session_id = user.create_session()
    results: list[object] = [call(user, session_id, *CONTROL)]  # starts the server
    control = max(health_times(user, lambda: results.append(call(user, session_id, *CONTROL))))
    limit = max(HEALTH_SECONDS, LOAD_FACTOR * control)

    for tool, arguments in CALLS.items():
        times = health_times(user, lambda pair=(tool, arguments): results.append(call(user, session_id, *pair)))  # type: ignore[misc]

        assert max(times) <= limit, f"health took {max(times):.2f} s beside {tool!r}, at most {limit:.2f} s are allowed"
    assert results == [[(None, 1)]] * (2 + len(CALLS))
