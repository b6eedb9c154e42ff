"""The session policy of a call's credentials: its exact text, and the requests that it allows."""

import json
from typing import Any, cast

import pytest

from satchel.adapters.sts_credentials import StsCredentials
from satchel.domain.ids import SessionId, TurnId, UserName, call_id
from satchel.domain.object_keys import call_objects_prefixes, outcome_key
from satchel.ports.runners import Conversation, ScopedCredentials
from tests.iam_policies import allows

TURN, OTHER_TURN = TurnId("t01kabcdefghjkmnpqrstvwxyz0"), TurnId("t01kabcdefghjkmnpqrstvwxyz1")
CALL, OTHER_CALL = call_id(TURN, 0, 0), call_id(TURN, 0, 1)
PREFIXES, OUTCOME = call_objects_prefixes(UserName("ada"), CALL), outcome_key(UserName("ada"), TURN, CALL)
SOURCE = StsCredentials(cast("Any", None), "arn:aws:iam::1:role/call", "files", "records")
POLICY = SOURCE.policy(CALL, PREFIXES, OUTCOME)
TABLE = "arn:aws:dynamodb:eu-central-1:123456789012:table/records"


class FakeSts:
    """One operation of STS, which records its arguments."""

    def assume_role(self, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401  (arguments of boto3)
        self.arguments = arguments
        return {"Credentials": {"AccessKeyId": "id", "SecretAccessKey": "secret", "SessionToken": "token"}}


def test_credentials_are_those_of_the_role_with_the_policy_of_the_call() -> None:
    sts = FakeSts()
    source = StsCredentials(cast("Any", sts), SOURCE.role_arn, SOURCE.bucket, SOURCE.table)

    credentials = source.for_call(CALL, PREFIXES, OUTCOME)

    assert credentials == ScopedCredentials(access_key_id="id", secret_access_key="secret", session_token="token")
    assert json.loads(sts.arguments.pop("Policy")) == POLICY
    assert sts.arguments == {"RoleArn": "arn:aws:iam::1:role/call", "RoleSessionName": CALL, "DurationSeconds": 3600}


def test_credentials_for_a_conversation_have_its_policy() -> None:
    sts, conversation = FakeSts(), Conversation(SessionId("s01kabcdefghjkmnpqrstvwxyz0"), "shop")
    source = StsCredentials(cast("Any", sts), SOURCE.role_arn, SOURCE.bucket, SOURCE.table)

    source.for_call(CALL, PREFIXES, OUTCOME, conversation)

    policy = json.loads(sts.arguments["Policy"])
    assert policy == SOURCE.policy(CALL, PREFIXES, OUTCOME, conversation)
    assert policy != POLICY


def test_policy_allows_the_calls_objects_and_items() -> None:
    prefixes = [f"ada@x.org/{kind}/20260301/f01kab" for kind in ("artifacts", "deferred")]

    policy = SOURCE.policy(CALL, prefixes, f"ada@x.org/turns/{TURN}/c/outcome.json")

    assert policy == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": ["s3:PutObject", "s3:PutObjectTagging", "s3:AbortMultipartUpload"],
                "Resource": [
                    "arn:aws:s3:::files/ada@x.org/artifacts/20260301/f01kab*",
                    "arn:aws:s3:::files/ada@x.org/deferred/20260301/f01kab*",
                    f"arn:aws:s3:::files/ada@x.org/turns/{TURN}/c/outcome.json",
                ],
            },
            {
                "Effect": "Allow",
                "Action": ["dynamodb:GetItem", "dynamodb:PutItem"],
                "Resource": ["arn:aws:dynamodb:*:*:table/records"],
                "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": [f"RUN#{CALL}"]}},
            },
        ],
    }


@pytest.mark.parametrize("partition", ["aws", "aws-cn", "aws-us-gov"])
def test_policy_names_resources_in_the_partition_of_the_role(partition: str) -> None:
    source = StsCredentials(cast("Any", None), f"arn:{partition}:iam::1:role/call", "files", "records")

    statements = source.policy(CALL, PREFIXES, OUTCOME)["Statement"]

    arns = [arn for statement in statements for arn in statement["Resource"]]
    assert {arn.split(":")[1] for arn in arns} == {partition}


@pytest.mark.clause("v2.1:storage:apart")
def test_policy_excludes_a_user_whose_name_begins_with_the_same_characters() -> None:
    """``ada`` is a prefix of ``ada2``; the slash after the name separates them."""
    [objects, _] = SOURCE.policy(CALL, ["ada/artifacts/20260301/f01kab"], "ada/turns/x")["Statement"]

    assert not any(resource.startswith("arn:aws:s3:::files/ada2/") for resource in objects["Resource"])
    assert all(resource.startswith("arn:aws:s3:::files/ada/") for resource in objects["Resource"])


def allows_object(action: str, key: str) -> bool:
    return allows(POLICY, action, f"arn:aws:s3:::files/{key}")


def allows_items(action: str, *partitions: str) -> bool:
    return allows(POLICY, action, TABLE, {"dynamodb:LeadingKeys": partitions})


def test_call_may_store_its_artifacts_and_outcome() -> None:
    for prefix in PREFIXES:
        assert allows_object("s3:PutObject", f"{prefix}x/report.html")
        assert allows_object("s3:PutObjectTagging", f"{prefix}x/report.html")
    assert allows_object("s3:PutObject", OUTCOME)


@pytest.mark.clause("v2.1:storage:apart")
@pytest.mark.parametrize(
    "key",
    [
        *(f"{prefix}x/report.html" for prefix in call_objects_prefixes(UserName("ada"), OTHER_CALL)),
        *call_objects_prefixes(UserName("ada2"), CALL),
        *call_objects_prefixes(UserName("bob"), CALL),
        outcome_key(UserName("ada"), TURN, OTHER_CALL),
        outcome_key(UserName("ada"), OTHER_TURN, CALL),
        outcome_key(UserName("bob"), TURN, CALL),
        "ada/uploads/20260301/f01/secret.csv",
        f"x{OUTCOME}",
        f"{OUTCOME}.bak",
        "",
    ],
)
def test_call_may_not_store_other_objects(key: str) -> None:
    assert not allows_object("s3:PutObject", key)


@pytest.mark.parametrize("action", ["s3:GetObject", "s3:DeleteObject", "s3:ListBucket", "s3:PutObjectAcl"])
def test_call_may_not_read_delete_or_list_its_own_objects(action: str) -> None:
    assert not allows_object(action, f"{PREFIXES[0]}x/report.html")
    assert not allows(POLICY, action, "arn:aws:s3:::files")


def test_call_may_not_use_other_buckets_or_tables() -> None:
    assert not allows(POLICY, "s3:PutObject", f"arn:aws:s3:::files2/{OUTCOME}")
    own = {"dynamodb:LeadingKeys": [f"RUN#{CALL}"]}
    assert not allows(POLICY, "dynamodb:PutItem", f"{TABLE}2", own)
    assert not allows(POLICY, "dynamodb:PutItem", f"{TABLE}/index/by-name", own)


@pytest.mark.parametrize("action", ["dynamodb:GetItem", "dynamodb:PutItem"])
def test_call_may_use_its_own_items_only(action: str) -> None:
    others = (f"RUN#{OTHER_CALL}", f"RUN#{CALL}0", f"TURN#{TURN}", f"TURN#{OTHER_TURN}", f"CALLS#{TURN}", "USER#ada")
    assert allows_items(action, f"RUN#{CALL}")
    assert [partition for partition in others if allows_items(action, partition)] == []
    assert not allows_items(action, f"RUN#{CALL}", f"TURN#{TURN}")


@pytest.mark.parametrize(
    "action",
    [
        "dynamodb:UpdateItem",
        "dynamodb:Query",
        "dynamodb:Scan",
        "dynamodb:DeleteItem",
        "dynamodb:BatchWriteItem",
        "sts:AssumeRole",
    ],
)
def test_call_may_not_change_delete_or_list_its_own_items(action: str) -> None:
    assert not allows_items(action, f"RUN#{CALL}")


def test_call_of_a_remote_server_may_also_store_the_session_of_its_conversation() -> None:
    conversation = Conversation(SessionId("s01kabcdefghjkmnpqrstvwxyz0"), "shop")

    policy = SOURCE.policy(CALL, PREFIXES, OUTCOME, conversation)

    own, other = f"RUN#{conversation.session_id}#shop", f"RUN#{conversation.session_id}#shop2"
    assert allows(policy, "dynamodb:PutItem", TABLE, {"dynamodb:LeadingKeys": [own]})
    assert not allows(policy, "dynamodb:PutItem", TABLE, {"dynamodb:LeadingKeys": [other]})
    assert not allows_items("dynamodb:GetItem", own)
