"""Tools with input schemas that are costly to check do not block other requests."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import UserClient, run_user
from tests.health_times import health_limit, health_times
from tests.priority import prioritized

MCP_SERVERS = Path(__file__).parents[1] / "mcp_servers"
CALLS = {
    "unique": {"items": [{"number": number} for number in range(1_000)]},
    "doubled": {"any": 1},
    "words": {"text": "a" * 40 + "!"},
}
"""The arguments of each tool. A checker without a budget takes half a second for the first, hours for the others."""
CONTROL = "unique", {"items": [{"number": 1}]}
CONTROL_CALLS = 5  # before each costly call, because the load of the machine changes


@pytest.fixture
def system_with_costly_schemas(tmp_path: Path) -> Iterator[SystemProcess]:
    entry = {"command": ["python", "costly_schemas.py"], "cwd": str(MCP_SERVERS)}
    (tmp_path / "mcp.json").write_text(json.dumps({"costly": entry}))
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(tmp_path / "mcp.json")}) as system:
        yield system


def call(user: UserClient, session_id: str, tool: str, arguments: object) -> object:
    turn = user.ask(session_id, f"/costly.{tool} {json.dumps(arguments)}")
    return [(result["error_code"], result["results"]) for result in turn["tool_calls"]]


@pytest.mark.timeout(300)
def test_health_answers_while_costly_schemas_are_checked(system_with_costly_schemas: SystemProcess) -> None:
    user = UserClient(system_with_costly_schemas.url, run_user("costly"))
    user.wait_for_tools()
    session_id = user.create_session()
    results: list[object] = [call(user, session_id, *CONTROL)]  # starts the server
    with user.client() as client, prioritized(system_with_costly_schemas.process.pid):

        def times_beside(tool: str, arguments: object) -> list[float]:
            return health_times(client, lambda: results.append(call(user, session_id, tool, arguments)))

        for tool, arguments in CALLS.items():
            limit = health_limit([time for _ in range(CONTROL_CALLS) for time in times_beside(*CONTROL)])
            slowest = max(times_beside(tool, arguments))
            assert slowest <= limit, f"health took {slowest:.2f} s beside {tool!r}, at most {limit:.2f} s are allowed"
    assert results == [[(None, 1)]] * (1 + (CONTROL_CALLS + 1) * len(CALLS))
