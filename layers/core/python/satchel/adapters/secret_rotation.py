"""Rotation of the signing keys, in the four steps in which Secrets Manager calls for it.

Every step may come twice. The new value lies under the stage AWSPENDING until the last step makes it AWSCURRENT.
"""

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from satchel.adapters.signing_keys import SigningKeys

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

_CURRENT, _PENDING = "AWSCURRENT", "AWSPENDING"
_KEY_BYTES = 48


@dataclass(frozen=True)
class SecretRotation:
    """The keys are used by us alone: there is nobody to be told of them (``setSecret``)."""

    client: "SecretsManagerClient"

    def __call__(self, step: str, secret: str, version: str) -> None:
        """Take a step towards a version of a secret. Raises ValueError for one that is not asked for."""
        stages = self.client.describe_secret(SecretId=secret).get("VersionIdsToStages", {})
        if _CURRENT in stages.get(version, []):
            return
        if _PENDING not in stages.get(version, []):
            raise ValueError(f"no rotation to the version {version} was begun")
        steps = {"createSecret": self._create, "setSecret": self._set, "testSecret": self._test}
        if step == "finishSecret":
            self._finish(secret, version, next(each for each, names in stages.items() if _CURRENT in names))
        else:
            steps[step](secret, version)

    def _create(self, secret: str, version: str) -> None:
        try:
            self._keys(secret, _PENDING, version)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ResourceNotFoundException":
                raise
            fresh = secrets.token_urlsafe(_KEY_BYTES), secrets.token_urlsafe(_KEY_BYTES)
            made = self._keys(secret, _CURRENT).rotated(fresh).text()
            self.client.put_secret_value(
                SecretId=secret, ClientRequestToken=version, SecretString=made, VersionStages=[_PENDING]
            )

    def _set(self, secret: str, version: str) -> None:
        """Nothing else knows the keys."""

    def _test(self, secret: str, version: str) -> None:
        """What was signed until now must be read by the new keys, and the key that signs next be another one."""
        current, made = self._keys(secret, _CURRENT), self._keys(secret, _PENDING, version)
        if made.keys.get(current.newest) != current.keys[current.newest] or made.newest == current.newest:
            raise ValueError("the new signing keys do not follow those of now")

    def _finish(self, secret: str, version: str, current: str) -> None:
        self.client.update_secret_version_stage(
            SecretId=secret, VersionStage=_CURRENT, MoveToVersionId=version, RemoveFromVersionId=current
        )
        self.client.update_secret_version_stage(SecretId=secret, VersionStage=_PENDING, RemoveFromVersionId=version)

    def _keys(self, secret: str, stage: str, version: str | None = None) -> SigningKeys:
        of = {"VersionId": version} if version else {}
        found = self.client.get_secret_value(SecretId=secret, VersionStage=stage, **of)
        return SigningKeys.parse(found["SecretString"])
