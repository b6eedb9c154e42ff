"""Who may do what, written out: ``may(think, *READ_ITEMS, on=[table_arn])``. No action has a wildcard."""

from collections.abc import Sequence
from typing import cast

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.checks import acknowledge_wildcards

READ_ITEMS = ("dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query")
WRITE_ITEMS = ("dynamodb:PutItem", "dynamodb:UpdateItem")
DELETE_ITEMS = ("dynamodb:DeleteItem",)
DELETE_MANY_ITEMS = ("dynamodb:DeleteItem", "dynamodb:BatchWriteItem")
CHECK_ITEMS = ("dynamodb:ConditionCheckItem",)
QUERY_INDEX = ("dynamodb:Query",)

READ_STREAM = ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator")
LIST_STREAMS = ("dynamodb:ListStreams",)

READ_OBJECTS = ("s3:GetObject",)
WRITE_OBJECTS = ("s3:PutObject", "s3:PutObjectTagging", "s3:AbortMultipartUpload")
KEEP_OBJECTS = ("s3:PutObject",)
UPLOAD_OBJECTS = ("s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts")
TAG_OBJECTS = ("s3:PutObjectTagging", "s3:DeleteObjectTagging")
UNTAG_OBJECTS = ("s3:DeleteObjectTagging",)
DELETE_OBJECTS = ("s3:DeleteObjectVersion",)  # nothing is deleted but versions, each by its id
ABORT_UPLOADS = ("s3:AbortMultipartUpload",)
LIST_OBJECTS = ("s3:ListBucket",)
PUBLISH = ("s3:PutObject",)
LIST_VERSIONS = ("s3:ListBucketVersions",)

WRITE_LOGS = ("logs:CreateLogStream", "logs:PutLogEvents")
INVOKE = ("lambda:InvokeFunction",)
READ_SECRET = ("secretsmanager:GetSecretValue",)
ROTATE_SECRET = (
    "secretsmanager:DescribeSecret",
    "secretsmanager:GetSecretValue",
    "secretsmanager:PutSecretValue",
    "secretsmanager:UpdateSecretVersionStage",
)
ASSUME = ("sts:AssumeRole",)
ASK_MODEL = ("bedrock:InvokeModelWithResponseStream",)

SPEAK_TO_CONNECTIONS = ("execute-api:ManageConnections",)
START_TURN = ("states:StartExecution",)
FOLLOW_TURN = ("states:DescribeExecution", "states:StopExecution")
STOP_TURN = ("states:StopExecution",)
LOOK_AT_TURN = ("states:DescribeExecution",)
END_TASK = ("states:SendTaskSuccess",)
KEEP_TASK = ("states:SendTaskHeartbeat",)

# Object keys are {user}/{kind}/…; a pattern without a user reaches everybody's.
EVERYBODYS = "object keys begin with the person: our own code serves all people, tools get credentials of one call"
FILES = ("*/uploads/*", "*/artifacts/*", "*/deferred/*")
MADE_FILES = ("*/artifacts/*", "*/deferred/*")
UPLOADS = "*/uploads/*"
TURNS = "*/turns/*"
TEXTS = "*/turns/*/texts/*"


def statement(*actions: str, on: Sequence[str]) -> iam.PolicyStatement:
    """Allow these actions on these resources."""
    return iam.PolicyStatement(actions=list(actions), resources=list(on))


def may(function: lambda_.Function, *actions: str, on: Sequence[str], because: str = "") -> None:
    """Allow a function these actions on these resources. Raises ValueError for a wildcard without a reason."""
    function.add_to_role_policy(statement(*actions, on=on))
    acknowledge_wildcards(cast("Construct", function.role), on, because)


def secret_arn(scope: Construct, name: str) -> str:
    """Return the address of the secret of this name: Secrets Manager puts six characters of its own behind it."""
    return Stack.of(scope).format_arn(
        service="secretsmanager",
        resource="secret",
        resource_name=f"{name}-??????",
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )
