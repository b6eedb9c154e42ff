"""Rotation of the signing keys, with the function called as Secrets Manager calls it."""

import json
import uuid
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from functions.rotate.handler import handler
from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from satchel.adapters.jwt_signer import JwtSigner
from satchel.adapters.signing_keys import SecretRotation, SigningKeys
from satchel.adapters.system_clock import SystemClock
from satchel.bootstrap.functions import secret_rotation
from satchel.domain.links import EraseClaims

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

FIRST = SigningKeys(newest="k1", keys={"k1": "o" * 64})
CLAIMS = EraseClaims(owner="alice@example.com", exp=1 << 40)
STEPS = ("createSecret", "setSecret", "testSecret", "finishSecret")


@pytest.fixture
def client(cloud: LocalCloud) -> "SecretsManagerClient":
    del cloud
    secret_rotation.cache_clear()
    return boto3.client("secretsmanager")


@pytest.fixture
def secret(client: "SecretsManagerClient") -> str:
    """Create a secret as it is after the first deployment, and return its ARN."""
    name = f"keys-{uuid.uuid4().hex}"
    return client.create_secret(Name=name, SecretString=FIRST.text())["ARN"]


def handle_twice(event: Any, context: object) -> None:  # noqa: ANN401  (Secrets Manager's event)
    handler(event, context)
    handler(event, context)


def rotate_secret(client: "SecretsManagerClient", secret: str) -> None:
    function = resources.create_function(
        f"rotate-{uuid.uuid4().hex[:8]}", handle_twice, role=resources.create_role(uuid.uuid4().hex), timeout=10
    )
    client.rotate_secret(SecretId=secret, RotationLambdaARN=function)


def keys_of(client: "SecretsManagerClient", secret: str) -> SigningKeys:
    return SigningKeys.parse(client.get_secret_value(SecretId=secret)["SecretString"])


def test_rotation_changes_the_signing_key_and_keeps_the_previous_one(
    client: "SecretsManagerClient", secret: str
) -> None:
    rotate_secret(client, secret)

    keys = keys_of(client, secret)
    assert (keys.newest, set(keys.keys), keys.keys["k1"]) == ("k2", {"k1", "k2", "k3"}, FIRST.keys["k1"])
    assert len(set(keys.keys.values())) == 3
    assert min(map(len, keys.keys.values())) >= 64


def test_token_is_valid_after_one_rotation_and_invalid_after_two(client: "SecretsManagerClient", secret: str) -> None:
    signer = JwtSigner(lambda: keys_of(client, secret), SystemClock())
    token = signer.sign(CLAIMS)

    rotate_secret(client, secret)
    assert signer.verify_confirmation(token) == CLAIMS
    rotate_secret(client, secret)
    assert signer.verify_confirmation(token) is None
    assert signer.verify_confirmation(signer.sign(CLAIMS)) == CLAIMS


def test_keys_do_not_change_before_the_last_step(client: "SecretsManagerClient", secret: str) -> None:
    version, rotation = str(uuid.uuid4()), SecretRotation(client)
    pending = {"ClientRequestToken": version, "VersionStages": ["AWSPENDING"]}
    other = SigningKeys(newest="k9", keys={"k9": "x" * 64}).text()
    client.put_secret_value(SecretId=secret, SecretString=other, **pending)  # type: ignore[arg-type]  # the stubs cannot check a mapping

    for step in STEPS[:2]:
        rotation(step, secret, version)
    with pytest.raises(ValueError, match="do not follow"):
        rotation("testSecret", secret, version)

    assert keys_of(client, secret) == FIRST


def test_unknown_version_is_rejected(client: "SecretsManagerClient", secret: str) -> None:
    for step in STEPS:
        with pytest.raises(ValueError, match="not a pending rotation"):
            SecretRotation(client)(step, secret, str(uuid.uuid4()))

    assert json.loads(client.get_secret_value(SecretId=secret)["SecretString"]) == json.loads(FIRST.text())
