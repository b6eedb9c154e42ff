import json
from pathlib import Path
from typing import Any

import boto3
import pytest

from local.aws import resources
from tests.integration.local.workshop import Workshop

DEFINITIONS = Path(__file__).parents[3] / "infra/definitions"


def defined(name: str) -> dict[str, Any]:
    definition: dict[str, Any] = json.loads((DEFINITIONS / f"{name}.json").read_text())
    return definition


@pytest.mark.usefixtures("cloud")
def test_a_table_is_created_as_it_is_defined() -> None:
    definition = defined("table")
    resources.create_table("table", definition)
    client = boto3.client("dynamodb")
    table = client.describe_table(TableName="table")["Table"]
    assert table["KeySchema"] == definition["KeySchema"]
    assert table["StreamSpecification"] == definition["StreamSpecification"]
    assert [index["IndexName"] for index in table["GlobalSecondaryIndexes"]] == ["expiry"]
    ttl = client.describe_time_to_live(TableName="table")["TimeToLiveDescription"]
    assert (ttl["AttributeName"], ttl["TimeToLiveStatus"]) == ("ttl", "ENABLED")


@pytest.mark.usefixtures("cloud")
def test_a_bucket_is_created_as_it_is_defined() -> None:
    definition = defined("bucket")
    resources.create_bucket("bucket", definition)
    client = boto3.client("s3")
    assert client.get_bucket_versioning(Bucket="bucket")["Status"] == "Enabled"
    block = client.get_public_access_block(Bucket="bucket")["PublicAccessBlockConfiguration"]
    assert block == definition["PublicAccessBlockConfiguration"]
    rules = client.get_bucket_lifecycle_configuration(Bucket="bucket")["Rules"]
    assert [rule["ID"] for rule in rules] == [rule["ID"] for rule in definition["LifecycleConfiguration"]["Rules"]]
    assert client.get_bucket_cors(Bucket="bucket")["CORSRules"][0]["AllowedMethods"] == ["GET", "HEAD", "PUT", "POST"]


@pytest.mark.usefixtures("cloud")
def test_a_configuration_that_nothing_here_can_create_is_refused() -> None:
    with pytest.raises(ValueError, match="ReplicationConfiguration"):
        resources.create_bucket("other", {"ReplicationConfiguration": {}})


@pytest.mark.usefixtures("cloud")
def test_a_secret_is_found_by_its_arn() -> None:
    arn = resources.create_secret("secret", "value")
    assert boto3.client("secretsmanager").get_secret_value(SecretId=arn)["SecretString"] == "value"


def test_a_role_can_be_assumed(workshop: Workshop) -> None:
    credentials = boto3.client("sts").assume_role(RoleArn=workshop.role, RoleSessionName="call")["Credentials"]
    assert credentials["SessionToken"]


def test_placeholders_are_filled_in_and_path_expressions_left_alone(workshop: Workshop) -> None:
    state = '{"Type": "Wait", "Seconds": ${Wait}, "Comment": "${What}", "OutputPath": "$.x", "End": true}'
    text = f'{{"StartAt": "A", "States": {{"A": {state}}}}}'
    arn = resources.create_state_machine("filled", text, {"Wait": 0, "What": "$.y"}, role=workshop.role)
    definition = json.loads(workshop.states.describe_state_machine(stateMachineArn=arn)["definition"])
    filled = definition["States"]["A"]
    assert (filled["Seconds"], filled["Comment"], filled["OutputPath"]) == (0, "$.y", "$.x")
    assert workshop.end(workshop.execute(arn, {"x": 1})) == ("SUCCEEDED", 1)


@pytest.mark.parametrize("substitutions", [{}, {"A": 1, "B": 2}])
def test_a_placeholder_too_many_or_too_few_is_refused(substitutions: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="differ"):
        resources.create_state_machine("machine", '{"TimeoutSeconds": ${A}}', substitutions, role="arn")
