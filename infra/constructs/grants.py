"""Grant functions IAM permissions: ``allow(think, *READ_ITEMS, on=[table_arn])``. Actions never have wildcards."""

from collections.abc import Sequence
from typing import cast

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.checks import acknowledge_wildcards
from infra.settings import PROVIDER_SECRETS

READ_ITEMS = ("dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query")
PUT_ITEMS = ("dynamodb:PutItem",)
WRITE_ITEMS = ("dynamodb:PutItem", "dynamodb:UpdateItem")
DELETE_ITEMS = ("dynamodb:DeleteItem",)
DELETE_MANY_ITEMS = ("dynamodb:DeleteItem", "dynamodb:BatchWriteItem")
CHECK_ITEMS = ("dynamodb:ConditionCheckItem",)
QUERY_INDEX = ("dynamodb:Query",)

READ_STREAM = ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator")
LIST_STREAMS = ("dynamodb:ListStreams",)

READ_OBJECTS = ("s3:GetObject",)
PUT_OBJECTS = ("s3:PutObject",)
PUT_TAGGED_OBJECTS = ("s3:PutObject", "s3:PutObjectTagging", "s3:AbortMultipartUpload")
UPLOAD_OBJECTS = ("s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts")
TAG_OBJECTS = ("s3:PutObjectTagging", "s3:DeleteObjectTagging")
UNTAG_OBJECTS = ("s3:DeleteObjectTagging",)
# The documentation of S3's DeleteObjects asks for both, even if each object is deleted by its version id, which leaves
# no delete marker in the bucket. In a bucket without versioning, an object has the version "null".
DELETE_OBJECTS = ("s3:DeleteObject", "s3:DeleteObjectVersion")
INSPECT_BUCKET = ("s3:GetBucketTagging", "s3:ListBucketVersions")
ABORT_UPLOADS = ("s3:AbortMultipartUpload",)
LIST_OBJECTS = ("s3:ListBucket",)
LIST_VERSIONS = ("s3:ListBucketVersions",)

WRITE_LOGS = ("logs:CreateLogStream", "logs:PutLogEvents")
INVOKE_FUNCTION = ("lambda:InvokeFunction",)
READ_SECRET = ("secretsmanager:GetSecretValue",)
SIGN = ("kms:Sign", "kms:GetPublicKey")
ROTATE_SECRET = (
    "secretsmanager:DescribeSecret",
    "secretsmanager:GetSecretValue",
    "secretsmanager:PutSecretValue",
    "secretsmanager:UpdateSecretVersionStage",
)
ASSUME_ROLE = ("sts:AssumeRole",)
INVOKE_MODEL = ("bedrock:InvokeModelWithResponseStream",)

MANAGE_CONNECTIONS = ("execute-api:ManageConnections",)
START_EXECUTION = ("states:StartExecution",)
FOLLOW_EXECUTION = ("states:DescribeExecution", "states:StopExecution")
STOP_EXECUTION = ("states:StopExecution",)
DESCRIBE_EXECUTION = ("states:DescribeExecution",)
SEND_TASK_SUCCESS = ("states:SendTaskSuccess",)
SEND_TASK_FAILURE = ("states:SendTaskFailure",)
SEND_TASK_HEARTBEAT = ("states:SendTaskHeartbeat",)
# Lambda creates the network interfaces of a function in a VPC with the function's role.
MANAGE_NETWORK_INTERFACES = (
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:UnassignPrivateIpAddresses",
)

# Object keys are {user}/{kind}/…, so a pattern that starts with * matches the objects of all users.
ALL_USERS = "object keys start with the user: these functions serve all users, tools get credentials for one call"
FILE_KEYS = ("*/uploads/*", "*/artifacts/*", "*/deferred/*")
TOOL_FILE_KEYS = ("*/artifacts/*", "*/deferred/*")
PICTURE_KEYS = ("*/uploads/*", "*/artifacts/*")
UPLOAD_KEYS = "*/uploads/*"
TURN_KEYS = "*/turns/*"
TEXT_KEYS = "*/turns/*/texts/*"

_PROFILE_REASON = "AWS chooses the regions of an inference profile's requests"
_GEOGRAPHIES = {"us", "eu", "apac", "jp", "au", "ca", "us-gov", "global"}
"""First parts of the ids of inference profiles."""
_VENDORS = {
    *("ai21", "amazon", "anthropic", "cohere", "deepseek", "google", "luma", "meta", "minimax", "mistral"),
    *("moonshot", "moonshotai", "nvidia", "openai", "qwen", "stability", "twelvelabs", "writer", "zai"),
}
"""First parts of the ids of models. Behind another first part they show that the id names an inference profile."""


def statement(*actions: str, on: Sequence[str]) -> iam.PolicyStatement:
    """Return an IAM policy statement that allows these actions on these resources (ARNs)."""
    return iam.PolicyStatement(actions=list(actions), resources=list(on))


def allow(function: lambda_.Function, *actions: str, on: Sequence[str], because: str = "") -> None:
    """Let a function perform actions on these ARNs. Raise ValueError for a wildcard without a reason (``because``)."""
    function.add_to_role_policy(statement(*actions, on=on))
    acknowledge_wildcards(cast("Construct", function.role), on, because)


def allow_models(function: lambda_.Function, models: Sequence[str], secret_prefix: str) -> None:
    """Let a function invoke these models (``provider:id``) on Bedrock, and read the API keys of other providers.

    Raise UnknownModelError for a Bedrock model whose ARN cannot be derived from its id.
    """
    stack = Stack.of(function)
    if arns := list(dict.fromkeys(arn for model in models for arn in bedrock_arns(stack, model))):
        allow(function, *INVOKE_MODEL, on=arns, because=_PROFILE_REASON)
    if profiles := [arn for arn in map(bedrock_id, models) if ":application-inference-profile/" in arn]:
        # The ARN of such a profile does not name its model, so allow every model, but only through these profiles.
        any_model = f"arn:{stack.partition}:bedrock:*::foundation-model/*"
        through = {"StringEquals": {"bedrock:InferenceProfileArn": profiles}}
        function.add_to_role_policy(
            iam.PolicyStatement(actions=list(INVOKE_MODEL), resources=[any_model], conditions=through)
        )
        acknowledge_wildcards(cast("Construct", function.role), [any_model], _PROFILE_REASON)
    keys = {PROVIDER_SECRETS[provider] for provider in map(_provider, models) if provider in PROVIDER_SECRETS}
    if keys:
        function.add_environment("SATCHEL_SECRET_PREFIX", secret_prefix)
        allow(function, *READ_SECRET, on=[secret_arn(stack, f"{secret_prefix}{key}") for key in sorted(keys)])


class UnknownModelError(ValueError):
    """The permission for a Bedrock model cannot be derived from its id. The message says what to write instead."""


def bedrock_id(model: str) -> str:
    """Return the id or ARN in ``bedrock:{id}``, without an address at its end, or empty text for another provider."""
    return model.partition(":")[2].partition("@http")[0] if _provider(model) == "bedrock" else ""


def bedrock_arns(stack: Stack, model: str) -> list[str]:
    """Return the ARNs that calls of ``bedrock:{id}`` need: the model, or the inference profile and its base model.

    An inference profile (``us.anthropic.…``, ``global.…``) routes requests to several regions, so the base model's ARN
    covers all regions. An id that is an ARN (a provisioned, imported or custom model, an inference profile) is the
    resource itself. The list is empty for a model that is not on Bedrock. Raise UnknownModelError if the id could be a
    model or a profile.
    """
    model_id = bedrock_id(model)
    if not model_id:
        return []
    if model_id.startswith("arn:"):
        _, is_profile, profile_id = model_id.partition(":inference-profile/")
        return [*_base_models(stack, profile_id), model_id] if is_profile else [model_id]
    first, _, rest = model_id.partition(".")
    if first in _GEOGRAPHIES or rest.partition(".")[0] in _VENDORS:
        profile_arn = f"arn:{stack.partition}:bedrock:{stack.region}:{stack.account}:inference-profile/{model_id}"
        return [*_base_models(stack, model_id), profile_arn]
    if first not in _VENDORS and "." in rest:
        raise UnknownModelError(
            f"{model}: neither the vendor nor the geography {first!r} is known. Use the ARN of the model or of the "
            "inference profile: bedrock:arn:…"
        )
    return [f"arn:{stack.partition}:bedrock:{stack.region}::foundation-model/{model_id}"]


def _base_models(stack: Stack, profile_id: str) -> list[str]:
    return [f"arn:{stack.partition}:bedrock:*::foundation-model/{profile_id.partition('.')[2]}"]


def secret_arn(scope: Construct, name: str) -> str:
    """Return an ARN pattern for a secret. It ends in ``-??????``: Secrets Manager appends six random characters."""
    return Stack.of(scope).format_arn(
        service="secretsmanager",
        resource="secret",
        resource_name=f"{name}-??????",
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )


def _provider(model: str) -> str:
    return model.partition(":")[0]
