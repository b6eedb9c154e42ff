import json
from pathlib import Path
from typing import Any

import boto3
import pytest

from local.emulator.aws import resources
from tests.integration.emulator.cloud_driver import CloudDriver

DEFINITIONS = Path(__file__).parents[4] / "infra/definitions"


def load_definition(name: str) -> dict[str, Any]:
    definition: dict[str, Any] = json.loads((DEFINITIONS / f"{name}.json").read_text())
    return definition


@pytest.mark.usefixtures("cloud")
def test_table_matches_its_definition() -> None:
    definition = load_definition("table")
    resources.create_table("table", definition)
    client = boto3.client("dynamodb")
    table = client.describe_table(TableName="table")["Table"]
    assert table["KeySchema"] == definition["KeySchema"]
    assert table["StreamSpecification"] == definition["StreamSpecification"]
    assert [index["IndexName"] for index in table["GlobalSecondaryIndexes"]] == ["expiry"]
    ttl = client.describe_time_to_live(TableName="table")["TimeToLiveDescription"]
    assert (ttl["AttributeName"], ttl["TimeToLiveStatus"]) == ("ttl", "ENABLED")


@pytest.mark.usefixtures("cloud")
def test_bucket_matches_its_definition() -> None:
    definition = load_definition("bucket")
    resources.create_bucket("bucket", definition)
    client = boto3.client("s3")
    assert client.get_bucket_versioning(Bucket="bucket")["Status"] == "Enabled"
    block = client.get_public_access_block(Bucket="bucket")["PublicAccessBlockConfiguration"]
    assert block == definition["PublicAccessBlockConfiguration"]
    rules = client.get_bucket_lifecycle_configuration(Bucket="bucket")["Rules"]
    assert [rule["ID"] for rule in rules] == [rule["ID"] for rule in definition["LifecycleConfiguration"]["Rules"]]
    assert client.get_bucket_cors(Bucket="bucket")["CORSRules"][0]["AllowedMethods"] == ["GET", "HEAD", "PUT", "POST"]


@pytest.mark.usefixtures("cloud")
def test_unsupported_bucket_configuration_raises_value_error() -> None:
    with pytest.raises(ValueError, match="ReplicationConfiguration"):
        resources.create_bucket("other", {"ReplicationConfiguration": {}})


@pytest.mark.usefixtures("cloud")
def test_secret_can_be_read_by_its_arn() -> None:
    arn = resources.create_secret("secret", "value")
    assert boto3.client("secretsmanager").get_secret_value(SecretId=arn)["SecretString"] == "value"


def test_role_can_be_assumed(driver: CloudDriver) -> None:
    credentials = boto3.client("sts").assume_role(RoleArn=driver.role, RoleSessionName="call")["Credentials"]
    assert credentials["SessionToken"]
