"""Create the S3 bucket and the DynamoDB table from the definition files that the local emulator also uses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra import sources
from infra.constructs.checks import acknowledge

_TYPES = {
    "S": dynamodb.AttributeType.STRING,
    "N": dynamodb.AttributeType.NUMBER,
    "B": dynamodb.AttributeType.BINARY,
}
_LOG_RETENTION = Duration.days(90)


@dataclass(frozen=True)
class Stores:
    """The bucket and the table that the deployment uses, and the keys that sign download links."""

    bucket: s3.IBucket
    table: dynamodb.ITable
    capability_secret: secretsmanager.ISecret


def existing_bucket(scope: Construct, id_: str, name: str) -> s3.IBucket:
    """Return a bucket that another stack or a restore created."""
    return s3.Bucket.from_bucket_name(scope, id_, name)


def existing_table(scope: Construct, id_: str, stream_arn: str) -> dynamodb.ITable:
    """Return a table that another stack or a restore created. Its stream's ARN also contains the table's ARN."""
    table_arn = stream_arn.partition("/stream/")[0]
    return dynamodb.Table.from_table_attributes(scope, id_, table_arn=table_arn, table_stream_arn=stream_arn)


def create_bucket(
    scope: Construct, id_: str, *, removal_policy: RemovalPolicy, log_bucket: s3.Bucket | None
) -> s3.Bucket:
    """Create the bucket that ``definitions/bucket.json`` defines: encrypted, TLS only, optionally with access logs."""
    definition = sources.load_definition("bucket")
    public_access = definition["PublicAccessBlockConfiguration"]
    bucket = s3.Bucket(
        scope,
        id_,
        versioned=definition["VersioningConfiguration"]["Status"] == "Enabled",
        block_public_access=s3.BlockPublicAccess(
            block_public_acls=public_access["BlockPublicAcls"],
            ignore_public_acls=public_access["IgnorePublicAcls"],
            block_public_policy=public_access["BlockPublicPolicy"],
            restrict_public_buckets=public_access["RestrictPublicBuckets"],
        ),
        lifecycle_rules=[_lifecycle_rule(rule) for rule in definition["LifecycleConfiguration"]["Rules"]],
        cors=[_cors_rule(rule) for rule in definition["CORSConfiguration"]["CORSRules"]],
        encryption=s3.BucketEncryption.S3_MANAGED,
        enforce_ssl=True,
        object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
        server_access_logs_bucket=log_bucket,
        removal_policy=removal_policy,
    )
    if not log_bucket:
        acknowledge(
            bucket, AwsSolutions_S1="the logs contain presigned URLs; the setting bucket_access_logs enables them"
        )
    return bucket


def create_log_bucket(scope: Construct, id_: str, removal_policy: RemovalPolicy) -> s3.Bucket:
    """Create the bucket for the access logs of another bucket."""
    bucket = s3.Bucket(
        scope,
        id_,
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        lifecycle_rules=[s3.LifecycleRule(expiration=_LOG_RETENTION)],
        encryption=s3.BucketEncryption.S3_MANAGED,
        enforce_ssl=True,
        object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
        removal_policy=removal_policy,
    )
    acknowledge(bucket, AwsSolutions_S1="it contains the access logs of another bucket")
    return bucket


def create_table(scope: Construct, id_: str, *, removal_policy: RemovalPolicy) -> dynamodb.Table:
    """Create the table that ``definitions/table.json`` defines, with point-in-time recovery for the last 35 days."""
    definition = sources.load_definition("table")
    types = {each["AttributeName"]: each["AttributeType"] for each in definition["AttributeDefinitions"]}
    table = dynamodb.Table(
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
        table.add_global_secondary_index(
            index_name=index["IndexName"],
            partition_key=_key(index["KeySchema"], types, "HASH"),
            sort_key=_key(index["KeySchema"], types, "RANGE"),
            projection_type=dynamodb.ProjectionType(index["Projection"]["ProjectionType"]),
        )
    return table


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
