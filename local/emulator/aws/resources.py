"""Create emulated AWS resources with boto3, from the same definition files as the deployed stacks.

A definition is the parsed JSON of a file in ``infra/definitions``. It contains the arguments of boto3 calls, except
the names of resources.
"""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import boto3

from local.emulator.aws.cloud import ACCOUNT, PARTITION, REGION
from local.emulator.aws.lambda_host import Function
from local.emulator.aws.moto_patches.lambda_invoke import HOST
from local.emulator.runners.context import Handler

Definition = Mapping[str, Any]

_TRUST_POLICY = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "sts:AssumeRole"}],
}


def create_table(name: str, definition: Definition) -> None:
    """Create a DynamoDB table from boto3's ``create_table`` arguments and an optional ``TimeToLiveSpecification``."""
    client = boto3.client("dynamodb")
    client.create_table(TableName=name, **{k: v for k, v in definition.items() if k != "TimeToLiveSpecification"})
    if "TimeToLiveSpecification" in definition:
        client.update_time_to_live(TableName=name, TimeToLiveSpecification=definition["TimeToLiveSpecification"])


def create_bucket(name: str, definition: Definition) -> None:
    """Create an S3 bucket with the configurations in ``definition``. Raise ValueError if any is unsupported."""
    client = boto3.client("s3")
    put: Mapping[str, Callable[..., object]] = {
        "VersioningConfiguration": client.put_bucket_versioning,
        "PublicAccessBlockConfiguration": client.put_public_access_block,
        "LifecycleConfiguration": client.put_bucket_lifecycle_configuration,
        "CORSConfiguration": client.put_bucket_cors,
    }
    if unsupported := definition.keys() - put.keys():
        raise ValueError(f"unsupported bucket configurations: {', '.join(sorted(unsupported))}")
    client.create_bucket(Bucket=name)
    for configuration, value in definition.items():
        put[configuration](Bucket=name, **{configuration: value})


def create_dashboard_key() -> str:
    """Create a KMS key that signs the tokens of dashboards, and return its id."""
    key = boto3.client("kms").create_key(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")
    return key["KeyMetadata"]["KeyId"]


def create_secret(name: str, value: str) -> str:
    """Create a Secrets Manager secret with a text value, and return its ARN."""
    return boto3.client("secretsmanager").create_secret(Name=name, SecretString=value)["ARN"]


def create_role(name: str) -> str:
    """Create an IAM role that any principal in the account may assume, and return its ARN.

    The role has no permissions policies, because moto enforces none.
    """
    role = boto3.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(_TRUST_POLICY))
    return str(role["Role"]["Arn"])


def create_function(name: str, handler: Handler, *, role: str, timeout: float) -> str:
    """Create a Lambda function and return its ARN. ``handler`` runs in this process. ``timeout`` is in seconds."""
    HOST.register(Function(name, handler, timeout))
    function = boto3.client("lambda").create_function(
        FunctionName=name,
        Role=role,
        Runtime="python3.13",
        Handler="index.handler",
        Code={"ZipFile": _unused_code()},
        Timeout=max(1, round(timeout)),
    )
    return function["FunctionArn"]


def handle_failures(function: str, *, retries: int, destination: str | None = None) -> None:
    """Set the retries of failed asynchronous invocations, and the function (ARN) that handles those that still fail."""
    config: Any = {"OnFailure": {"Destination": destination}} if destination else {}
    boto3.client("lambda").put_function_event_invoke_config(
        FunctionName=function, MaximumRetryAttempts=retries, DestinationConfig=config
    )


def map_stream(table: str, function: str, definition: Definition) -> None:
    """Make a DynamoDB table's stream invoke a function.

    ``definition`` contains the other arguments of boto3's ``create_event_source_mapping``.
    """
    stream = boto3.client("dynamodb").describe_table(TableName=table)["Table"]["LatestStreamArn"]
    boto3.client("lambda").create_event_source_mapping(EventSourceArn=stream, FunctionName=function, **definition)


def state_machine_arn(name: str) -> str:
    """Return the ARN of a state machine, also before it exists."""
    return f"arn:{PARTITION}:states:{REGION}:{ACCOUNT}:stateMachine:{name}"


def create_state_machine(name: str, definition: str, *, role: str) -> str:
    """Create a Standard state machine from its Amazon States Language text. Return the state machine's ARN."""
    machine = boto3.client("stepfunctions").create_state_machine(name=name, definition=definition, roleArn=role)
    return machine["stateMachineArn"]


def _unused_code() -> bytes:
    """Return an empty code package. Lambda's API requires one, but invocations run the registered handler instead."""
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("index.py", "")
    return package.getvalue()
