"""The four steps of a rotation, against a Secrets Manager in memory."""

from typing import TYPE_CHECKING, Any, cast

import pytest
from botocore.exceptions import ClientError

from satchel.adapters.signing_keys import SecretRotation, SigningKeys

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

SECRET = "arn:aws:secretsmanager:eu-central-1:1:secret:keys"
OLD, NEW = "version-1", "version-2"
FIRST = SigningKeys(newest="k1", keys={"k1": "o" * 64})
STEPS = ("createSecret", "setSecret", "testSecret", "finishSecret")


class FakeSecretsManager:
    """Four operations of Secrets Manager, with the versions of one secret: their stages and texts."""

    def __init__(self) -> None:
        self.stages = {OLD: ["AWSCURRENT"], NEW: ["AWSPENDING"]}
        self.texts = {OLD: FIRST.text()}
        self.error = "ResourceNotFoundException"

    def describe_secret(self, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401  (arguments of boto3)
        assert arguments == {"SecretId": SECRET}
        return {"VersionIdsToStages": {version: list(stages) for version, stages in self.stages.items() if stages}}

    def get_secret_value(self, **arguments: Any) -> dict[str, str]:  # noqa: ANN401  (the same)
        assert arguments.pop("SecretId") == SECRET
        stage = arguments.pop("VersionStage")
        [version] = (version for version, stages in self.stages.items() if stage in stages)
        assert arguments == ({} if stage == "AWSCURRENT" else {"VersionId": NEW})
        if version not in self.texts:
            raise ClientError({"Error": {"Code": self.error, "Message": ""}}, "GetSecretValue")
        return {"SecretString": self.texts[version]}

    def put_secret_value(self, **arguments: Any) -> None:  # noqa: ANN401  (the same)
        text = arguments.pop("SecretString")
        assert arguments == {"SecretId": SECRET, "ClientRequestToken": NEW, "VersionStages": ["AWSPENDING"]}
        self.texts[NEW] = text

    def update_secret_version_stage(self, **arguments: Any) -> None:  # noqa: ANN401  (the same)
        assert arguments.pop("SecretId") == SECRET
        stage = arguments.pop("VersionStage")
        self.stages[arguments.pop("RemoveFromVersionId")].remove(stage)
        if arguments:
            self.stages[arguments.pop("MoveToVersionId")].append(stage)
        assert arguments == {}

    def keys(self, version: str) -> SigningKeys:
        """Return the keys of a version."""
        return SigningKeys.parse(self.texts[version])


@pytest.fixture
def secrets() -> FakeSecretsManager:
    return FakeSecretsManager()


@pytest.fixture
def rotation(secrets: FakeSecretsManager) -> SecretRotation:
    return SecretRotation(cast("SecretsManagerClient", secrets))


def test_rotation_signs_with_a_new_key_and_keeps_the_old_one(
    secrets: FakeSecretsManager, rotation: SecretRotation
) -> None:
    for step in STEPS:
        rotation(step, SECRET, NEW)
        rotation(step, SECRET, NEW)

    assert secrets.stages == {OLD: [], NEW: ["AWSCURRENT"]}
    keys = secrets.keys(NEW)
    assert (keys.newest, list(keys.keys), keys.keys["k1"]) == ("k2", ["k1", "k2", "k3"], FIRST.keys["k1"])
    assert len(set(keys.keys.values())) == 3


def test_new_keys_have_48_random_bytes(secrets: FakeSecretsManager, rotation: SecretRotation) -> None:
    rotation("createSecret", SECRET, NEW)

    assert [len(secrets.keys(NEW).keys[key]) for key in ("k2", "k3")] == [64, 64]  # base64


def test_repeated_creation_keeps_the_pending_keys(secrets: FakeSecretsManager, rotation: SecretRotation) -> None:
    rotation("createSecret", SECRET, NEW)
    created = secrets.texts[NEW]

    rotation("createSecret", SECRET, NEW)

    assert secrets.texts[NEW] == created


def test_creation_fails_if_the_pending_version_cannot_be_read(
    secrets: FakeSecretsManager, rotation: SecretRotation
) -> None:
    secrets.error = "AccessDeniedException"

    with pytest.raises(ClientError, match="AccessDeniedException"):
        rotation("createSecret", SECRET, NEW)
    assert NEW not in secrets.texts


@pytest.mark.parametrize("step", STEPS)
def test_finished_rotation_is_not_repeated(secrets: FakeSecretsManager, rotation: SecretRotation, step: str) -> None:
    secrets.stages = {OLD: ["AWSPREVIOUS"], NEW: ["AWSCURRENT", "AWSPENDING"]}

    rotation(step, SECRET, NEW)

    assert secrets.stages == {OLD: ["AWSPREVIOUS"], NEW: ["AWSCURRENT", "AWSPENDING"]}
    assert NEW not in secrets.texts


@pytest.mark.parametrize("stages", [{OLD: ["AWSCURRENT"]}, {OLD: ["AWSCURRENT"], NEW: ["AWSPREVIOUS"]}, {}])
def test_version_that_is_not_pending_is_rejected(
    secrets: FakeSecretsManager, rotation: SecretRotation, stages: dict[str, list[str]]
) -> None:
    secrets.stages = stages

    with pytest.raises(ValueError, match=r"^the version version-2 is not a pending rotation$"):
        rotation("createSecret", SECRET, NEW)


def test_secret_without_versions_is_rejected(secrets: FakeSecretsManager, rotation: SecretRotation) -> None:
    secrets.describe_secret = lambda **_arguments: {}  # type: ignore[method-assign]  # a secret that was never set

    with pytest.raises(ValueError, match="is not a pending rotation"):
        rotation("createSecret", SECRET, NEW)


@pytest.mark.parametrize(
    "pending",
    [
        FIRST,  # signs with the current key
        SigningKeys(newest="k2", keys={"k2": "n" * 64}),  # without the current key
        SigningKeys(newest="k2", keys={"k1": "x" * 64, "k2": "n" * 64}),  # with another key of the same id
    ],
)
def test_pending_keys_that_do_not_follow_the_current_ones_are_rejected(
    secrets: FakeSecretsManager, rotation: SecretRotation, pending: SigningKeys
) -> None:
    secrets.texts[NEW] = pending.text()

    with pytest.raises(ValueError, match=r"^the pending signing keys do not follow the current ones$"):
        rotation("testSecret", SECRET, NEW)


def test_unknown_step_is_rejected(rotation: SecretRotation) -> None:
    with pytest.raises(KeyError, match="resetSecret"):
        rotation("resetSecret", SECRET, NEW)
