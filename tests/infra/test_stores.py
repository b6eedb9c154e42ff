"""Bucket and table, made by boto3 from the definitions and by CloudFormation from the template, are the same."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from infra.sources import definition
from tests.infra.templates import Stacks

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

pytestmark = pytest.mark.synth
REGION = "us-east-1"


@pytest.fixture(scope="module")
def dynamodb() -> Iterator["DynamoDBClient"]:
    """A table made in the way of the local run."""
    with mock_aws():
        client = boto3.client("dynamodb", region_name=REGION)
        given = definition("table")
        ttl = given.pop("TimeToLiveSpecification")
        client.create_table(TableName="satchel", **given)
        client.update_time_to_live(TableName="satchel", TimeToLiveSpecification=ttl)
        yield client


@pytest.fixture(scope="module")
def s3() -> Iterator["S3Client"]:
    """A bucket made in the way of the local run."""
    with mock_aws():
        client = boto3.client("s3", region_name=REGION)
        client.create_bucket(Bucket="satchel")
        given = definition("bucket")
        client.put_bucket_versioning(Bucket="satchel", VersioningConfiguration=given["VersioningConfiguration"])
        client.put_public_access_block(
            Bucket="satchel", PublicAccessBlockConfiguration=given["PublicAccessBlockConfiguration"]
        )
        client.put_bucket_lifecycle_configuration(
            Bucket="satchel", LifecycleConfiguration=given["LifecycleConfiguration"]
        )
        client.put_bucket_cors(Bucket="satchel", CORSConfiguration=given["CORSConfiguration"])
        yield client


@pytest.fixture
def table(stacks: Stacks) -> dict[str, Any]:
    return stacks.of_type("AWS::DynamoDB::Table")["Records"]


@pytest.fixture
def bucket(stacks: Stacks) -> dict[str, Any]:
    return stacks.of_type("AWS::S3::Bucket")["Files"]


def test_the_table_has_the_same_keys_and_attributes(dynamodb: "DynamoDBClient", table: dict[str, Any]) -> None:
    made = dynamodb.describe_table(TableName="satchel")["Table"]
    assert made["KeySchema"] == table["KeySchema"]
    assert made["AttributeDefinitions"] == table["AttributeDefinitions"]
    assert made["BillingModeSummary"]["BillingMode"] == table["BillingMode"]


def test_the_table_has_the_same_indexes(dynamodb: "DynamoDBClient", table: dict[str, Any]) -> None:
    made = dynamodb.describe_table(TableName="satchel")["Table"]["GlobalSecondaryIndexes"]
    decides = ("IndexName", "KeySchema", "Projection")
    assert [{key: index.get(key) for key in decides} for index in made] == table["GlobalSecondaryIndexes"]


def test_the_table_streams_and_forgets_alike(dynamodb: "DynamoDBClient", table: dict[str, Any]) -> None:
    stream = dynamodb.describe_table(TableName="satchel")["Table"]["StreamSpecification"]
    assert stream == {"StreamEnabled": True} | table["StreamSpecification"]
    ttl = dynamodb.describe_time_to_live(TableName="satchel")["TimeToLiveDescription"]
    assert ttl == {
        "TimeToLiveStatus": "ENABLED",
        "AttributeName": table["TimeToLiveSpecification"]["AttributeName"],
    }
    assert table["TimeToLiveSpecification"]["Enabled"] is True


def test_the_bucket_keeps_versions_and_is_closed_alike(s3: "S3Client", bucket: dict[str, Any]) -> None:
    assert s3.get_bucket_versioning(Bucket="satchel")["Status"] == bucket["VersioningConfiguration"]["Status"]
    closed = s3.get_public_access_block(Bucket="satchel")["PublicAccessBlockConfiguration"]
    assert closed == bucket["PublicAccessBlockConfiguration"]
    assert set(closed.values()) == {True}


def test_the_bucket_has_the_same_lifecycle(s3: "S3Client", bucket: dict[str, Any]) -> None:
    made = s3.get_bucket_lifecycle_configuration(Bucket="satchel")["Rules"]
    assert [_in_boto3s_words(rule) for rule in bucket["LifecycleConfiguration"]["Rules"]] == made


def test_objects_expire_by_their_tags_and_nothing_else_expires(bucket: dict[str, Any]) -> None:
    rules = bucket["LifecycleConfiguration"]["Rules"]
    by_tag = {
        (tag["Key"], tag["Value"]): (rule["ExpirationInDays"], rule["NoncurrentVersionExpiration"])
        for rule in rules
        for tag in rule.get("TagFilters", [])
    }
    gone = {"NoncurrentDays": 1}
    assert by_tag == {
        **{("expire-days", str(days)): (days, gone) for days in (1, 3, 7, 30, 90, 400)},
        ("retention", "ended"): (1, gone),
        ("retention", "unkept"): (1, gone),
    }
    (untagged,) = (rule for rule in rules if "TagFilters" not in rule)
    assert untagged == {
        "Id": "clean-up",
        "Status": "Enabled",
        "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1},
        "ExpiredObjectDeleteMarker": True,
    }


def test_the_bucket_answers_browsers_alike(s3: "S3Client", bucket: dict[str, Any]) -> None:
    (made,) = s3.get_bucket_cors(Bucket="satchel")["CORSRules"]
    (deployed,) = bucket["CorsConfiguration"]["CorsRules"]
    renamed = {"ExposeHeaders": "ExposedHeaders", "MaxAgeSeconds": "MaxAge"}
    assert {renamed.get(key, key): value for key, value in made.items()} == deployed


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("AWS::S3::Bucket", "Files"),
        ("AWS::DynamoDB::Table", "Records"),
        ("AWS::SecretsManager::Secret", "CapabilityKey"),
        ("AWS::Cognito::UserPool", "People"),
    ],
)
def test_what_people_own_outlives_its_stack(stacks: Stacks, kind: str, name: str) -> None:
    resource = stacks.resources(kind)[name]
    assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert resource in stacks.data["Resources"].values()


def test_the_table_can_be_recovered_and_the_bucket_is_encrypted(table: dict[str, Any], bucket: dict[str, Any]) -> None:
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    (rule,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule == {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}


def test_who_fetched_which_object_is_logged_where_that_is_chosen(stacks: Stacks, choices: Stacks) -> None:
    assert "LoggingConfiguration" not in stacks.of_type("AWS::S3::Bucket")["Files"]
    buckets = choices.of_type("AWS::S3::Bucket")
    assert buckets["Files"]["LoggingConfiguration"] == {"DestinationBucketName": "{FilesLog}"}
    assert set(buckets["FilesLog"]["PublicAccessBlockConfiguration"].values()) == {True}
    (rule,) = buckets["FilesLog"]["LifecycleConfiguration"]["Rules"]
    assert rule["ExpirationInDays"] == 90


def _in_boto3s_words(rule: dict[str, Any]) -> dict[str, Any]:
    tags = rule.get("TagFilters")
    expiration = {"Days": "ExpirationInDays", "ExpiredObjectDeleteMarker": "ExpiredObjectDeleteMarker"}
    same = ("Status", "NoncurrentVersionExpiration", "AbortIncompleteMultipartUpload")
    return {
        "ID": rule["Id"],
        "Filter": {"Tag": tags[0]} if tags else {"Prefix": ""},
        "Expiration": {theirs: rule[ours] for theirs, ours in expiration.items() if ours in rule},
        **{key: rule[key] for key in same if key in rule},
    }
