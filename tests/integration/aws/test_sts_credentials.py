import json
from typing import Any

import boto3
import pytest

from satchel.adapters.sts_credentials import StsCredentials
from satchel.domain.ids import TurnId, UserName, call_id
from satchel.domain.object_keys import call_objects_prefixes, outcome_key
from satchel.ports.runners import ScopedCredentials
from tests.integration.aws.makers import fresh

TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": "123456789012"}, "Action": "sts:AssumeRole"}],
}


@pytest.fixture
def sts(cloud: None) -> Any:  # noqa: ANN401  (a client of boto3's)
    del cloud
    return boto3.client("sts")


@pytest.fixture
def role(cloud: None) -> str:
    del cloud
    made = boto3.client("iam").create_role(RoleName=f"call-{fresh('s')}", AssumeRolePolicyDocument=json.dumps(TRUST))
    return str(made["Role"]["Arn"])


def test_a_call_gets_credentials_of_the_role_named_by_its_turn(sts: Any, role: str) -> None:  # noqa: ANN401
    turn_id = TurnId(fresh("t"))
    asked: list[dict[str, Any]] = []
    sts.meta.events.register("provide-client-params.sts.AssumeRole", lambda params, **_more: asked.append(dict(params)))
    source = StsCredentials(sts, role, "bucket", "table")

    credentials = source.for_call(turn_id, ["ada/artifacts/20260301/f01"], "ada/turns/t/c/outcome.json")

    assert isinstance(credentials, ScopedCredentials)
    me = boto3.client(
        "sts",
        aws_access_key_id=credentials.access_key_id,
        aws_secret_access_key=credentials.secret_access_key,
        aws_session_token=credentials.session_token,
    ).get_caller_identity()["Arn"]
    assert me.endswith(f":assumed-role/{role.rpartition('/')[2]}/{turn_id}")
    [params] = asked
    assert json.loads(params.pop("Policy")) == source.policy(
        turn_id, ["ada/artifacts/20260301/f01"], "ada/turns/t/c/outcome.json"
    )
    assert params == {"RoleArn": role, "RoleSessionName": turn_id, "DurationSeconds": 3600}


def test_two_calls_have_two_sets_of_keys(sts: Any, role: str) -> None:  # noqa: ANN401  (a client of boto3's)
    source = StsCredentials(sts, role, "bucket", "table")

    one, two = (source.for_call(TurnId(fresh("t")), ["ada/artifacts/"], "ada/turns/x") for _ in range(2))

    assert one.access_key_id != two.access_key_id


def test_the_policy_fits_into_what_the_service_takes_whatever_the_names() -> None:
    """AssumeRole takes 2,048 characters; the longest names are 64 for a person, 63 for a bucket, 255 for a table."""
    turn, user = TurnId(fresh("t")), UserName("u" * 64)
    call = call_id(turn, 99, 999)
    source = StsCredentials(boto3.client("sts"), "arn:aws:iam::1:role/x", "b" * 63, "t" * 255)

    policy = source.policy(turn, call_objects_prefixes(user, call), outcome_key(user, turn, call))

    assert len(json.dumps(policy)) <= 2048
