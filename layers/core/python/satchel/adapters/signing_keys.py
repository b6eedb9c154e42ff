"""Parses and rotates the keys that sign capability tokens (tokens in links). Secrets Manager stores the keys."""

import json
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

_MIN_KEY_CHARS = 32  # RFC 7518 §3.2: HS256 needs a key of at least 32 bytes
_KEY_ID = re.compile(r"k[0-9]{1,9}")
_CURRENT, _PENDING = "AWSCURRENT", "AWSPENDING"
_KEY_BYTES = 48


@dataclass(frozen=True)
class SigningKeys:
    """Signing keys by key id. The key with the id ``newest`` signs tokens. All keys verify tokens."""

    newest: str
    keys: dict[str, str]

    @classmethod
    def parse(cls, text: str) -> "SigningKeys":
        """Parse the secret, a JSON object ``{"newest": id, id: key, …}``.

        The keys are not nested, because CloudFormation can generate the first key only as a top-level value. Raise
        ValueError if the secret has a different format or a key is too short.
        """
        stored = json.loads(text)
        if not isinstance(stored, dict) or not all(isinstance(value, str) for value in stored.values()):
            raise ValueError("the secret of the signing keys is not a JSON object of strings")
        newest = stored.pop("newest", None)
        if newest not in stored:
            raise ValueError("the newest signing key is not among the keys")
        if any(len(key) < _MIN_KEY_CHARS for key in stored.values()):
            raise ValueError(f"a signing key has fewer than {_MIN_KEY_CHARS} characters")
        return cls(newest=newest, keys=stored)

    def text(self) -> str:
        """Return the keys as the text that is stored in the secret."""
        return json.dumps({"newest": self.newest, **self.keys})

    def rotated(self, new_keys: tuple[str, str]) -> "SigningKeys":
        """Return the keys after a rotation: the previous, the current and the next signing key.

        The next signing key is published one rotation in advance, because processes re-read the secret only every few
        minutes: each process must know a key before another process signs with it. The first secret has a single key,
        so its rotation uses both ``new_keys``; later rotations use only the first. Raise ValueError if the newest key's
        id is malformed.
        """
        if not _KEY_ID.fullmatch(self.newest):
            raise ValueError(f"the newest signing key has the id {self.newest}; expected k and a number")
        unused_keys = iter(new_keys)
        number = int(self.newest[1:]) + 1
        signing_id, next_id = f"k{number}", f"k{number + 1}"
        signing_key = self.keys.get(signing_id) or next(unused_keys)
        return SigningKeys(
            newest=signing_id,
            keys={self.newest: self.keys[self.newest], signing_id: signing_key, next_id: next(unused_keys)},
        )


@dataclass(frozen=True)
class SecretRotation:
    """Rotate the signing keys in the four steps that Secrets Manager requests. Each step can be repeated.

    The new version of the secret has the stage AWSPENDING until the last step gives it the stage AWSCURRENT.
    """

    client: "SecretsManagerClient"

    def __call__(self, step: str, secret: str, version: str) -> None:
        """Run a rotation step for a secret's new version. Raise ValueError if that version is not pending."""
        stages = self.client.describe_secret(SecretId=secret).get("VersionIdsToStages", {})
        if _CURRENT in stages.get(version, []):
            return
        if _PENDING not in stages.get(version, []):
            raise ValueError(f"the version {version} is not a pending rotation")
        steps = {"createSecret": self._create, "setSecret": self._set, "testSecret": self._test}
        if step == "finishSecret":
            self._finish(secret, version, next(each for each, names in stages.items() if _CURRENT in names))
        else:
            steps[step](secret, version)

    def _create(self, secret: str, version: str) -> None:
        try:
            self._read(secret, _PENDING, version)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ResourceNotFoundException":
                raise
            new_keys = secrets.token_urlsafe(_KEY_BYTES), secrets.token_urlsafe(_KEY_BYTES)
            text = self._read(secret, _CURRENT).rotated(new_keys).text()
            self.client.put_secret_value(
                SecretId=secret, ClientRequestToken=version, SecretString=text, VersionStages=[_PENDING]
            )

    def _set(self, secret: str, version: str) -> None:
        """Do nothing, because no other service stores the signing keys."""

    def _test(self, secret: str, version: str) -> None:
        """Raise ValueError unless the pending keys include the current signing key and sign with a different one."""
        current, pending = self._read(secret, _CURRENT), self._read(secret, _PENDING, version)
        if pending.keys.get(current.newest) != current.keys[current.newest] or pending.newest == current.newest:
            raise ValueError("the pending signing keys do not follow the current ones")

    def _finish(self, secret: str, version: str, current: str) -> None:
        self.client.update_secret_version_stage(
            SecretId=secret, VersionStage=_CURRENT, MoveToVersionId=version, RemoveFromVersionId=current
        )
        self.client.update_secret_version_stage(SecretId=secret, VersionStage=_PENDING, RemoveFromVersionId=version)

    def _read(self, secret: str, stage: str, version: str | None = None) -> SigningKeys:
        version_argument = {"VersionId": version} if version else {}
        response = self.client.get_secret_value(SecretId=secret, VersionStage=stage, **version_argument)
        return SigningKeys.parse(response["SecretString"])
