"""The resources that moto creates from the templates, and a run of all functions on them."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import boto3
import httpx2
import pytest

from infra import sources
from infra.limits import (
    APPROVAL_SECONDS,
    CALL_TIMEOUT_SECONDS,
    HEARTBEAT_TIMEOUT_SECONDS,
    INPUT_GRACE_SECONDS,
    TURN_TIMEOUT_SECONDS,
)
from infra.settings import Settings
from infra.usage import METRIC_SERIES, TURNS
from tests.infra.deployment import resource_types
from tests.infra.deployment.gateways import HttpApiTransport, routes
from tests.infra.deployment.role_check import RoleCheck
from tests.infra.deployment.scenario import Scenario, install_tool_server
from tests.infra.deployment.system import DeployedSystem
from tests.infra.deployment.unused_permissions import reasons_for
from tests.infra.deployment.usage_counter import count_series

pytestmark = [pytest.mark.synth, pytest.mark.timeout(900)]
STATES = ("Think", "Dispatch", "Finish")
DEPLOYMENT_EVENT = {"source": "aws.cloudformation"}


@pytest.fixture(scope="module")
def scenario(system: DeployedSystem) -> Scenario:
    """The run, once for all tests of this module."""
    install_tool_server(system)
    system.invoke("Refresh", DEPLOYMENT_EVENT)
    scenario = Scenario(system)
    scenario.run()
    return scenario


@pytest.fixture(scope="module")
def role_check(system: DeployedSystem, scenario: Scenario) -> RoleCheck:
    del scenario
    return RoleCheck(system)


def only(system: DeployedSystem, type_: str) -> str:
    (physical_id,) = system.physical_ids(type_).values()
    return physical_id


def test_every_resource_type_of_the_templates_has_a_model(system: DeployedSystem) -> None:
    assert [resource_types.unknown_types(stack.template) for stack in system.stacks] == [set(), set()]


def test_unknown_resource_type_raises_with_its_name(system: DeployedSystem) -> None:
    template = {"Resources": {"New": {"Type": "AWS::Example::Unknown"}}}
    del system
    with pytest.raises(resource_types.UnknownTypeError, match="AWS::Example::Unknown"):
        boto3.client("cloudformation").create_stack(StackName="new", TemplateBody=json.dumps(template))


def test_table_has_the_keys_index_and_stream_of_its_definition(system: DeployedSystem) -> None:
    definition = sources.load_definition("table")
    table: Any = boto3.client("dynamodb").describe_table(TableName=only(system, "DynamoDB::Table"))["Table"]
    assert sorted(table["AttributeDefinitions"], key=str) == sorted(definition["AttributeDefinitions"], key=str)
    assert table["KeySchema"] == definition["KeySchema"]
    (index,) = table["GlobalSecondaryIndexes"]
    keys = ("IndexName", "KeySchema", "Projection")
    assert [{key: index[key] for key in keys}] == definition["GlobalSecondaryIndexes"]
    assert table["StreamSpecification"] == definition["StreamSpecification"]


def test_function_variables_name_the_created_resources(system: DeployedSystem) -> None:
    call_role = boto3.client("iam").get_role(RoleName=system.physical_ids("IAM::Role")["CallRole"])["Role"]
    created = {
        "SATCHEL_TABLE": only(system, "DynamoDB::Table"),
        "SATCHEL_STATE_MACHINE": only(system, "StepFunctions::StateMachine"),
        "SATCHEL_CAPABILITY_SECRET": only(system, "SecretsManager::Secret"),
        "SATCHEL_DASHBOARD_KEYS": only(system, "KMS::Key"),
        "SATCHEL_BUCKET": system.physical_ids("S3::Bucket")["Files"],
        "SATCHEL_ERASE_FUNCTION": system.functions["Erase"].name,
        "SATCHEL_END_SESSION_FUNCTION": system.functions["EndSession"].name,
        "SATCHEL_REFRESH_FUNCTION": system.functions["Refresh"].name,
        "SATCHEL_CALL_ROLE": call_role["Arn"],
    }
    variables = [(key, value) for each in system.functions.values() for key, value in each.environment.items()]
    assert {key for key, _ in variables} >= created.keys()
    assert [(key, value) for key, value in variables if value != created.get(key, value)] == []
    assert [(key, value) for key, value in variables if "${" in value] == []


def test_machine_definition_names_the_created_functions(system: DeployedSystem) -> None:
    machine = boto3.client("stepfunctions").describe_state_machine(
        stateMachineArn=only(system, "StepFunctions::StateMachine")
    )
    values: dict[str, object] = {state: system.functions[state].configuration["FunctionArn"] for state in STATES}
    values |= {"HeartbeatSeconds": HEARTBEAT_TIMEOUT_SECONDS, "ApprovalSeconds": APPROVAL_SECONDS}
    values |= {
        "Partition": "aws",
        "CallTimeoutSeconds": CALL_TIMEOUT_SECONDS,
        "InputSeconds": Settings().input_seconds + INPUT_GRACE_SECONDS,
        "TurnTimeoutSeconds": TURN_TIMEOUT_SECONDS,
    }
    assert machine["definition"] == sources.load_turn_workflow(values)


def test_api_requires_claims_of_the_created_user_pool(system: DeployedSystem) -> None:
    url = system.outputs()["Url"]
    elsewhere = {"iss": "https://elsewhere.example", "aud": "x", "email": "a@example.com"}
    for claims in (None, elsewhere):
        with httpx2.Client(base_url=url, transport=HttpApiTransport(routes("HTTP"), claims)) as client:
            assert client.get("/api/me").status_code == httpx2.codes.UNAUTHORIZED
            assert client.get("/api/health").status_code == httpx2.codes.OK
            assert client.get("/.well-known/jwks.json").status_code == httpx2.codes.OK
            assert client.get("/api/files/download/f1?token=x").status_code == httpx2.codes.NOT_FOUND


def test_turn_with_tools_completes_on_the_created_resources(scenario: Scenario) -> None:
    assert scenario.response["status"] == "complete"
    assert [artifact["name"] for artifact in scenario.response["artifacts"]][:2] == [
        "sales_report.html",
        "sales_chart.png",
    ]
    assert [call["tool"] for call in scenario.response["tool_calls"]] == [
        "report.summarise",
        "legacy.read",
        "calculator.take",
        "legacy.none",
    ]
    assert [call["is_error"] for call in scenario.response["tool_calls"]] == [False, False, False, True]
    assert scenario.response["tool_calls"][1]["results"] == [8, 5, 5]


def test_stream_pushes_all_events_of_the_turn_in_order(scenario: Scenario) -> None:
    """Two pushes at once send an event twice. Clients skip events that they have."""
    types = {event["seq"]: event["type"] for event in scenario.pushed}
    assert list(types) == list(range(1, len(types) + 1))
    assert types[len(types)] == "response_complete"


def test_every_function_ran_and_its_role_allows_all_of_its_calls(system: DeployedSystem, role_check: RoleCheck) -> None:
    assert {call.function for call in role_check.calls} == system.functions.keys()
    assert sorted(set(role_check.denied())) == []


def test_every_permission_is_used_or_has_a_reason(role_check: RoleCheck) -> None:
    assert [unused for unused in role_check.unused() if not any(reasons_for(*unused))] == []


def test_machine_may_invoke_only_the_functions_of_its_states(system: DeployedSystem) -> None:
    (role,) = [name for key, name in system.physical_ids("IAM::Role").items() if key == "TurnMachineRole"]
    client = boto3.client("iam")
    documents = [
        client.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
        for name in client.list_role_policies(RoleName=role)["PolicyNames"]
    ]
    invoked = [
        arn
        for document in documents
        for statement in document["Statement"]
        if statement["Action"] == "lambda:InvokeFunction"
        for arn in statement["Resource"]
    ]
    assert sorted(invoked) == sorted(system.functions[state].configuration["FunctionArn"] for state in STATES)


@pytest.mark.parametrize("kind", TURNS)
def test_cost_figures_match_the_measured_usage_of_turns(scenario: Scenario, kind: str) -> None:
    """Exact, except for repeated writes of two parallel calls, and what depends on the time of the subscription."""
    expected, measured = TURNS[kind], scenario.usages[kind]
    assert expected.transitions == measured.transitions
    assert {**expected.invocations, "Push": 0} == {**_sum_runners(measured.invocations), "Push": 0}
    assert (expected.puts, expected.gets) == (measured.puts, measured.gets)
    for part in ("writes", "reads", "messages"):
        assert getattr(expected, part) == pytest.approx(getattr(measured, part), rel=0.25, abs=3), part
    assert expected.invocations["Push"] == pytest.approx(measured.invocations["Push"], abs=1)


def test_cost_figures_match_the_measured_series_of_custom_metrics(scenario: Scenario) -> None:
    assert count_series(scenario.system.call_logs) == dict(METRIC_SERIES)


def _sum_runners(invocations: Mapping[str, int]) -> dict[str, int]:
    """Return the invocations with all runners counted as ``Run``."""
    totals: Counter[str] = Counter()
    for function, number in invocations.items():
        totals["Run" if function.startswith("Run") else function] += number
    return dict(totals)
