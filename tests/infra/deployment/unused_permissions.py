"""Reasons for permissions that no run of the tests uses. The run (``scenario``) uses all others."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple


class Reason(NamedTuple):
    """Shell patterns for the role, the actions and the resources of unused permissions, and the reason for them."""

    role: str
    action: str
    resource: str
    reason: str


_GROUP_REASON = "granted as a group with the other item requests; the adapter decides which of them it sends"
_GROUPED_ACTIONS = {
    "dynamodb:GetItem": ("Expire", "Finish", "Think"),
    "dynamodb:BatchGetItem": ("Erase", "Finish", "Push", "Refresh", "Sockets", "Think"),
    "dynamodb:Query": ("Refresh", "Sockets"),
    "dynamodb:PutItem": ("EndSession", "Erase", "Expire", "Push"),
    "dynamodb:UpdateItem": ("Refresh", "Sockets", "Think"),
}
_SESSION_FILES = "if the setting limits files to their session, these are deleted with the session, too"
_DELETED = "a conversation that its user deletes is removed after a grace period"
_FAST_PAGE = "sends the text of an answer to pages that follow the turn by then; the stream sends it to the others"
_DEAD_PAGE = "disconnects a client that accepts no messages for a while"
_FAILED_PART = "boto3 aborts an upload if a part fails"
_BY_LAMBDA = "used by the AWS service itself, with this role"

REASONS = (
    Reason("*", "logs:*", "*", _BY_LAMBDA),
    Reason("*", "sqs:SendMessage*", "*", _BY_LAMBDA),
    Reason("*", "sqs:Get*", "*", _BY_LAMBDA),
    Reason("Think", "lambda:InvokeFunction", "*", _BY_LAMBDA),
    Reason("Push", "dynamodb:DescribeStream*", "*", _BY_LAMBDA),
    Reason("Push", "dynamodb:GetRecords", "*", _BY_LAMBDA),
    Reason("Push", "dynamodb:GetShardIterator", "*", _BY_LAMBDA),
    Reason("Push", "dynamodb:ListStreams", "*", _BY_LAMBDA),
    Reason("*", "s3:ListBucket", "*", "without it, S3 answers 403 instead of 404 for an absent object"),
    *(Reason(role, "s3:AbortMultipartUpload", "*", _FAILED_PART) for role in ("Call", "Dispatch", "Think")),
    Reason("Run*", "states:SendTask*", "*", "the runner of a short call, for which Dispatch waits, sends nothing"),
    Reason("Call", "s3:*", "*/turns/*", "the report of a call is an object only if it has more than 8 KB"),
    Reason("Dispatch", "states:SendTaskFailure", "*", "asks the user again, if an execution of the turn is repeated"),
    Reason("Api", "states:SendTaskSuccess", "*", "continues a call when the user has answered the tool's questions"),
    Reason("Call", "dynamodb:GetItem", "*", "reads a claim again if the response of its write was lost"),
    Reason("Think", "s3:GetObject", "*/texts/*", "the model needs messages of over 300 KB, which are stored there"),
    Reason("Think", "s3:GetObject", "*/uploads/*", "a model sees attached pictures"),
    Reason("Push", "s3:GetObject", "*/texts/*", "a running tool may ask the user in a call whose arguments are there"),
    Reason("Expire", "s3:GetObject", "*/texts/*", "a stuck turn may have arguments of calls that are stored there"),
    *(Reason(role, action, "*", _GROUP_REASON) for action, roles in _GROUPED_ACTIONS.items() for role in roles),
    Reason("EndSession", "dynamodb:BatchWriteItem", "*", "events are deleted after a grace period, mostly by a sweep"),
    Reason("EndSession", "s3:DeleteObject*", "*/uploads/*", _SESSION_FILES),
    Reason("EndSession", "s3:DeleteObject*", "*/deferred/*", _SESSION_FILES),
    Reason("Expire", "s3:DeleteObject*", "*/uploads/*", _SESSION_FILES),
    *(Reason(role, "s3:DeleteObject*", "*/turns/*", _DELETED) for role in ("EndSession", "Expire")),
    Reason(
        "Api",
        "s3:DeleteObjectTagging",
        "*/uploads/*",
        "if the setting limits files to their session, users can keep an upload like a temporary file",
    ),
    Reason("Api", "kms:Sign", "*", "signs tokens of dashboards, whose origins a deployment allows by a setting"),
    *(Reason(role, "execute-api:*", "*/DELETE/@connections/*", _DEAD_PAGE) for role in ("Push", "Think")),
    Reason("Think", "execute-api:*", "*/POST/@connections/*", _FAST_PAGE),
    Reason("Think", "dynamodb:DeleteItem", "*", _FAST_PAGE),
)


def reasons_for(role: str, action: str, resource: str) -> Iterator[str]:
    """Yield the reasons for an unused permission."""
    for each in REASONS:
        pairs = ((each.role, role), (each.action, action), (each.resource, resource))
        if all(fnmatchcase(value, pattern) for pattern, value in pairs):
            yield each.reason
