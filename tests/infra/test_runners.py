"""One function a stdio server; what runs in it is not trusted."""

import json
from typing import Any

import pytest

from infra.sources import SERVERS
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


@pytest.fixture
def runners(stacks: Stacks) -> dict[str, dict[str, Any]]:
    return {
        function["Environment"]["Variables"]["SATCHEL_SERVER"]: function
        for function in stacks.functions().values()
        if "SATCHEL_SERVER" in function["Environment"]["Variables"]
    }


def test_every_stdio_server_has_a_function_that_dispatch_finds_by_name(
    stacks: Stacks, runners: dict[str, dict[str, Any]]
) -> None:
    entries = json.loads((SERVERS / "mcp.json").read_text())
    prefix = stacks.environment("Dispatch")["SATCHEL_RUNNER_PREFIX"]
    assert {server: runner["FunctionName"] for server, runner in runners.items()} == {
        server: f"{prefix}{server}" for server, entry in entries.items() if "command" in entry
    }


@pytest.mark.clause("v2.1:isolation:users-apart")
def test_an_environment_of_a_runner_serves_one_person(stacks: Stacks, runners: dict[str, dict[str, Any]]) -> None:
    isolated = {"TenantIsolationMode": "PER_TENANT"}
    assert [runner["TenancyConfig"] for runner in runners.values()] == [isolated] * len(runners)
    others = [function for function in stacks.functions().values() if function not in runners.values()]
    assert others
    assert not any("TenancyConfig" in function for function in others)


def test_a_call_is_never_started_again_behind_the_machines_back(
    stacks: Stacks, runners: dict[str, dict[str, Any]]
) -> None:
    settings = stacks.of_type("AWS::Lambda::EventInvokeConfig").values()
    assert sorted(each["FunctionName"] for each in settings) == sorted(f"{{Run{server}}}" for server in runners)
    for each in settings:
        assert each["MaximumRetryAttempts"] == 0
        assert each["MaximumEventAgeInSeconds"] == 60
        assert each["Qualifier"] == "$LATEST"


def test_a_runner_may_log_and_answer_its_task_and_nothing_else(stacks: Stacks, runners: dict[str, Any]) -> None:
    for server in runners:
        allowed = {action for each in stacks.statements() if each.who == f"Run{server}" for action in each.actions}
        assert allowed == {
            "logs:CreateLogStream",
            "logs:PutLogEvents",
            "states:SendTaskSuccess",
            "states:SendTaskHeartbeat",
        }


def test_a_runner_has_the_time_memory_and_disk_of_a_tool(stacks: Stacks, runners: dict[str, dict[str, Any]]) -> None:
    told = stacks.environment("Dispatch")
    for runner in runners.values():
        assert runner["Timeout"] > int(told["SATCHEL_TOOL_MAX_SECONDS"])
        assert runner["MemorySize"] == 1024
        assert runner["EphemeralStorage"]["Size"] << 20 > int(told["SATCHEL_MAX_INPUT_BYTES"])


def test_the_servers_lie_where_the_configuration_is_looked_for(
    stacks: Stacks, runners: dict[str, dict[str, Any]]
) -> None:
    readers = [f for f in stacks.functions().values() if "SATCHEL_MCP_CONFIG" in f["Environment"]["Variables"]]
    assert len(readers) > len(runners)
    for reader in readers:
        assert reader["Environment"]["Variables"]["SATCHEL_MCP_CONFIG"] == "/opt/servers/mcp.json"
        assert "{LayersServers}" in reader["Layers"]
