"""Reads variables (``${NAME}`` in mcp.json, and API keys of models) from the environment or Secrets Manager."""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_lambda_powertools.utilities.parameters import SecretsProvider
from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

from satchel.adapters.server_config import ConfigError

_CACHE_SECONDS = 300  # a changed secret takes effect after at most this time


@dataclass(frozen=True)
class SecretVariables:
    """Read variables from the environment first, then from the secret ``{prefix}{NAME}``."""

    environ: Mapping[str, str]
    prefix: str
    secrets: SecretsProvider

    def __call__(self, name: str) -> str:
        """Return a variable's value. Raise ConfigError if the variable is not set and its secret cannot be read."""
        if name in self.environ:
            return self.environ[name]
        secret = f"{self.prefix}{name}"
        try:
            return str(self.secrets.get(secret, max_age=_CACHE_SECONDS))
        except GetParameterError as error:
            raise ConfigError(
                f"the variable {name} is not set, and the secret {secret!r} cannot be read: {error}"
            ) from error
