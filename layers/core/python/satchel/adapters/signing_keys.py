"""The keys of capabilities, as they lie in the secret, and how they are changed.

Rotation of the signing keys, in the four steps in which Secrets Manager calls for it.

Every step may come twice. The new value lies under the stage AWSPENDING until the last step makes it AWSCURRENT.
"""

import json
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

_LEAST_KEY = 32  # what RFC 7518 §3.2 asks of HS256, in bytes
_KID = re.compile(r"k[0-9]{1,9}")


@dataclass(frozen=True)
class SigningKeys:
    """The newest key signs; all of them read."""

    newest: str
    keys: dict[str, str]

    @classmethod
    def parse(cls, text: str) -> "SigningKeys":
        """Read the secret ``{"newest": kid, kid: key, …}``: flat, since that is what CloudFormation can generate.

        Raises ValueError for any other.
        """
        stored = json.loads(text)
        if not isinstance(stored, dict) or not all(isinstance(value, str) for value in stored.values()):
            raise ValueError("the secret of the signing keys has another form")
        newest = stored.pop("newest", None)
        if newest not in stored:
            raise ValueError("the newest signing key is not among the keys")
        if any(len(key) < _LEAST_KEY for key in stored.values()):
            raise ValueError(f"a signing key has fewer than {_LEAST_KEY} characters")
        return cls(newest=newest, keys=stored)

    def text(self) -> str:
        """Return the secret."""
        return json.dumps({"newest": self.newest, **self.keys})

    def rotated(self, fresh: tuple[str, str]) -> "SigningKeys":
        """Return the keys after a change: the one that signed still reads, the one before it reads no more.

        The key that will sign after the next change is there already, so that every process knows a key long before
        the first token comes that it signed: they read the secret anew every few minutes, not all at once. A secret
        that has one key only (a new one) has none prepared; then both of ``fresh`` are used, otherwise the first.
        Raises ValueError where keys have names of another form.
        """
        if not _KID.fullmatch(self.newest):
            raise ValueError(f"the newest signing key is called {self.newest}, not k and a number")
        made = iter(fresh)
        number = int(self.newest[1:]) + 1
        newest, prepared = f"k{number}", f"k{number + 1}"
        signing = self.keys.get(newest) or next(made)
        return SigningKeys(
            newest=newest,
            keys={self.newest: self.keys[self.newest], newest: signing, prepared: next(made)},
        )


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
