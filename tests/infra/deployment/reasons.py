"""Why a function may do what no run of the tests sees it do. Every other permission is used in one (``story``)."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple


class Reason(NamedTuple):
    """What goes unseen, in shell patterns: whose permission, its action and its resource; and why it is given."""

    who: str
    action: str
    resource: str
    why: str


_RECORDS = "granted with the other ways to read and write items: which of them it takes is the adapter's affair"
_GRANTED_TOGETHER = {
    "dynamodb:GetItem": ("Expire",),
    "dynamodb:BatchGetItem": ("Approval", "Erase", "Finish", "Normalize", "Push", "Refresh", "Sockets"),
    "dynamodb:Query": ("Approval", "Normalize", "Refresh", "Sockets"),
    "dynamodb:PutItem": ("Endsession", "Erase", "Expire", "Push"),
    "dynamodb:UpdateItem": ("Refresh", "Sockets"),
}
_ENDING = "where files do not outlive sessions, by a setting, these go with their session, too"
_GIVEN_UP = "boto3 gives up an upload of which a part failed"
_BY_LAMBDA = "done by Lambda itself, with the function's role"

REASONS = (
    Reason("*", "logs:*", "*", _BY_LAMBDA),
    Reason("*", "sqs:SendMessage*", "*", _BY_LAMBDA),
    Reason("*", "sqs:Get*", "*", _BY_LAMBDA),
    Reason("Push", "dynamodb:DescribeStream*", "*", _BY_LAMBDA),
    Reason("Push", "dynamodb:GetRecords", "*", _BY_LAMBDA),
    Reason("Push", "dynamodb:GetShardIterator", "*", _BY_LAMBDA),
    Reason("Push", "dynamodb:ListStreams", "*", _BY_LAMBDA),
    Reason("*", "s3:ListBucket", "*", "without it S3 answers that what is absent may not be read"),
    *(Reason(who, "s3:AbortMultipartUpload", "*", _GIVEN_UP) for who in ("Call", "Dispatch", "Think")),
    Reason("Run*", "states:SendTaskHeartbeat", "*", "a call shorter than a beat has none"),
    Reason(
        "Think", "s3:GetObject", "*/texts/*", "a message of over 300 KB lies there, which the model has to be shown"
    ),
    *(Reason(who, action, "*", _RECORDS) for action, whose in _GRANTED_TOGETHER.items() for who in whose),
    Reason("Endsession", "dynamodb:BatchWriteItem", "*", "the events go when its grace is over, mostly in a sweep"),
    Reason("Endsession", "s3:DeleteObjectVersion", "*/uploads/*", _ENDING),
    Reason("Endsession", "s3:DeleteObjectVersion", "*/deferred/*", _ENDING),
    Reason("Expire", "s3:DeleteObjectVersion", "*/uploads/*", _ENDING),
    Reason(
        "Api",
        "s3:DeleteObjectTagging",
        "*/uploads/*",
        "where files do not outlive sessions, an upload can be kept like a temporary file",
    ),
    Reason("Push", "execute-api:*", "*/DELETE/@connections/*", "ends a connection that takes nothing for a while"),
)


def reasons_for(who: str, action: str, resource: str) -> Iterator[str]:
    """Give the reasons for a permission that no run used."""
    for reason in REASONS:
        pairs = ((reason.who, who), (reason.action, action), (reason.resource, resource))
        if all(fnmatchcase(value, pattern) for pattern, value in pairs):
            yield reason.why
