"""Creates the boto3 clients. Most are cached for the whole process, because creating a client is slow."""

import os
from collections.abc import Callable
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypedDict, cast

import boto3
from botocore.config import Config
from botocore.credentials import Credentials

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_kms import KMSClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_stepfunctions import SFNClient
    from mypy_boto3_sts import STSClient

    from satchel.ports.runners import ScopedCredentials


class _Credentials(TypedDict):
    aws_access_key_id: str
    aws_secret_access_key: str
    aws_session_token: str


_NO_CREDENTIALS: _Credentials = {
    "aws_access_key_id": "none",
    "aws_secret_access_key": "none",
    "aws_session_token": "none",
}
# botocore builds its own user agent anew for each request, which takes more than half as long as the signature.
_RETRIES = Config(retries={"mode": "standard", "total_max_attempts": 4}, max_pool_connections=50, user_agent="satchel")
# Presigned URLs need signatures of version 4, which include headers and work in every region. The URLs also need the
# region's host name, because the web client's content security policy allows only that host.
_S3 = _RETRIES.merge(
    Config(signature_version="s3v4", s3={"addressing_style": "path", "us_east_1_regional_endpoint": "regional"})
)


MAX_SEND_SECONDS = 0.25
"""Maximum seconds for the response to a WebSocket message. API Gateway responds in about 15 ms."""


CALL_READ_SECONDS = 5
"""Maximum seconds for the response of a runner: the wait of Dispatch (``MAX_WAIT``), and two for a slow network."""


@lru_cache
def dynamodb() -> "DynamoDBClient":
    """Return the DynamoDB client for the deployment's table."""
    return boto3.client("dynamodb", config=_RETRIES)


@lru_cache
def s3() -> "S3Client":
    """Return the S3 client for the deployment's buckets."""
    return boto3.client("s3", config=_S3)


@lru_cache
def stepfunctions() -> "SFNClient":
    """Return the Step Functions client. It times out after 5 s, so that a heartbeat can be retried in time."""
    return boto3.client("stepfunctions", config=_RETRIES.merge(Config(connect_timeout=5, read_timeout=5)))


@lru_cache
def lambda_() -> "LambdaClient":
    """Return the client that invokes Lambda functions asynchronously."""
    return boto3.client("lambda", config=_RETRIES)


@lru_cache
def lambda_waiting() -> "LambdaClient":
    """Return the client that waits for the end of short tool calls. A repeated request would only wait in vain."""
    return boto3.client("lambda", config=Config(read_timeout=CALL_READ_SECONDS, retries={"total_max_attempts": 1}))


@lru_cache
def lambda_listing() -> "LambdaClient":
    """Return the Lambda client that lists a server's tools. It does not retry. It times out before API Gateway does."""
    return boto3.client("lambda", config=Config(read_timeout=25, retries={"total_max_attempts": 1}))


@lru_cache
def sts() -> "STSClient":
    """Return the client that creates temporary credentials for each tool call."""
    return boto3.client("sts", config=_RETRIES)


@lru_cache
def secrets() -> "SecretsManagerClient":
    """Return the client for Secrets Manager."""
    return boto3.client("secretsmanager", config=_RETRIES)


@lru_cache
def kms() -> "KMSClient":
    """Return the client for KMS, which signs the tokens of dashboards."""
    return boto3.client("kms", config=_RETRIES)


@lru_cache
def bedrock(endpoint: str | None, connect_seconds: float, read_seconds: float) -> Any:  # noqa: ANN401  (boto3's stubs for it are not installed)
    """Return a Bedrock client without retries. If ``endpoint`` is None, use the region's default endpoint."""
    config = Config(
        connect_timeout=connect_seconds,
        read_timeout=read_seconds,
        retries={"total_max_attempts": 1},
        max_pool_connections=50,
    )
    region = os.environ.get("AWS_REGION")  # boto3 does not read AWS_REGION, only AWS_DEFAULT_REGION
    return boto3.client("bedrock-runtime", endpoint_url=endpoint, config=config, region_name=region)


@lru_cache
def socket_api(endpoint: str) -> Any:  # noqa: ANN401  (boto3's stubs for it are not installed)
    """Return the client that sends WebSocket messages.

    Its timeouts are short and it does not retry, because the next batch of the stream waits until all sends of a batch
    have ended. The push of the turn's next event repeats what was not delivered.
    """
    config = Config(
        connect_timeout=MAX_SEND_SECONDS,
        read_timeout=MAX_SEND_SECONDS,
        retries={"mode": "standard", "total_max_attempts": 1},
    )
    return boto3.client("apigatewaymanagementapi", endpoint_url=endpoint, config=_RETRIES.merge(config))


def scoped_s3(credentials: "ScopedCredentials") -> "S3Client":
    """Return an S3 client with the temporary credentials of one tool call. Most calls store no object."""
    return cast("S3Client", _LazyClient(lambda: boto3.client("s3", config=_S3, **_client_arguments(credentials))))


def scoped_dynamodb(credentials: "ScopedCredentials") -> "DynamoDBClient":
    """Return a DynamoDB client with the temporary credentials of one tool call."""
    signer = Credentials(credentials.access_key_id, credentials.secret_access_key, credentials.session_token)
    return cast("DynamoDBClient", _SharedClient(dynamodb_of_calls(), signer))


@lru_cache
def dynamodb_of_calls() -> "DynamoDBClient":
    """Return the client behind those of all calls. It has no credentials, so it can send no other requests.

    A client of its own would cost each call 4 ms of processor time, and a new connection with its TLS handshake.
    """
    client = boto3.client("dynamodb", config=_RETRIES, **_NO_CREDENTIALS)
    client.meta.events.register("before-parameter-build.dynamodb", _sign_with_credentials_of_call)
    return client


_credentials_of_call: ContextVar[Credentials] = ContextVar("_credentials_of_call")


def _sign_with_credentials_of_call(context: dict[str, Any], **_: object) -> None:
    """Let botocore sign a request with the credentials of the call. Raise LookupError if no call sends it."""
    context.setdefault("signing", {})["request_credentials"] = _credentials_of_call.get()


class _SharedClient:
    """A client that signs its requests with credentials of its own, and shares its connections with others."""

    def __init__(self, client: object, credentials: Credentials) -> None:
        self._client, self._credentials = client, credentials

    def __getattr__(self, name: str) -> "Callable[..., object]":
        operation = getattr(self._client, name)

        def send(**params: object) -> object:
            token = _credentials_of_call.set(self._credentials)
            try:
                return operation(**params)
            finally:
                _credentials_of_call.reset(token)

        return send


class _LazyClient:
    """A client that is created when it is first used, because that takes 5 ms of processor time."""

    def __init__(self, create: Callable[[], object]) -> None:
        self._create = cache(create)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (an operation of the client)
        return getattr(self._create(), name)


def _client_arguments(credentials: "ScopedCredentials") -> _Credentials:
    """Return credentials as arguments of ``boto3.client``. A new boto3 session with them would take 0.1 s to create."""
    return {
        "aws_access_key_id": credentials.access_key_id,
        "aws_secret_access_key": credentials.secret_access_key,
        "aws_session_token": credentials.session_token,
    }
