"""Creates clients of language models from model names. All clients share one event loop."""

import os
import time
from functools import lru_cache
from typing import TYPE_CHECKING

from aws_lambda_powertools.utilities.parameters import SecretsProvider

from satchel.adapters import clients
from satchel.adapters.llm.model_router import ModelName, ModelRouter, load_provider
from satchel.adapters.llm.offline import OfflineModel
from satchel.adapters.llm.retrying_model import RetryingModel
from satchel.adapters.secret_variables import SecretVariables
from satchel.adapters.server_config import VariableSource, environment_variables
from satchel.bootstrap.process import CLOCK
from satchel.domain.llm import OFFLINE
from satchel.ports.llm import Model
from satchel.settings import CompletionSettings

if TYPE_CHECKING:
    from satchel.adapters.event_loop import EventLoop


@lru_cache
def model_router() -> ModelRouter:
    """Return a ``Model`` that forwards each request to the model that the request names."""
    return ModelRouter(make_model)


def make_model(name: str) -> Model:
    """Return a retrying client of a model. Raise ValueError (invalid name) or ModelError (the API key is missing)."""
    if name == OFFLINE:
        return OfflineModel()
    return RetryingModel(model_without_retries(name), CLOCK, time.sleep, CompletionSettings().model_seconds)


def model_without_retries(name: str) -> Model:
    """Return a model client without retries. Raise ValueError (invalid name) or ModelError (the API key is missing)."""
    # Import late: the offline model does not need these modules, and they double the total import time.
    import satchel.adapters.llm.import_stub  # noqa: F401, PLC0415  (installs import stubs, so it must come before pydantic_ai)

    # isort: split
    from pydantic_ai.settings import ModelSettings  # noqa: PLC0415

    from satchel.adapters.llm.connection import ModelOptions  # noqa: PLC0415
    from satchel.adapters.llm.streaming_model import StreamingModel, Timeouts  # noqa: PLC0415

    parsed, settings = ModelName.parse(name), CompletionSettings()
    address = parsed.address or settings.model_base_url
    connection = load_provider(parsed.provider).connect(
        ModelOptions(parsed.model_id, _values(settings.secret_prefix), address, settings.model_silence_seconds)
    )
    options = ModelSettings()
    if settings.model_temperature is not None:
        options["temperature"] = settings.model_temperature
    if settings.model_max_tokens is not None:
        options["max_tokens"] = settings.model_max_tokens
    timeouts = Timeouts(settings.model_silence_seconds, settings.model_seconds)
    return StreamingModel(connection, options, _event_loop(), CLOCK, timeouts)


def close() -> None:
    """Cancel all running model requests and stop the event loop, whose threads would keep the process alive."""
    if _event_loop.cache_info().currsize:
        _event_loop().close()


@lru_cache
def _event_loop() -> "EventLoop":
    from satchel.adapters.event_loop import EventLoop  # noqa: PLC0415  (the offline model does not need it)

    return EventLoop()


def _values(prefix: str | None) -> VariableSource:
    """Return the source of the providers' API keys: Secrets Manager, or the environment if ``prefix`` is None."""
    if prefix is None:
        return environment_variables(os.environ)
    return SecretVariables(os.environ, prefix, SecretsProvider(boto3_client=clients.secrets()))
