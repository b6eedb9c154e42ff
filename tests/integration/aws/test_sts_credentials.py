import json
from typing import Any

import boto3
import pytest

from satchel.adapters.sts_credentials import StsCredentials
from satchel.domain.ids import UserName, call_id
from satchel.domain.object_keys import call_objects_prefixes, outcome_key
from satchel.ports.runners import ScopedCredentials
from tests.integration.aws.factories import new_session_id, new_turn_id

TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": "123456789012"}, "Action": "sts:AssumeRole"}],
}


@pytest.fixture
def sts(cloud: None) -> Any:  # noqa: ANN401  (a boto3 client)
    del cloud
    return boto3.client("sts")


@pytest.fixture
def role(cloud: None) -> str:
    del cloud
    created = boto3.client("iam").create_role(
        RoleName=f"call-{new_session_id()}", AssumeRolePolicyDocument=json.dumps(TRUST)
    )
    return str(created["Role"]["Arn"])


def test_credentials_are_of_the_role_with_the_call_as_session_name(sts: Any, role: str) -> None:  # noqa: ANN401
    call = call_id(new_turn_id(), 0, 0)
    requests: list[dict[str, Any]] = []
    sts.meta.events.register(
        "provide-client-params.sts.AssumeRole", lambda params, **_kwargs: requests.append(dict(params))
    )
    source = StsCredentials(sts, role, "bucket", "table")

    credentials = source.for_call(call, ["ada/artifacts/20260301/f01"], "ada/turns/t/c/outcome.json")

    assert isinstance(credentials, ScopedCredentials)
    caller_arn = boto3.client(
        "sts",
        aws_access_key_id=credentials.access_key_id,
        aws_secret_access_key=credentials.secret_access_key,
        aws_session_token=credentials.session_token,
    ).get_caller_identity()["Arn"]
    assert caller_arn.endswith(f":assumed-role/{role.rpartition('/')[2]}/{call}")
    [params] = requests
    assert json.loads(params.pop("Policy")) == source.policy(
        call, ["ada/artifacts/20260301/f01"], "ada/turns/t/c/outcome.json"
    )
    assert params == {"RoleArn": role, "RoleSessionName": call, "DurationSeconds": 3600}


def test_each_call_gets_different_credentials(sts: Any, role: str) -> None:  # noqa: ANN401  (a boto3 client)
    source = StsCredentials(sts, role, "bucket", "table")

    one, two = (source.for_call(call_id(new_turn_id(), 0, 0), ["ada/artifacts/"], "ada/turns/x") for _ in range(2))

    assert one.access_key_id != two.access_key_id


def test_policy_of_the_longest_names_is_within_the_size_limit() -> None:
    """AssumeRole accepts 2,048 characters. The longest names have 64 (user), 63 (bucket) and 255 (table)."""
    turn, user = new_turn_id(), UserName("u" * 64)
    call = call_id(turn, 99, 999)
    source = StsCredentials(boto3.client("sts"), "arn:aws:iam::1:role/x", "b" * 63, "t" * 255)

    policy = source.policy(call, call_objects_prefixes(user, call), outcome_key(user, turn, call))

    assert len(json.dumps(policy)) <= 2048
