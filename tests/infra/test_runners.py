"""One function a stdio server, one for all the others; what runs in them is not trusted."""

import json
from typing import Any

import pytest

from infra.sources import SERVERS
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


def variables(function: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = function.get("Environment", {}).get("Variables", {})
    return found


@pytest.fixture
def runners(stacks: Stacks) -> dict[str, dict[str, Any]]:
    return {
        variables(function)["SATCHEL_SERVER"]: function
        for function in stacks.functions().values()
        if "SATCHEL_SERVER" in variables(function)
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
    settings = {each["FunctionName"]: each for each in stacks.of_type("AWS::Lambda::EventInvokeConfig").values()}
    for server in runners:
        each = settings[f"{{Run{server}}}"]
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
    readers = [f for f in stacks.functions().values() if "SATCHEL_MCP_CONFIG" in variables(f)]
    assert len(readers) > len(runners)
    for reader in readers:
        assert variables(reader)["SATCHEL_MCP_CONFIG"] == "/opt/servers/mcp.json"
        assert {layer for layer in reader["Layers"] if "Server" in layer}


def test_servers_that_are_somewhere_else_share_one_runner(own_servers: Stacks) -> None:
    functions = own_servers.functions()
    runners = {name: f for name, f in functions.items() if "TenancyConfig" in f}
    assert {name: f["FunctionName"] for name, f in runners.items()} == {
        "Runnear": "satchel-run-near",
        "Runplain": "satchel-run-plain",
        "RemoteRunner": "satchel-remote",
    }
    assert "SATCHEL_SERVER" not in own_servers.environment("RemoteRunner")
    assert functions["RemoteRunner"]["MemorySize"] == 1024
    for asking in ("Dispatch", "Refresh"):
        assert own_servers.environment(asking)["SATCHEL_REMOTE_RUNNER"] == "satchel-remote"
        (invoke,) = (e for e in own_servers.statements() if e.who == asking and "lambda:InvokeFunction" in e.actions)
        assert set(invoke.resources) == {f"{{{name}.Arn}}" for name in runners}


def test_a_runner_reads_the_secrets_of_its_own_servers_and_no_others(own_servers: Stacks) -> None:
    readers = {
        each.who: each.resources
        for each in own_servers.statements()
        if each.actions == ["secretsmanager:GetSecretValue"] and "{CapabilityKey}" not in each.resources
    }
    arn = "arn:{AWS::Partition}:secretsmanager:{AWS::Region}:{AWS::AccountId}:secret:satchel"
    assert readers == {
        "Runnear": [f"{arn}/NEAR_KEY-??????"],
        "RemoteRunner": [f"{arn}/{name}-??????" for name in ("MAPS_TOKEN", "SEARCH_HOST", "SEARCH_TOKEN")],
    }


def test_a_runner_is_told_where_its_secrets_are_and_never_what_they_are(own_servers: Stacks) -> None:
    told = {
        name: variables(function).get("SATCHEL_SECRET_PREFIX")
        for name, function in own_servers.functions().items()
        if "TenancyConfig" in function
    }
    assert told == {"Runnear": "satchel/", "RemoteRunner": "satchel/", "Runplain": None}
    assert not any("TOKEN" in name.split("_") for f in own_servers.functions().values() for name in variables(f))
