"""Bucket and table, made from the definitions that the local run makes its own from."""

from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra import sources
from infra.constructs.checks import acknowledge

_TYPES = {
    "S": dynamodb.AttributeType.STRING,
    "N": dynamodb.AttributeType.NUMBER,
    "B": dynamodb.AttributeType.BINARY,
}
_LOGS_KEPT = Duration.days(90)


def bucket(scope: Construct, id_: str, *, removal_policy: RemovalPolicy, logged: bool) -> s3.Bucket:
    """Make the bucket of ``definitions/bucket.json``, encrypted and open to TLS only; ``logged`` in another one."""
    definition = sources.definition("bucket")
    access = definition["PublicAccessBlockConfiguration"]
    made = s3.Bucket(
        scope,
        id_,
        versioned=definition["VersioningConfiguration"]["Status"] == "Enabled",
        block_public_access=s3.BlockPublicAccess(
            block_public_acls=access["BlockPublicAcls"],
            ignore_public_acls=access["IgnorePublicAcls"],
            block_public_policy=access["BlockPublicPolicy"],
            restrict_public_buckets=access["RestrictPublicBuckets"],
        ),
        lifecycle_rules=[_lifecycle_rule(rule) for rule in definition["LifecycleConfiguration"]["Rules"]],
        cors=[_cors_rule(rule) for rule in definition["CORSConfiguration"]["CORSRules"]],
        encryption=s3.BucketEncryption.S3_MANAGED,
        enforce_ssl=True,
        object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
        server_access_logs_bucket=_log_bucket(scope, f"{id_}Log", removal_policy) if logged else None,
        removal_policy=removal_policy,
    )
    if not logged:
        acknowledge(made, AwsSolutions_S1="such logs hold presigned addresses; bucket_access_logs switches them on")
    return made


def _log_bucket(scope: Construct, id_: str, removal_policy: RemovalPolicy) -> s3.Bucket:
    made = s3.Bucket(
        scope,
        id_,
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        lifecycle_rules=[s3.LifecycleRule(expiration=_LOGS_KEPT)],
        encryption=s3.BucketEncryption.S3_MANAGED,
        enforce_ssl=True,
        object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
        removal_policy=removal_policy,
    )
    acknowledge(made, AwsSolutions_S1="it holds the logs of another bucket")
    return made


def table(scope: Construct, id_: str, *, removal_policy: RemovalPolicy) -> dynamodb.Table:
    """Make the table of ``definitions/table.json``, recoverable to any point of the last 35 days."""
    definition = sources.definition("table")
    types = {each["AttributeName"]: each["AttributeType"] for each in definition["AttributeDefinitions"]}
    made = dynamodb.Table(
        scope,
        id_,
        partition_key=_key(definition["KeySchema"], types, "HASH"),
        sort_key=_key(definition["KeySchema"], types, "RANGE"),
        billing_mode=dynamodb.BillingMode(definition["BillingMode"]),
        stream=dynamodb.StreamViewType(definition["StreamSpecification"]["StreamViewType"]),
        time_to_live_attribute=definition["TimeToLiveSpecification"]["AttributeName"],
        point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
            point_in_time_recovery_enabled=True
        ),
        removal_policy=removal_policy,
    )
    for index in definition["GlobalSecondaryIndexes"]:
        made.add_global_secondary_index(
            index_name=index["IndexName"],
            partition_key=_key(index["KeySchema"], types, "HASH"),
            sort_key=_key(index["KeySchema"], types, "RANGE"),
            projection_type=dynamodb.ProjectionType(index["Projection"]["ProjectionType"]),
        )
    return made


def _key(schema: Sequence[Mapping[str, str]], types: Mapping[str, str], role: str) -> dynamodb.Attribute:
    name = next(key["AttributeName"] for key in schema if key["KeyType"] == role)
    return dynamodb.Attribute(name=name, type=_TYPES[types[name]])


def _lifecycle_rule(rule: Mapping[str, Any]) -> s3.LifecycleRule:
    expiration = rule.get("Expiration", {})
    tag = rule["Filter"].get("Tag")
    return s3.LifecycleRule(
        id=rule["ID"],
        enabled=rule["Status"] == "Enabled",
        prefix=rule["Filter"].get("Prefix") or None,
        tag_filters={tag["Key"]: tag["Value"]} if tag else None,
        expiration=_days(expiration.get("Days")),
        expired_object_delete_marker=expiration.get("ExpiredObjectDeleteMarker"),
        noncurrent_version_expiration=_days(rule.get("NoncurrentVersionExpiration", {}).get("NoncurrentDays")),
        abort_incomplete_multipart_upload_after=_days(
            rule.get("AbortIncompleteMultipartUpload", {}).get("DaysAfterInitiation")
        ),
    )


def _days(days: int | None) -> Duration | None:
    return None if days is None else Duration.days(days)


def _cors_rule(rule: Mapping[str, Any]) -> s3.CorsRule:
    return s3.CorsRule(
        allowed_methods=[s3.HttpMethods(method) for method in rule["AllowedMethods"]],
        allowed_origins=rule["AllowedOrigins"],
        allowed_headers=rule["AllowedHeaders"],
        exposed_headers=rule["ExposeHeaders"],
        max_age=rule["MaxAgeSeconds"],
    )
