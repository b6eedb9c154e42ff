"""The values of ``${NAME}`` in an entry of mcp.json where they are kept in Secrets Manager."""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_lambda_powertools.utilities.parameters import SecretsProvider
from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

from satchel.adapters.server_config import ConfigError

_KEPT_SECONDS = 300  # as long as an old value may be used once it was changed


@dataclass(frozen=True)
class SecretValues:
    """Looks into the environment first, then for the secret ``{prefix}{NAME}``, whose text is the value."""

    environ: Mapping[str, str]
    prefix: str
    secrets: SecretsProvider

    def __call__(self, name: str) -> str:
        """Return a value. Raises ConfigError when there is none, or when it may not be read."""
        if name in self.environ:
            return self.environ[name]
        secret = f"{self.prefix}{name}"
        try:
            return str(self.secrets.get(secret, max_age=_KEPT_SECONDS))
        except GetParameterError as error:
            raise ConfigError(
                f"the variable {name} is not set, and the secret {secret!r} cannot be read: {error}"
            ) from error
