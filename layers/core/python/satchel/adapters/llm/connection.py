"""Types that the modules in ``providers`` share with ``StreamingModel``, and a helper that reads API keys."""

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
    """Options for a connection to the model ``model_id`` at ``base_url`` (None: the provider's default address).

    ``variables`` returns the value of a variable, such as an API key. ``silence_seconds`` is the read timeout.
    """

    model_id: str
    variables: VariableSource
    base_url: str | None = None
    silence_seconds: float = 90.0


@dataclass(frozen=True)
class ModelConnection:
    """Connection to a model, with the provider's settings for each request. ``close`` closes the HTTP client."""

    model: Model
    settings: ModelSettings
    close: Callable[[], Awaitable[None]]


class Provider(Protocol):
    """Interface of the modules in ``providers``: each module must define ``connect``."""

    def connect(self, options: ModelOptions) -> ModelConnection:
        """Return a connection to a model. Raise ModelAccessDenied if the API key is missing.

        The connection's HTTP client must not retry requests. ``RetryingModel`` retries them, because it also tells the
        listener (the receiver of streamed text) to discard the text of the failed try.
        """
        ...


def api_key(options: ModelOptions, name: str, *, default: str | None = None) -> str:
    """Return the API key in the variable ``name``, or ``default``. Raise ModelAccessDenied if both are missing."""
    try:
        return options.variables(name)
    except ConfigError as error:
        if default is not None:
            return default
        raise ModelAccessDenied(f"{name} is not set") from error
