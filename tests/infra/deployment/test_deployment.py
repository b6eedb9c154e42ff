"""What the templates create, by CloudFormation in moto, and a run on it: turns, and all else that functions do."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import boto3
import httpx2
import pytest

from infra import sources
from infra.limits import APPROVAL_SECONDS, CALL_TIMEOUT_SECONDS, HEARTBEAT_SECONDS, TURN_TIMEOUT_SECONDS
from infra.usage import TURNS
from tests.infra.deployment import types
from tests.infra.deployment.doors import HttpDoor, routes
from tests.infra.deployment.reasons import reasons_for
from tests.infra.deployment.roles import Asked
from tests.infra.deployment.stage import Stage
from tests.infra.deployment.story import Story, use_own_server

pytestmark = [pytest.mark.synth, pytest.mark.timeout(300)]
STATES = ("Think", "Approval", "Dispatch", "Normalize", "Finish")
DEPLOYED = {"source": "aws.cloudformation"}


@pytest.fixture(scope="module")
def story(stage: Stage) -> Story:
    """The run, told once for all tests of it."""
    use_own_server(stage)
    stage.invoke("Refresh", DEPLOYED)
    told = Story(stage)
    told.tell()
    return told


@pytest.fixture(scope="module")
def asked(stage: Stage, story: Story) -> Asked:
    del story
    return Asked(stage)


def only(stage: Stage, kind: str) -> str:
    (physical,) = stage.physical(kind).values()
    return physical


def test_every_type_of_the_templates_is_known_here(stage: Stage) -> None:
    assert [types.unknown(stack.template) for stack in stage.stacks] == [set(), set()]


def test_a_type_that_nobody_knows_is_named(stage: Stage) -> None:
    template = {"Resources": {"New": {"Type": "AWS::Nobody::Knows"}}}
    del stage
    with pytest.raises(types.UnknownTypeError, match="AWS::Nobody::Knows"):
        boto3.client("cloudformation").create_stack(StackName="new", TemplateBody=json.dumps(template))


def test_the_table_has_the_keys_the_index_and_the_stream_of_its_definition(stage: Stage) -> None:
    wanted = sources.definition("table")
    table: Any = boto3.client("dynamodb").describe_table(TableName=only(stage, "DynamoDB::Table"))["Table"]
    assert sorted(table["AttributeDefinitions"], key=str) == sorted(wanted["AttributeDefinitions"], key=str)
    assert table["KeySchema"] == wanted["KeySchema"]
    (index,) = table["GlobalSecondaryIndexes"]
    assert [{key: index[key] for key in ("IndexName", "KeySchema", "Projection")}] == wanted["GlobalSecondaryIndexes"]
    assert table["StreamSpecification"] == wanted["StreamSpecification"]


def test_what_the_functions_are_told_by_name_is_what_was_created(stage: Stage) -> None:
    created = {
        "SATCHEL_TABLE": only(stage, "DynamoDB::Table"),
        "SATCHEL_STATE_MACHINE": only(stage, "StepFunctions::StateMachine"),
        "SATCHEL_CAPABILITY_SECRET": only(stage, "SecretsManager::Secret"),
        "SATCHEL_BUCKET": stage.physical("S3::Bucket")["Files"],
        "SATCHEL_ERASE_FUNCTION": stage.functions["Erase"].name,
        "SATCHEL_END_SESSION_FUNCTION": stage.functions["Endsession"].name,
        "SATCHEL_CALL_ROLE": boto3.client("iam").get_role(RoleName=stage.physical("IAM::Role")["CallRole"])["Role"][
            "Arn"
        ],
    }
    told = [(key, value) for each in stage.functions.values() for key, value in each.environment.items()]
    assert {key for key, _ in told} >= created.keys()
    assert [(key, value) for key, value in told if value != created.get(key, value)] == []
    assert [(key, value) for key, value in told if "${" in value] == []


def test_the_machine_runs_the_file_with_the_functions_that_were_created(stage: Stage) -> None:
    machine = boto3.client("stepfunctions").describe_state_machine(
        stateMachineArn=only(stage, "StepFunctions::StateMachine")
    )
    values: dict[str, object] = {state: stage.functions[state].configuration["FunctionArn"] for state in STATES}
    values |= {"HeartbeatSeconds": HEARTBEAT_SECONDS, "ApprovalSeconds": APPROVAL_SECONDS}
    values |= {"CallTimeoutSeconds": CALL_TIMEOUT_SECONDS, "TurnTimeoutSeconds": TURN_TIMEOUT_SECONDS}
    assert machine["definition"] == sources.filled(sources.TURN_WORKFLOW.read_text(encoding="utf-8"), values)


def test_nobody_comes_in_without_the_claims_of_the_pool_that_was_created(stage: Stage) -> None:
    url = stage.outputs()["Url"]
    elsewhere = {"iss": "https://elsewhere.example", "aud": "x", "email": "a@example.com"}
    for claims in (None, elsewhere):
        with httpx2.Client(base_url=url, transport=HttpDoor(routes("HTTP"), claims)) as stranger:
            assert stranger.get("/api/me").status_code == httpx2.codes.UNAUTHORIZED
            assert stranger.get("/api/health").status_code == httpx2.codes.OK
            assert stranger.get("/api/files/download/f1?token=x").status_code == httpx2.codes.NOT_FOUND


def test_a_whole_turn_runs_on_what_was_created(story: Story) -> None:
    assert story.response["status"] == "complete"
    assert [artifact["name"] for artifact in story.response["artifacts"]][:2] == [
        "sales_report.html",
        "sales_chart.png",
    ]
    assert [call["tool"] for call in story.response["tool_calls"]] == [
        "report.summarise",
        "legacy.read",
        "calculator.take",
        "legacy.none",
    ]
    assert [call["is_error"] for call in story.response["tool_calls"]] == [False, False, False, True]
    assert story.response["tool_calls"][1]["results"] == [8, 5, 5]


def test_what_was_told_by_the_stream_are_the_events_of_the_turn(story: Story) -> None:
    assert [event["seq"] for event in story.pushed] == list(range(1, len(story.pushed) + 1))
    assert story.pushed[-1]["type"] == "response_complete"


def test_every_function_ran_and_each_call_of_aws_is_allowed_to_its_role(stage: Stage, asked: Asked) -> None:
    assert {call.who for call in asked.calls} == stage.functions.keys()
    assert sorted(set(asked.refused())) == []


def test_no_permission_is_left_unused_unless_a_reason_is_given(asked: Asked) -> None:
    assert [unused for unused in asked.unused() if not any(reasons_for(*unused))] == []


def test_the_machine_may_invoke_the_functions_of_its_states_and_no_others(stage: Stage) -> None:
    (role,) = [name for key, name in stage.physical("IAM::Role").items() if key == "TurnMachineRole"]
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
    assert sorted(invoked) == sorted(stage.functions[state].configuration["FunctionArn"] for state in STATES)


@pytest.mark.parametrize("kind", TURNS)
def test_the_costs_are_reckoned_with_what_a_turn_uses(story: Story, kind: str) -> None:
    """To the number where it is certain; how often a batch of the stream is pushed is not, nor what is read for it."""
    said, counted = TURNS[kind], story.usages[kind]
    assert said.transitions == counted.transitions
    assert {**said.invocations, "Push": 0} == {**_together(counted.invocations), "Push": 0}
    assert (said.puts, said.gets) == (counted.puts, counted.gets)
    for part in ("writes", "reads", "messages"):
        assert getattr(said, part) == pytest.approx(getattr(counted, part), rel=0.25, abs=3), part
    assert said.invocations["Push"] == pytest.approx(counted.invocations["Push"], abs=4)


def _together(invocations: Mapping[str, int]) -> dict[str, int]:
    """Add up the runners."""
    found: Counter[str] = Counter()
    for who, number in invocations.items():
        found["Run" if who.startswith("Run") else who] += number
    return dict(found)
