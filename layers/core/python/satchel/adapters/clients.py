"""The AWS clients, one each a process: a Lambda's process is the cache."""

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypedDict

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_stepfunctions import SFNClient
    from mypy_boto3_sts import STSClient

    from satchel.ports.runners import ScopedCredentials


class _Keys(TypedDict):
    aws_access_key_id: str
    aws_secret_access_key: str
    aws_session_token: str


_RETRIES = Config(retries={"mode": "standard", "total_max_attempts": 4}, max_pool_connections=50)
# Presigned links carry SigV4, which fixes the signed headers and works in every region; and they lead to the region's
# own host in every region, which is the one that the page's policy names.
_S3 = _RETRIES.merge(
    Config(signature_version="s3v4", s3={"addressing_style": "path", "us_east_1_regional_endpoint": "regional"})
)


@lru_cache
def dynamodb() -> "DynamoDBClient":
    """Return the client for the table."""
    return boto3.client("dynamodb", config=_RETRIES)


@lru_cache
def s3() -> "S3Client":
    """Return the client for the bucket."""
    return boto3.client("s3", config=_S3)


@lru_cache
def stepfunctions() -> "SFNClient":
    """Return the client for the turns' executions; a beat that hangs must not outlast the heartbeat."""
    return boto3.client("stepfunctions", config=_RETRIES.merge(Config(connect_timeout=5, read_timeout=5)))


@lru_cache
def lambda_() -> "LambdaClient":
    """Return the client that starts calls."""
    return boto3.client("lambda", config=_RETRIES)


@lru_cache
def lambda_waiting() -> "LambdaClient":
    """Return the client that waits for a server to list its tools, once, and less long than a waiting task may."""
    return boto3.client("lambda", config=Config(read_timeout=25, retries={"total_max_attempts": 1}))


@lru_cache
def sts() -> "STSClient":
    """Return the client that makes a call's credentials."""
    return boto3.client("sts", config=_RETRIES)


@lru_cache
def secrets() -> "SecretsManagerClient":
    """Return the client for the signing keys."""
    return boto3.client("secretsmanager", config=_RETRIES)


@lru_cache
def bedrock(endpoint: str | None, connect_seconds: float, read_seconds: float) -> Any:  # noqa: ANN401  (as below)
    """Return the client for models; whoever asks tries again himself. ``endpoint`` None: the region's own."""
    once = Config(
        connect_timeout=connect_seconds,
        read_timeout=read_seconds,
        retries={"total_max_attempts": 1},
        max_pool_connections=50,
    )
    region = os.environ.get("AWS_REGION")  # which boto3 itself does not look at
    return boto3.client("bedrock-runtime", endpoint_url=endpoint, config=once, region_name=region)


@lru_cache
def socket_api(endpoint: str) -> Any:  # noqa: ANN401  (its stubs are not installed; the adapter says what it uses)
    """Return the client that posts to connections; one that does not take a message must not hold up the others."""
    few = Config(connect_timeout=2, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 3})
    return boto3.client("apigatewaymanagementapi", endpoint_url=endpoint, config=_RETRIES.merge(few))


def scoped_s3(credentials: "ScopedCredentials") -> "S3Client":
    """Return a client that acts with one call's credentials."""
    return boto3.client("s3", config=_S3, **_keys(credentials))


def scoped_dynamodb(credentials: "ScopedCredentials") -> "DynamoDBClient":
    """Return a client that acts with one call's credentials."""
    return boto3.client("dynamodb", config=_RETRIES, **_keys(credentials))


def _keys(credentials: "ScopedCredentials") -> _Keys:
    """Name the keys for boto3's default session: a session of their own would read every service model anew (0.1 s)."""
    return {
        "aws_access_key_id": credentials.access_key_id,
        "aws_secret_access_key": credentials.secret_access_key,
        "aws_session_token": credentials.session_token,
    }
