"""Bucket and table: boto3 creates the same from the definitions as CloudFormation does from the template."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from infra.sources import load_definition
from tests.infra.synthesis import EXISTING
from tests.infra.templates import Stacks, name_of

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
    assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    assert resource in stacks.data["Resources"].values()


def test_every_bucket_that_is_deleted_is_emptied_first(
    stacks: Stacks, custom_settings: Stacks, without_site: Stacks
) -> None:
    """CloudFormation cannot delete a bucket with objects."""
    for deployment in (stacks, custom_settings, without_site):
        buckets = deployment.resources("AWS::S3::Bucket")
        deleted = {name for name, each in buckets.items() if each["DeletionPolicy"] == "Delete"}
        emptied = deployment.resources("Custom::EmptiedBucket").values()
        names = {deployment.with_text_references(each["Properties"]["Bucket"]).strip("{}") for each in emptied}
        assert names == deleted
        tag = {"Key": "satchel:empty-on-delete", "Value": "true"}
        assert {name for name, each in buckets.items() if tag in each["Properties"].get("Tags", [])} == deleted
        for each in emptied:
            # CloudFormation deletes in the reverse order of creation.
            created_before = {name_of(each) for each in each["DependsOn"]}
            assert any(name.endswith("EmptyRoleDefaultPolicy") for name in created_before)
    assert stacks.resources("Custom::EmptiedBucket").keys() == {"EmptiedPageFiles"}
    assert custom_settings.resources("Custom::EmptiedBucket").keys() == {
        "EmptiedFiles",
        "EmptiedFilesFilesLog",
        "EmptiedPageFiles",
    }
    assert without_site.resources("AWS::S3::Bucket").keys() == {"Files"}


def test_termination_protection_applies_if_set(synthesized: Path) -> None:
    manifests = {
        name: json.loads((synthesized / name / "manifest.json").read_text(encoding="utf-8"))["artifacts"]
        for name in ("default", "without_site")
    }
    assert manifests["default"]["satchel-data"]["properties"]["terminationProtection"] is False
    assert manifests["without_site"]["satchel-data"]["properties"]["terminationProtection"] is True


def test_existing_stores_and_users_replace_the_own_ones(without_site: Stacks) -> None:
    names = {(each.get("SATCHEL_BUCKET"), each.get("SATCHEL_TABLE")) for each in _environments(without_site)}
    assert names == {("kept-files", "kept-records"), (None, None)}
    (source,) = without_site.properties("AWS::Lambda::EventSourceMapping").values()
    assert source["EventSourceArn"] == EXISTING["existing_table"]
    (client,) = without_site.properties("AWS::Cognito::UserPoolClient").values()
    assert client["UserPoolId"] == EXISTING["existing_user_pool"]
    (authorizer,) = without_site.properties("AWS::ApiGatewayV2::Authorizer").values()
    issuer = "https://cognito-idp.{AWS::Region}.{AWS::URLSuffix}/eu-central-1_Kept"
    assert authorizer["JwtConfiguration"]["Issuer"] == issuer
    (domain,) = without_site.properties("AWS::Cognito::UserPoolDomain").values()
    assert domain["UserPoolId"] == EXISTING["existing_user_pool"]
    assert re.fullmatch(r"satchel-\{AWS::AccountId\}-[0-9a-f]{8}", domain["Domain"])
    granted = {text for each in without_site.statements() for text in each.resources}
    assert not any("{Files" in text or "{Records" in text for text in granted)


def _environments(stacks: Stacks) -> list[dict[str, str]]:
    return [stacks.environment(name) for name in stacks.functions()]


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
