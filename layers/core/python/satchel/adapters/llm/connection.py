"""The interface between ``StreamingModel`` and the modules in ``providers``."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from satchel.adapters.server_config import ConfigError, VariableSource
from satchel.domain.llm import ModelAccessDenied

CONNECT_SECONDS = 10.0


@dataclass(frozen=True)
class ModelOptions:
    """The model ``model_id`` of a provider, at the provider's default address or at ``base_url``.

    ``variables`` returns API keys by name. ``silence_seconds`` is the timeout of a read.
    """

    model_id: str
    variables: VariableSource
    base_url: str | None = None
    silence_seconds: float = 90.0


@dataclass(frozen=True)
class ModelConnection:
    """A model that accepts requests, its provider's own request settings, and the coroutine that closes its client."""

    model: Model
    settings: ModelSettings
    close: Callable[[], Awaitable[None]]


class Provider(Protocol):
    """The interface of a module in ``providers``."""

    def connect(self, options: ModelOptions) -> ModelConnection:
        """Return a connection to a model. Raise ModelAccessDenied if the API key is missing.

        The client must not retry by itself: ``RetryingModel`` does, and tells readers that the answer starts again.
        """
        ...


def api_key(options: ModelOptions, name: str, *, default: str | None = None) -> str:
    """Return the API key in a variable. If it is not set, return ``default`` or raise ModelAccessDenied."""
    try:
        return options.variables(name)
    except ConfigError as error:
        if default is not None:
            return default
        raise ModelAccessDenied(f"{name} is not set") from error
