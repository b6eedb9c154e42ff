"""Build the models that Think asks, on the event loop of this process."""

import os
import time
from functools import lru_cache
from typing import TYPE_CHECKING

from aws_lambda_powertools.utilities.parameters import SecretsProvider

from satchel.adapters import clients
from satchel.adapters.llm.model_router import OFFLINE, ModelRouter, Name, provider_of
from satchel.adapters.llm.offline import OfflineModel
from satchel.adapters.llm.retrying_model import RetryingModel
from satchel.adapters.secret_values import SecretValues
from satchel.adapters.server_config import Values, of_environment
from satchel.bootstrap.process import CLOCK
from satchel.ports.llm import Model
from satchel.settings import CompletionSettings

if TYPE_CHECKING:
    from satchel.adapters.event_loop import EventLoop


@lru_cache
def model_router() -> ModelRouter:
    """Return the router that sends each request to the model that it names."""
    return ModelRouter(make_model)


def make_model(name: str) -> Model:
    """Return the model of this name, and import the library of its provider. Raises ValueError, ModelError."""
    if name == OFFLINE:
        return OfflineModel()
    return RetryingModel(model_without_retries(name), CLOCK, time.sleep, CompletionSettings().model_seconds)


def model_without_retries(name: str) -> Model:
    """Return the model of this name without retries. Raises ValueError, ModelError."""
    # These imports take as long as all others of the function together; the offline model does not need them.
    import satchel.adapters.llm.import_stub  # noqa: F401, PLC0415  (for what it does, before anything imports the library)

    # isort: split
    from pydantic_ai.settings import ModelSettings  # noqa: PLC0415

    from satchel.adapters.llm.connection import Wanted  # noqa: PLC0415
    from satchel.adapters.llm.streaming_model import Patience, StreamingModel  # noqa: PLC0415

    wanted, given = Name.parse(name), CompletionSettings()
    address = wanted.address or given.model_base_url
    connection = provider_of(wanted.provider).connect(
        Wanted(wanted.model_id, _values(given.secret_prefix), address, given.model_silence_seconds)
    )
    settings = ModelSettings()
    if given.model_temperature is not None:
        settings["temperature"] = given.model_temperature
    if given.model_max_tokens is not None:
        settings["max_tokens"] = given.model_max_tokens
    patience = Patience(given.model_silence_seconds, given.model_seconds)
    return StreamingModel(connection, settings, _loop(), CLOCK, patience)


def close() -> None:
    """Cancel running requests and stop the event loop, whose threads would keep the process alive."""
    if _loop.cache_info().currsize:
        _loop().close()


@lru_cache
def _loop() -> "EventLoop":
    from satchel.adapters.event_loop import EventLoop  # noqa: PLC0415  (see above)

    return EventLoop()


def _values(prefix: str | None) -> Values:
    """Return the source of the providers' API keys: Secrets Manager, or the environment without a prefix."""
    if prefix is None:
        return of_environment(os.environ)
    return SecretValues(os.environ, prefix, SecretsProvider(boto3_client=clients.secrets()))
