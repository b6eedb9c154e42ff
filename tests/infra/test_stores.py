"""Bucket and table: boto3 creates the same from the definitions as CloudFormation does from the template."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from infra.sources import load_definition
from tests.infra.templates import Stacks

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

pytestmark = pytest.mark.synth
REGION = "us-east-1"


@pytest.fixture(scope="module")
def dynamodb() -> Iterator["DynamoDBClient"]:
    """A client with a table that is created as in the emulator."""
    with mock_aws():
        client = boto3.client("dynamodb", region_name=REGION)
        parameters = load_definition("table")
        ttl = parameters.pop("TimeToLiveSpecification")
        client.create_table(TableName="satchel", **parameters)
        client.update_time_to_live(TableName="satchel", TimeToLiveSpecification=ttl)
        yield client


@pytest.fixture(scope="module")
def s3() -> Iterator["S3Client"]:
    """A client with a bucket that is created as in the emulator."""
    with mock_aws():
        client = boto3.client("s3", region_name=REGION)
        client.create_bucket(Bucket="satchel")
        parameters = load_definition("bucket")
        client.put_bucket_versioning(Bucket="satchel", VersioningConfiguration=parameters["VersioningConfiguration"])
        client.put_public_access_block(
            Bucket="satchel", PublicAccessBlockConfiguration=parameters["PublicAccessBlockConfiguration"]
        )
        client.put_bucket_lifecycle_configuration(
            Bucket="satchel", LifecycleConfiguration=parameters["LifecycleConfiguration"]
        )
        client.put_bucket_cors(Bucket="satchel", CORSConfiguration=parameters["CORSConfiguration"])
        yield client


@pytest.fixture
def table(stacks: Stacks) -> dict[str, Any]:
    return stacks.properties("AWS::DynamoDB::Table")["Records"]


@pytest.fixture
def bucket(stacks: Stacks) -> dict[str, Any]:
    return stacks.properties("AWS::S3::Bucket")["Files"]


def test_table_has_the_same_keys_and_attributes(dynamodb: "DynamoDBClient", table: dict[str, Any]) -> None:
    actual = dynamodb.describe_table(TableName="satchel")["Table"]
    assert actual["KeySchema"] == table["KeySchema"]
    assert actual["AttributeDefinitions"] == table["AttributeDefinitions"]
    assert actual["BillingModeSummary"]["BillingMode"] == table["BillingMode"]


def test_table_has_the_same_indexes(dynamodb: "DynamoDBClient", table: dict[str, Any]) -> None:
    actual = dynamodb.describe_table(TableName="satchel")["Table"]["GlobalSecondaryIndexes"]
    keys = ("IndexName", "KeySchema", "Projection")
    assert [{key: index.get(key) for key in keys} for index in actual] == table["GlobalSecondaryIndexes"]


def test_table_has_the_same_stream_and_ttl(dynamodb: "DynamoDBClient", table: dict[str, Any]) -> None:
    stream = dynamodb.describe_table(TableName="satchel")["Table"]["StreamSpecification"]
    assert stream == {"StreamEnabled": True} | table["StreamSpecification"]
    ttl = dynamodb.describe_time_to_live(TableName="satchel")["TimeToLiveDescription"]
    assert ttl == {
        "TimeToLiveStatus": "ENABLED",
        "AttributeName": table["TimeToLiveSpecification"]["AttributeName"],
    }
    assert table["TimeToLiveSpecification"]["Enabled"] is True


def test_bucket_has_the_same_versioning_and_public_access_block(s3: "S3Client", bucket: dict[str, Any]) -> None:
    assert s3.get_bucket_versioning(Bucket="satchel")["Status"] == bucket["VersioningConfiguration"]["Status"]
    blocked = s3.get_public_access_block(Bucket="satchel")["PublicAccessBlockConfiguration"]
    assert blocked == bucket["PublicAccessBlockConfiguration"]
    assert set(blocked.values()) == {True}


def test_bucket_has_the_same_lifecycle(s3: "S3Client", bucket: dict[str, Any]) -> None:
    actual = s3.get_bucket_lifecycle_configuration(Bucket="satchel")["Rules"]
    assert [_as_boto3_rule(rule) for rule in bucket["LifecycleConfiguration"]["Rules"]] == actual


def test_objects_expire_only_by_their_tags(bucket: dict[str, Any]) -> None:
    rules = bucket["LifecycleConfiguration"]["Rules"]
    by_tag = {
        (tag["Key"], tag["Value"]): (rule["ExpirationInDays"], rule["NoncurrentVersionExpiration"])
        for rule in rules
        for tag in rule.get("TagFilters", [])
    }
    noncurrent = {"NoncurrentDays": 1}
    assert by_tag == {
        **{("expire-days", str(days)): (days, noncurrent) for days in (1, 3, 7, 30, 90, 400)},
        ("retention", "ended"): (1, noncurrent),
        ("retention", "unkept"): (1, noncurrent),
    }
    (untagged,) = (rule for rule in rules if "TagFilters" not in rule)
    assert untagged == {
        "Id": "clean-up",
        "Status": "Enabled",
        "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1},
        "ExpiredObjectDeleteMarker": True,
    }


def test_bucket_has_the_same_cors_rules(s3: "S3Client", bucket: dict[str, Any]) -> None:
    (actual,) = s3.get_bucket_cors(Bucket="satchel")["CORSRules"]
    (deployed,) = bucket["CorsConfiguration"]["CorsRules"]
    renamed = {"ExposeHeaders": "ExposedHeaders", "MaxAgeSeconds": "MaxAge"}
    assert {renamed.get(key, key): value for key, value in actual.items()} == deployed


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("AWS::S3::Bucket", "Files"),
        ("AWS::DynamoDB::Table", "Records"),
        ("AWS::SecretsManager::Secret", "CapabilityKey"),
        ("AWS::Cognito::UserPool", "People"),
    ],
)
def test_resources_with_user_data_are_retained(stacks: Stacks, kind: str, name: str) -> None:
    resource = stacks.resources(kind)[name]
    assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert resource in stacks.data["Resources"].values()


def test_table_is_recoverable_and_bucket_is_encrypted(table: dict[str, Any], bucket: dict[str, Any]) -> None:
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    (rule,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule == {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}


def test_bucket_access_is_logged_if_set(stacks: Stacks, custom_settings: Stacks) -> None:
    assert "LoggingConfiguration" not in stacks.properties("AWS::S3::Bucket")["Files"]
    buckets = custom_settings.properties("AWS::S3::Bucket")
    assert buckets["Files"]["LoggingConfiguration"] == {"DestinationBucketName": "{FilesLog}"}
    assert set(buckets["FilesLog"]["PublicAccessBlockConfiguration"].values()) == {True}
    (rule,) = buckets["FilesLog"]["LifecycleConfiguration"]["Rules"]
    assert rule["ExpirationInDays"] == 90


def _as_boto3_rule(rule: dict[str, Any]) -> dict[str, Any]:
    tags = rule.get("TagFilters")
    expiration = {"Days": "ExpirationInDays", "ExpiredObjectDeleteMarker": "ExpiredObjectDeleteMarker"}
    same_keys = ("Status", "NoncurrentVersionExpiration", "AbortIncompleteMultipartUpload")
    return {
        "ID": rule["Id"],
        "Filter": {"Tag": tags[0]} if tags else {"Prefix": ""},
        "Expiration": {boto3_key: rule[key] for boto3_key, key in expiration.items() if key in rule},
        **{key: rule[key] for key in same_keys if key in rule},
    }
