"""Creates temporary credentials for each tool call. All calls share a role; a session policy restricts each call."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from satchel.adapters.dynamodb.items import runner_partition
from satchel.adapters.dynamodb.server_sessions import session_partition
from satchel.domain.ids import CallId
from satchel.ports.runners import Conversation, ScopedCredentials

if TYPE_CHECKING:
    from mypy_boto3_sts import STSClient

_DURATION_SECONDS = 3600


@dataclass(frozen=True)
class StsCredentials:
    """Create the credentials of tool calls with STS. Implements ``ports.runners.CredentialSource``."""

    client: "STSClient"
    role_arn: str
    bucket: str
    table: str

    def for_call(
        self,
        call_id: CallId,
        objects_prefixes: Sequence[str],
        outcome_key: str,
        conversation: Conversation | None = None,
    ) -> ScopedCredentials:
        credentials = self.client.assume_role(
            RoleArn=self.role_arn,
            RoleSessionName=call_id,
            DurationSeconds=_DURATION_SECONDS,
            Policy=json.dumps(self.policy(call_id, objects_prefixes, outcome_key, conversation)),
        )["Credentials"]
        return ScopedCredentials(
            access_key_id=credentials["AccessKeyId"],
            secret_access_key=credentials["SecretAccessKey"],
            session_token=credentials["SessionToken"],
        )

    def policy(
        self,
        call_id: CallId,
        objects_prefixes: Sequence[str],
        outcome_key: str,
        conversation: Conversation | None = None,
    ) -> dict[str, Any]:
        """Return the policy that restricts a call. Prefixes need no escaping: user names contain no ``*`` or ``?``."""
        partition = self.role_arn.split(":")[1]  # aws, aws-cn or aws-us-gov
        items = [runner_partition(call_id), *([session_partition(conversation)] if conversation else [])]
        bucket = f"arn:{partition}:s3:::{self.bucket}"
        return {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Action": ["s3:PutObject", "s3:PutObjectTagging", "s3:AbortMultipartUpload"],
                    "Resource": [*(f"{bucket}/{prefix}*" for prefix in objects_prefixes), f"{bucket}/{outcome_key}"],
                },
                {
                    "Effect": "Allow",
                    "Action": ["dynamodb:GetItem", "dynamodb:PutItem"],
                    "Resource": [f"arn:{partition}:dynamodb:*:*:table/{self.table}"],
                    "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": items}},
                },
            ],
        }
