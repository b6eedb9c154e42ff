"""One runner for each stdio server, and one for all remote servers. Runners execute untrusted code."""

import json
from typing import Any

import pytest

from infra.sources import SERVERS
from tests.infra.templates import Stacks

pytestmark = pytest.mark.synth


def variables(function: dict[str, Any]) -> dict[str, str]:
    environment: dict[str, str] = function.get("Environment", {}).get("Variables", {})
    return environment


@pytest.fixture
def runners(stacks: Stacks) -> dict[str, dict[str, Any]]:
    return {
        variables(function)["SATCHEL_SERVER"]: function
        for function in stacks.functions().values()
        if "SATCHEL_SERVER" in variables(function)
    }


def test_stdio_servers_have_functions_named_by_prefix_and_server(
    stacks: Stacks, runners: dict[str, dict[str, Any]]
) -> None:
    entries = json.loads((SERVERS / "mcp.json").read_text())
    prefix = stacks.environment("Dispatch")["SATCHEL_RUNNER_PREFIX"]
    assert {server: runner["FunctionName"] for server, runner in runners.items()} == {
        server: f"{prefix}{server}" for server, entry in entries.items() if "command" in entry
    }


@pytest.mark.clause("v2.1:isolation:users-apart")
def test_runner_environment_serves_one_user(stacks: Stacks, runners: dict[str, dict[str, Any]]) -> None:
    isolated = {"TenantIsolationMode": "PER_TENANT"}
    assert [runner["TenancyConfig"] for runner in runners.values()] == [isolated] * len(runners)
    others = [function for function in stacks.functions().values() if function not in runners.values()]
    assert others
    assert not any("TenancyConfig" in function for function in others)


def test_lambda_never_retries_a_call(stacks: Stacks, runners: dict[str, dict[str, Any]]) -> None:
    settings = {each["FunctionName"]: each for each in stacks.properties("AWS::Lambda::EventInvokeConfig").values()}
    for server in runners:
        each = settings[f"{{Run{server}}}"]
        assert each["MaximumRetryAttempts"] == 0
        assert each["MaximumEventAgeInSeconds"] == 60
        assert each["Qualifier"] == "$LATEST"


def test_runner_may_only_log_and_answer_its_task(stacks: Stacks, runners: dict[str, Any]) -> None:
    for server in runners:
        allowed = {action for each in stacks.statements() if each.role == f"Run{server}" for action in each.actions}
        assert allowed == {
            "logs:CreateLogStream",
            "logs:PutLogEvents",
            "states:SendTaskFailure",
            "states:SendTaskHeartbeat",
        }


def test_runner_has_enough_time_memory_and_disk_for_tools(stacks: Stacks, runners: dict[str, dict[str, Any]]) -> None:
    environment = stacks.environment("Dispatch")
    for runner in runners.values():
        assert runner["Timeout"] > int(environment["SATCHEL_TOOL_MAX_SECONDS"])
        assert runner["MemorySize"] == 1024
        assert runner["EphemeralStorage"]["Size"] << 20 > int(environment["SATCHEL_MAX_INPUT_BYTES"])


def test_readers_of_mcp_config_have_a_layer_with_it(stacks: Stacks, runners: dict[str, dict[str, Any]]) -> None:
    readers = [f for f in stacks.functions().values() if "SATCHEL_MCP_CONFIG" in variables(f)]
    assert len(readers) > len(runners)
    for reader in readers:
        assert variables(reader)["SATCHEL_MCP_CONFIG"] == "/opt/servers/mcp.json"
        assert {layer for layer in reader["Layers"] if "Server" in layer}


def test_remote_servers_share_one_runner(custom_servers: Stacks) -> None:
    functions = custom_servers.functions()
    runners = {name: f for name, f in functions.items() if "TenancyConfig" in f}
    assert {name: f["FunctionName"] for name, f in runners.items()} == {
        "Runnear": "satchel-run-near",
        "Runplain": "satchel-run-plain",
        "RemoteRunner": "satchel-remote",
    }
    assert "SATCHEL_SERVER" not in custom_servers.environment("RemoteRunner")
    assert functions["RemoteRunner"]["MemorySize"] == 1024
    for caller in ("Dispatch", "Refresh"):
        assert custom_servers.environment(caller)["SATCHEL_REMOTE_RUNNER"] == "satchel-remote"
        (invoke,) = (
            e for e in custom_servers.statements() if e.role == caller and "lambda:InvokeFunction" in e.actions
        )
        assert set(invoke.resources) == {f"{{{name}.Arn}}" for name in runners}


def test_runner_may_read_only_the_secrets_of_its_servers(custom_servers: Stacks) -> None:
    readers = {
        each.role: each.resources
        for each in custom_servers.statements()
        if each.actions == ["secretsmanager:GetSecretValue"] and "{CapabilityKey}" not in each.resources
    }
    arn = "arn:{AWS::Partition}:secretsmanager:{AWS::Region}:{AWS::AccountId}:secret:satchel"
    assert readers == {
        "Runnear": [f"{arn}/NEAR_KEY-??????"],
        "RemoteRunner": [f"{arn}/{name}-??????" for name in ("MAPS_TOKEN", "SEARCH_HOST", "SEARCH_TOKEN")],
    }


def test_runner_environment_has_the_secret_prefix_but_no_values(custom_servers: Stacks) -> None:
    prefixes = {
        name: variables(function).get("SATCHEL_SECRET_PREFIX")
        for name, function in custom_servers.functions().items()
        if "TenancyConfig" in function
    }
    assert prefixes == {"Runnear": "satchel/", "RemoteRunner": "satchel/", "Runplain": None}
    assert not any("TOKEN" in name.split("_") for f in custom_servers.functions().values() for name in variables(f))


def test_runners_connect_to_the_vpc_of_the_settings_or_of_their_entry(stacks: Stacks, foreign_servers: Stacks) -> None:
    connected = {name: each["VpcConfig"] for name, each in foreign_servers.functions().items() if "VpcConfig" in each}
    assert connected == {
        "Runeverything": {
            "SubnetIds": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
            "SecurityGroupIds": ["sg-0123456789abcdef0"],
        },
        "Runtime": {"SubnetIds": ["subnet-0123456789abcdef2"], "SecurityGroupIds": ["sg-0123456789abcdef2"]},
    }
    assert "Runplain" in foreign_servers.functions()
    assert not any("VpcConfig" in each for each in stacks.functions().values())


def test_tools_cannot_use_the_permissions_for_network_interfaces(foreign_servers: Stacks) -> None:
    policies = foreign_servers.properties("AWS::IAM::Policy").values()
    statements = [(each["Roles"], statement) for each in policies for statement in each["PolicyDocument"]["Statement"]]
    of_network = [(roles, each) for roles, each in statements if "ec2:CreateNetworkInterface" in each["Action"]]
    function = "arn:{AWS::Partition}:lambda:{AWS::Region}:{AWS::AccountId}:function:satchel-run-"
    for server in ("everything", "time"):
        allowed, denied = (each for roles, each in of_network if roles == [f"{{Run{server}Role}}"])
        assert (allowed["Effect"], denied["Effect"]) == ("Allow", "Deny")
        assert denied["Action"] == allowed["Action"]
        assert denied["Resource"] == "*"
        assert denied["Condition"] == {"ArnEquals": {"lambda:SourceFunctionArn": f"{function}{server}"}}
    assert len(of_network) == 4


def test_functions_that_end_sessions_or_tasks_may_invoke_only_the_remote_runner(custom_servers: Stacks) -> None:
    def callers(*runners: str) -> set[str]:
        arns = {f"{{{runner}.Arn}}" for runner in runners}
        return {each.role for each in custom_servers.statements() if arns & set(each.resources)}

    assert callers("RemoteRunner") == {"Dispatch", "Refresh", "EndSession", "Expire", "Finish"}
    assert callers("Runnear", "Runplain") == {"Dispatch", "Refresh"}
