"""The function that changes the signing keys, called as Secrets Manager calls it."""

import json
import uuid
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from functions.rotate.handler import handler
from local.aws import resources
from local.aws.cloud import LocalCloud
from satchel.adapters.jwt_signer import JwtSigner
from satchel.adapters.secret_rotation import SecretRotation
from satchel.adapters.signing_keys import SigningKeys
from satchel.adapters.system_clock import SystemClock
from satchel.bootstrap import rotate
from satchel.domain.capabilities import EraseClaims

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

FIRST = SigningKeys(newest="k1", keys={"k1": "o" * 64})
CLAIMS = EraseClaims(owner="alice@example.com", exp=1 << 40)
STEPS = ("createSecret", "setSecret", "testSecret", "finishSecret")


@pytest.fixture
def client(cloud: LocalCloud) -> "SecretsManagerClient":
    del cloud
    rotate.build.cache_clear()
    return boto3.client("secretsmanager")


@pytest.fixture
def secret(client: "SecretsManagerClient") -> str:
    """A secret as it is after its first deployment."""
    name = f"keys-{uuid.uuid4().hex}"
    return client.create_secret(Name=name, SecretString=FIRST.text())["ARN"]


def every_step_twice(event: Any, context: object) -> None:  # noqa: ANN401  (what Secrets Manager sends)
    handler(event, context)
    handler(event, context)


def rotated(client: "SecretsManagerClient", secret: str) -> None:
    function = resources.create_function(
        f"rotate-{uuid.uuid4().hex[:8]}", every_step_twice, role=resources.create_role(uuid.uuid4().hex), timeout=10
    )
    client.rotate_secret(SecretId=secret, RotationLambdaARN=function)


def keys_of(client: "SecretsManagerClient", secret: str) -> SigningKeys:
    return SigningKeys.parse(client.get_secret_value(SecretId=secret)["SecretString"])


def test_it_changes_the_key_that_signs_and_keeps_the_one_before(client: "SecretsManagerClient", secret: str) -> None:
    rotated(client, secret)

    keys = keys_of(client, secret)
    assert (keys.newest, set(keys.keys), keys.keys["k1"]) == ("k2", {"k1", "k2", "k3"}, FIRST.keys["k1"])
    assert len(set(keys.keys.values())) == 3
    assert min(map(len, keys.keys.values())) >= 64


def test_after_one_change_an_old_token_is_read_after_two_it_is_none(
    client: "SecretsManagerClient", secret: str
) -> None:
    signer = JwtSigner(lambda: keys_of(client, secret), SystemClock())
    token = signer.sign(CLAIMS)

    rotated(client, secret)
    assert signer.read_confirmation(token) == CLAIMS
    rotated(client, secret)
    assert signer.read_confirmation(token) is None
    assert signer.read_confirmation(signer.sign(CLAIMS)) == CLAIMS


def test_nothing_is_current_before_the_last_step(client: "SecretsManagerClient", secret: str) -> None:
    version, rotation = str(uuid.uuid4()), SecretRotation(client)
    pending = {"ClientRequestToken": version, "VersionStages": ["AWSPENDING"]}
    other = SigningKeys(newest="k9", keys={"k9": "x" * 64}).text()
    client.put_secret_value(SecretId=secret, SecretString=other, **pending)  # type: ignore[arg-type]  # as many words

    for step in STEPS[:2]:
        rotation(step, secret, version)
    with pytest.raises(ValueError, match="do not follow"):
        rotation("testSecret", secret, version)

    assert keys_of(client, secret) == FIRST


def test_a_version_that_nobody_asked_for_is_refused(client: "SecretsManagerClient", secret: str) -> None:
    for step in STEPS:
        with pytest.raises(ValueError, match="was begun"):
            SecretRotation(client)(step, secret, str(uuid.uuid4()))

    assert json.loads(client.get_secret_value(SecretId=secret)["SecretString"]) == json.loads(FIRST.text())
